//! Multisplit: reorders keys or key-value pairs into m contiguous buckets, or computes the permutation that does
//! so. A function of the key selects its bucket. The result is in bucket order and stable within a bucket.
//!
//! [`split`](crate::operations::split()) declares the passes of one split in a graph. [`Buckets`] describes the split, and
//! [`SplitBuffers`] its arrays. [`Context::split`](crate::Context::split) and related methods do everything in one
//! call.

mod bucket;
mod buckets;
mod buffers;
mod chain;
mod description;
mod find_offsets;
mod full_sort;
#[cfg(feature = "glsl")]
pub(in crate::operations) mod glsl;
mod job;
mod method;
mod narrow_keys;
mod onesweep;
mod passes;
mod push;
mod reduced_bit;
mod results;
mod scan_split;
pub(crate) mod sizes;
mod stages;
mod two_level;

pub use crate::policy::method::{Method, Ranking, ValuesAfter};
pub use crate::policy::tile::{TileShape, TileShapes};
pub use bucket::Bucket;
pub(in crate::operations) use bucket::BucketCode;
pub use buckets::{AnyType, Buckets};
pub use buffers::SplitBuffers;
pub(in crate::operations) use buffers::SplitOutput;
pub(crate) use chain::EACH;
pub(in crate::operations) use chain::{each, number_elements};
pub(crate) use description::Split;
pub use description::{AddedSplit, MAX_BUCKETS, MAX_BUCKETS_OF_ROUND};
pub(crate) use full_sort::sort_of;
#[cfg(feature = "glsl")]
pub use glsl::Glsl;
pub(in crate::operations) use job::{Kernels, order_status};
pub use method::SplitSizes;
pub(crate) use narrow_keys::of_words;
pub(in crate::operations) use passes::add;
pub(crate) use passes::check_function;
pub(in crate::operations) use push::{BucketWords, SplitBy, SplitPush};
pub use results::{SplitKeys, SplitPairs, SplitPermutation};
pub use sizes::SplitTuning;

use multisplit_graph::Graph;

use crate::elements::key::KeyType;
use crate::error::{Error, Result};
use crate::policy::Policy;

/// Adds the passes of a split to the graph. If the count is 0, only the offsets and the out-of-range count are
/// written.
pub fn split<K>(
    graph: &mut Graph,
    policy: &Policy,
    buckets: &Buckets<K>,
    buffers: &SplitBuffers,
) -> Result<AddedSplit> {
    let key = KeyType::of("keys", buffers.keys)?;
    let split = buckets.split();
    if key != split.key {
        let (found, expected) = (key.to_string(), split.key.to_string());
        return Err(Error::KeyTypeMismatch { name: "keys", found, expected });
    }
    buffers.check_types()?;
    let sorted = match split.method {
        Method::FullSort => Some(sort_of(split, buffers.n)?),
        _ => None,
    };
    if key.is_narrow() {
        return narrow_keys::add(graph, policy, split, sorted, buffers);
    }
    let added = add(graph, policy, split, buffers)?;
    if let Some(sort) = sorted {
        full_sort::add(graph, policy, &sort, split, buffers)?;
    }
    Ok(added)
}
