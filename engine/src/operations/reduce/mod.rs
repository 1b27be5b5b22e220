//! Reductions of an array, and the index of its minimum or maximum.
//!
//! [`reduce`] adds the passes to a graph: [`AnyOperator`] specifies the operator, [`ReduceBuffers`]
//! the arrays. [`Context::reduce`](crate::Context::reduce),
//! [`Context::argmin`](crate::Context::argmin) and [`Context::argmax`](crate::Context::argmax) run
//! a reduction in one call.

mod by_key;
mod long_segments;
mod passes;
mod segments;

pub use by_key::{ReduceByKeyBuffers, reduce_by_key};
pub use segments::{SegmentedReduceBuffers, reduce_segments};

use multisplit_graph::{Buffer, ElementType, Graph};

use crate::elements::key::KeyType;
use crate::error::{Error, Result};
use crate::operations::Count;
use crate::operations::shared::checks::{check_element, check_size};
use crate::operations::shared::count::Lengths;
use crate::operations::shared::operator::{AnyOperator, Operator};
use crate::operations::shared::terms::Terms;
use crate::policy::Policy;
use passes::ReducePasses;

/// Value written to [`ReduceBuffers::index`] if the input is empty.
pub const NO_INDEX: u32 = u32::MAX;

/// Arrays of a reduction in a graph. They must not overlap.
#[derive(Clone, Copy, Debug)]
pub struct ReduceBuffers {
    n: Count,
    src: Buffer,
    dst: Buffer,
    index: Option<Buffer>,
}

impl ReduceBuffers {
    /// Writes the reduction of `src` to the first element of `dst`. If `src` is empty, this is the
    /// identity of the operator: 0 for a sum, the last value in sort order for a minimum, the first
    /// for a maximum. Both are arrays of `u32`, `i32`, `f32`, `u64`, `i64` or `f64`.
    pub fn new(src: Buffer, dst: Buffer) -> Self {
        Self { n: Count::Host(src.len()), src, dst, index: None }
    }

    /// Reduces only the first `n` elements. `n` is a host count or a device count.
    #[must_use]
    pub fn count(self, n: impl Into<Count>) -> Self {
        Self { n: n.into(), ..self }
    }

    /// Writes the index of the minimum or maximum to the first word of `index`, or [`NO_INDEX`] if
    /// the input is empty. Among equal elements, this is the lowest index. Floats are equal if
    /// their bits are equal.
    #[must_use]
    pub fn index(self, index: Buffer) -> Self {
        Self { index: Some(index), ..self }
    }
}

/// Adds the passes of a reduction to the graph: one for short arrays, two for long ones.
pub fn reduce(
    graph: &mut Graph,
    policy: &Policy,
    operator: impl Into<AnyOperator>,
    buffers: &ReduceBuffers,
) -> Result<()> {
    let operator = operator.into();
    policy.check()?;
    graph.sized_for_subgroups(policy.facts.subgroup_size);
    let &ReduceBuffers { n, src, dst, index } = buffers;
    let key = KeyType::wide_of("src", src)?;
    check_element("dst", dst, key.into())?;
    if let Some(index) = index {
        check_element("index", index, ElementType::U32)?;
        if !matches!(operator, AnyOperator::BuiltIn(Operator::Min | Operator::Max)) {
            return Err(Error::IndexOfSum);
        }
        // NO_INDEX marks an empty input, so it must not be a valid index.
        let (asked, limit) = (n.max(), u64::from(NO_INDEX));
        if asked > limit {
            let what = "number of elements of a reduction with an index (indices have 32 bits)";
            return Err(Error::TooLarge { what, asked, limit });
        }
    }
    let terms = Terms::new(key, &operator)?;
    let (asked, limit) = (n.max(), u64::MAX / terms.bytes);
    let too_large = Error::TooLarge { what: "length of a reduction", asked, limit };
    let source = asked.checked_mul(terms.bytes).ok_or(too_large)?;
    check_size("reduce.src", src, source)?;
    check_size("reduce.dst", dst, terms.bytes)?;
    if let Some(index) = index {
        check_size("reduce.index", index, 4)?;
    }
    let (lengths, n) = Lengths::new(n)?;
    let dst = dst.range(0, terms.bytes);
    let index = index.map(|index| index.range(0, 4));
    ReducePasses { policy, n, terms, src, dst, index }.add(graph, lengths)
}
