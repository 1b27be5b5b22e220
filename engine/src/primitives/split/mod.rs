//! Splits as callers declare them in a graph, of keys of any type and by any method.

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

/// What a split of keys gives: `Vec`s for keys on the host, arrays for keys on the device.
#[derive(Debug)]
pub struct SplitKeys<P: Place, K: Pod> {
    /// The keys, in the order of their buckets, stable within a bucket.
    pub keys: P::Array<K>,
    /// Where each bucket begins, and n.
    pub offsets: P::Array<u32>,
    /// How it was done.
    pub method: Method,
}

/// What a split of key-value pairs gives.
#[derive(Debug)]
pub struct SplitPairs<P: Place, K: Pod, V: Pod> {
    /// The keys, in the order of their buckets, stable within a bucket.
    pub keys: P::Array<K>,
    /// The values, in the order of the keys.
    pub values: P::Array<V>,
    /// Where each bucket begins, and n.
    pub offsets: P::Array<u32>,
    /// How it was done.
    pub method: Method,
}

/// What a split that moves nothing gives.
#[derive(Debug)]
pub struct SplitPermutation<P: Place> {
    /// Where each element would go.
    pub permutation: P::Array<u32>,
    /// Where each bucket begins, and n.
    pub offsets: P::Array<u32>,
    /// How it was done.
    pub method: Method,
}

/// Adds the passes of a split to the graph. A count of 0 adds one that writes the offsets.
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
