//! Declares splits in a graph, for every key type and method.

mod full_sort;
mod narrow;

pub(crate) use full_sort::sort_of;
pub(crate) use narrow::of_words;

use bytemuck::Pod;
use multisplit_graph::Graph;

use super::Policy;
use super::key::KeyType;
use super::multisplit::{self, AddedSplit, Buckets, Method, SplitBuffers};
use crate::error::{Error, Result};
use crate::memory::Place;

/// Result of a split of keys: `Vec`s for keys on the host, arrays for keys on the device.
#[derive(Debug)]
pub struct SplitKeys<P: Place, K: Pod> {
    /// The keys in bucket order, stable within a bucket; `Method::FullSort` sorts them there.
    pub keys: P::Array<K>,
    /// Offset of each bucket, then n.
    pub offsets: P::Array<u32>,
    /// The method used.
    pub method: Method,
}

/// Result of a split of key-value pairs.
#[derive(Debug)]
pub struct SplitPairs<P: Place, K: Pod, V: Pod> {
    /// The keys in bucket order, stable within a bucket; `Method::FullSort` sorts them there.
    pub keys: P::Array<K>,
    /// The values in the order of the keys.
    pub values: P::Array<V>,
    /// Offset of each bucket, then n.
    pub offsets: P::Array<u32>,
    /// The method used.
    pub method: Method,
}

/// Result of a split that computes the permutation and does not move elements.
#[derive(Debug)]
pub struct SplitPermutation<P: Place> {
    /// Destination index of each element.
    pub permutation: P::Array<u32>,
    /// Offset of each bucket, then n.
    pub offsets: P::Array<u32>,
    /// The method used.
    pub method: Method,
}

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
        return narrow::add(graph, policy, split, sorted, buffers);
    }
    let added = multisplit::add(graph, policy, split, buffers)?;
    if let Some(sort) = sorted {
        full_sort::add(graph, policy, &sort, split, buffers)?;
    }
    Ok(added)
}
