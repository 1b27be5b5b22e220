//! Merges two sorted arrays of keys or key-value pairs into one sorted array.
//!
//! [`merge`] adds the passes to a graph: [`Merge`] specifies the order, [`MergeBuffers`] the arrays.
//! [`Context::merge`](crate::Context::merge) and [`Context::merge_pairs`](crate::Context::merge_pairs) run a merge in
//! one call. The merge is stable: if elements are equal, those of the first array come first, and each array keeps its
//! order.

mod description;
mod passes;

pub use description::{Merge, MergeBuffers};
pub use passes::merge;
