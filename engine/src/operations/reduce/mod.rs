//! Reductions of an array, of its segments, and of runs of equal keys; also the index of a minimum or maximum.
//!
//! [`reduce`] adds the passes to a graph: [`AnyOperator`](crate::AnyOperator) specifies the operator, [`ReduceBuffers`]
//! the arrays. [`Context::reduce`](crate::Context::reduce), [`Context::argmin`](crate::Context::argmin) and
//! [`Context::argmax`](crate::Context::argmax) run a reduction in one call.

mod by_key;
mod description;
mod long_segments;
mod passes;
mod segments;

pub use by_key::reduce_by_key;
pub use description::{NO_INDEX, ReduceBuffers, ReduceByKeyBuffers, SegmentedReduceBuffers};
pub use passes::reduce;
pub use segments::reduce_segments;
