//! Segmented scans: a new segment begins where the key changes, or where a flag is set.

use multisplit_graph::{Buffer, Graph};
use multisplit_shaders::builtin::variants::{SCAN_BY_KEY_DOWNSWEEP, SCAN_BY_KEY_LOOKBACK};

use crate::error::Result;
use crate::operations::shared::checks::check_size;
use crate::operations::shared::count::{Length, Lengths};
use crate::operations::shared::segment_sweep::{Heads, OpenSweep};
use crate::operations::shared::terms::Terms;
use crate::policy::Policy;

pub(super) fn add(
    graph: &mut Graph,
    policy: &Policy,
    (terms, inclusive): (Terms<'_>, bool),
    (lengths, n): (Lengths, Length),
    (src, heads, dst): (Buffer, Heads, Buffer),
) -> Result<()> {
    let needed = n.max.saturating_mul(terms.bytes);
    check_size("scan.src", src, needed)?;
    check_size("scan.dst", dst, needed)?;
    heads.check("scan", n.max)?;
    if n.max == 0 {
        return Ok(());
    }
    let sweep = OpenSweep {
        policy,
        name: "scan.by_key",
        n,
        terms,
        src,
        heads,
        downsweep: &SCAN_BY_KEY_DOWNSWEEP,
        lookback: &SCAN_BY_KEY_LOOKBACK,
        threads: policy.threads,
    };
    let dst = sweep.view(dst, terms.bytes)?;
    sweep.add(graph, lengths, |pass| {
        Ok(pass.bind("dst", dst).specialize("INCLUSIVE", u32::from(inclusive)))
    })
}
