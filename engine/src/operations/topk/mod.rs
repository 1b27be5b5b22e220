//! Top-k: the k largest or smallest elements of an array, or of each row of a matrix, with their indices.
//!
//! [`topk`] adds the passes to a graph: [`TopK`] specifies the elements, [`TopKBuffers`] the arrays.
//! [`Context::topk`](crate::Context::topk) runs a top-k in one call. Among equal elements, those with lower indices are
//! selected, and come first in a sorted result. A sorted result is therefore the same on every device.

mod description;
mod passes;
mod plan;
pub(crate) mod sizes;

pub(crate) use description::check_k;
pub use description::{AddedTopK, TopElements, TopK, TopKBuffers, TopKMethod};
pub use passes::topk;
pub use sizes::TopKTuning;
