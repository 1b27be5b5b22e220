//! Scan: of each element, what it and those before it combine to; or those before it alone.
//!
//! [`scan`] declares the passes of one scan in a graph: [`Scan`] says how, [`ScanBuffers`] where.
//! [`Context::scan`](crate::Context::scan) does everything in one call.

mod by_key;
mod passes;
mod plan;

pub(in crate::primitives) use plan::{
    ScanPlan, lone_elements, spine_threads, spine_tile, tile_elements,
};

use multisplit_graph::{Buffer, Graph};

use super::arrays::check_element;
use super::count::{Lengths, Prepared};
use super::key::KeyType;
use super::open::Heads;
use super::operator::AnyOperator;
use super::term::{Operator, Terms};
use super::{Count, Policy};
use crate::error::Result;

/// How arrays are scanned: by which operator, and with or without the element itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Scan {
    operator: AnyOperator,
    pub(crate) inclusive: bool,
}

impl Scan {
    /// Each element becomes what those before it combine to. The first becomes what changes nothing: 0
    /// of a sum, the last value in order of a minimum, the first of a maximum (of floats, NaNs whose
    /// other bits are all set), the identity of an operator in GLSL.
    pub fn exclusive(operator: impl Into<AnyOperator>) -> Self {
        Self { operator: operator.into(), inclusive: false }
    }

    /// Each element becomes what it and those before it combine to.
    pub fn inclusive(operator: impl Into<AnyOperator>) -> Self {
        Self { operator: operator.into(), inclusive: true }
    }
}

/// Where the arrays of a scan are in a graph. They must not overlap.
#[derive(Clone, Copy, Debug)]
pub struct ScanBuffers {
    n: Count,
    src: Buffer,
    dst: Buffer,
    segments: Option<Segments>,
}

/// What tells where segments begin.
#[derive(Clone, Copy, Debug)]
enum Segments {
    Keys(Buffer),
    Heads(Buffer),
}

impl ScanBuffers {
    /// `dst` gets the scan of `src`. Both are arrays of `u32`, `i32`, `f32`, `u64`, `i64` or `f64`.
    pub fn new(src: Buffer, dst: Buffer) -> Self {
        Self { n: Count::Host(src.len()), src, dst, segments: None }
    }

    /// The first `n` elements, by a host count or a device count.
    #[must_use]
    pub fn count(self, n: impl Into<Count>) -> Self {
        Self { n: n.into(), ..self }
    }

    /// In segments: each run of elements with equal keys is scanned on its own. `keys` has a key for each
    /// element, of any type that `src` can have; equal are those with equal bits. Arrays are at most as
    /// long as one binding can be.
    #[must_use]
    pub fn keys(self, keys: Buffer) -> Self {
        Self { segments: Some(Segments::Keys(keys)), ..self }
    }

    /// In segments that begin where `heads`, a `u32` for each element, is not zero. The first element
    /// begins one in any case. Arrays are at most as long as one binding can be.
    #[must_use]
    pub fn heads(self, heads: Buffer) -> Self {
        Self { segments: Some(Segments::Heads(heads)), ..self }
    }
}

/// Adds the passes of a scan to the graph. A count of 0 adds none.
pub fn scan(graph: &mut Graph, policy: &Policy, scan: &Scan, buffers: &ScanBuffers) -> Result<()> {
    let key = KeyType::wide_of("src", buffers.src)?;
    check_element("dst", buffers.dst, key.into())?;
    let terms = Terms::new(key, &scan.operator)?;
    if let Some(segments) = buffers.segments {
        policy.check()?;
        graph.sized_for_subgroups(policy.subgroup_size);
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

/// Adds the passes of an exclusive scan of `n` words to the graph: their sums, modulo 2^32.
pub(in crate::primitives) fn sums_before(
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
    graph.sized_for_subgroups(policy.subgroup_size);
    let (mut lengths, n) = Lengths::new(n)?;
    let scan = ScanPlan::new(policy, &mut lengths, n, (terms, inclusive))?;
    let prepared = match n.most {
        0 => Prepared::default(),
        _ => lengths.prepare(graph, policy, "scan.prepare")?,
    };
    scan.add(graph, policy, prepared, src, dst)
}
