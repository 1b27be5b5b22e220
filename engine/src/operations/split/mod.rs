//! Multisplit: reorders keys or key-value pairs into m contiguous buckets, or computes the permutation that does
//! so. A function of the key selects its bucket. The result is in bucket order and, unless the method is
//! [`Method::FullSort`], stable within a bucket.
//!
//! [`split`](crate::operations::split()) adds the passes to a graph: [`Buckets`] describes the split, [`SplitBuffers`]
//! the arrays. [`Context::split`](crate::Context::split) and related methods run a split in one call.

mod baselines;
mod bucket_code;
mod buffers;
mod chain;
mod description;
mod method;
mod parameters;
mod passes;
mod push;
mod rounds;
pub(crate) mod sizes;

pub use super::full_sort::split;
#[cfg(feature = "glsl")]
pub use super::shared::glsl::Glsl;
pub use crate::policy::method::{Method, Ranking, ValuesAfter};
pub use crate::policy::tile::{TileShape, TileShapes};
pub(in crate::operations) use bucket_code::BucketCode;
pub(in crate::operations) use buffers::SplitOutput;
pub use buffers::{AddedSplit, SplitBuffers, SplitKeys, SplitPairs, SplitPermutation, SplitSizes};
pub(crate) use description::Split;
pub use description::{AnyType, Bucket, Buckets, MAX_BUCKETS, MAX_BUCKETS_OF_ROUND};
pub(in crate::operations) use parameters::{Kernels, ranking_constants, ranking_pass};
pub(in crate::operations) use passes::{add, add_narrow, add_offsets};
pub(crate) use passes::{check_function, of_words};
pub(in crate::operations) use push::{BucketWords, SplitBy, SplitPush};
pub use sizes::SplitTuning;
