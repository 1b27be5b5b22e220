//! Prefix scans: combines each element with all elements before it (inclusive), or only the
//! elements before it (exclusive).
//!
//! [`scan`] adds the passes to a graph: [`Scan`] specifies the operator and the kind of scan,
//! [`ScanBuffers`] the arrays. [`Context::scan`](crate::Context::scan) runs a scan in one call.

mod by_key;
mod passes;
mod plan;

pub(in crate::operations) use plan::{
    ScanPlan, max_single_group_elements, spine_threads, spine_tile, tile_elements,
};

use multisplit_graph::{Buffer, Graph};

use crate::elements::key::KeyType;
use crate::error::Result;
use crate::operations::Count;
use crate::operations::shared::checks::check_element;
use crate::operations::shared::count::{Lengths, Prepared};
use crate::operations::shared::operator::{AnyOperator, Operator};
use crate::operations::shared::segment_sweep::Heads;
use crate::operations::shared::terms::Terms;
use crate::policy::Policy;

/// Operator of a scan, and whether the scan is inclusive.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Scan {
    operator: AnyOperator,
    pub(crate) inclusive: bool,
}

impl Scan {
    /// Each element becomes the combination of all elements before it. The first element becomes
    /// the identity of the operator: 0 for a sum, the last value in sort order for a minimum, the
    /// first for a maximum (for floats, these are NaNs with all payload bits set), or the identity
    /// of a GLSL operator.
    pub fn exclusive(operator: impl Into<AnyOperator>) -> Self {
        Self { operator: operator.into(), inclusive: false }
    }

    /// Each element becomes the combination of itself and all elements before it.
    pub fn inclusive(operator: impl Into<AnyOperator>) -> Self {
        Self { operator: operator.into(), inclusive: true }
    }
}

/// Arrays of a scan in a graph. They must not overlap.
#[derive(Clone, Copy, Debug)]
pub struct ScanBuffers {
    n: Count,
    src: Buffer,
    dst: Buffer,
    segments: Option<Segments>,
}

/// Definition of the segments.
#[derive(Clone, Copy, Debug)]
enum Segments {
    Keys(Buffer),
    Heads(Buffer),
}

impl ScanBuffers {
    /// Writes the scan of `src` to `dst`. Both are arrays of `u32`, `i32`, `f32`, `u64`, `i64` or
    /// `f64`.
    pub fn new(src: Buffer, dst: Buffer) -> Self {
        Self { n: Count::Host(src.len()), src, dst, segments: None }
    }

    /// Scans only the first `n` elements. `n` is a host count or a device count.
    #[must_use]
    pub fn count(self, n: impl Into<Count>) -> Self {
        Self { n: n.into(), ..self }
    }

    /// Scans each run of elements with equal keys independently. `keys` has one key for each
    /// element, of any type that `src` can have. Keys are equal if their bits are equal. Each array
    /// must fit one storage binding.
    #[must_use]
    pub fn keys(self, keys: Buffer) -> Self {
        Self { segments: Some(Segments::Keys(keys)), ..self }
    }

    /// Scans segments independently. A segment begins at each nonzero element of `heads`, which has
    /// one `u32` for each element, and at the first element. Each array must fit one storage
    /// binding.
    #[must_use]
    pub fn heads(self, heads: Buffer) -> Self {
        Self { segments: Some(Segments::Heads(heads)), ..self }
    }
}

/// Adds the passes of a scan to the graph. Does not add passes if the count is 0.
pub fn scan(graph: &mut Graph, policy: &Policy, scan: &Scan, buffers: &ScanBuffers) -> Result<()> {
    let key = KeyType::wide_of("src", buffers.src)?;
    check_element("dst", buffers.dst, key.into())?;
    let terms = Terms::new(key, &scan.operator)?;
    if let Some(segments) = buffers.segments {
        policy.check()?;
        graph.sized_for_subgroups(policy.facts.subgroup_size);
        let heads = match segments {
            Segments::Keys(keys) => Heads::of_keys(keys)?,
            Segments::Heads(flags) => Heads::Flags(flags),
        };
        let arrays = (buffers.src, heads, buffers.dst);
        let lengths = Lengths::new(buffers.n)?;
        return by_key::add(graph, policy, (terms, scan.inclusive), lengths, arrays);
    }
    add(graph, policy, (terms, scan.inclusive), buffers)
}

/// Adds the passes of an exclusive prefix sum of `n` words, modulo 2^32, to the graph.
pub(in crate::operations) fn sums_before(
    graph: &mut Graph,
    policy: &Policy,
    src: Buffer,
    dst: Buffer,
    n: u64,
) -> Result<()> {
    let terms = Terms::of(KeyType::U32, Operator::Sum);
    add(graph, policy, (terms, false), &ScanBuffers::new(src, dst).count(n))
}

fn add(
    graph: &mut Graph,
    policy: &Policy,
    (terms, inclusive): (Terms<'_>, bool),
    &ScanBuffers { n, src, dst, .. }: &ScanBuffers,
) -> Result<()> {
    policy.check()?;
    graph.sized_for_subgroups(policy.facts.subgroup_size);
    let (mut lengths, n) = Lengths::new(n)?;
    let scan = ScanPlan::new(policy, &mut lengths, n, (terms, inclusive))?;
    let prepared = match n.max {
        0 => Prepared::default(),
        _ => lengths.prepare(graph, policy, "scan.prepare")?,
    };
    scan.add(graph, policy, prepared, src, dst)
}
