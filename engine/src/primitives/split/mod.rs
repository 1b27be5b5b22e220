//! Splits as callers ask for them: in a graph, in one call, or by a full sort.

mod full_sort;
mod host;
mod large;
mod narrow;

pub use host::{SplitKeys, SplitPairs, SplitPermutation};

use multisplit_graph::Graph;

use super::Policy;
use super::key::KeyType;
use super::multisplit::{self, AddedSplit, Buckets, Method, SplitBuffers};
use crate::error::{Error, Result};

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
        Method::FullSort => Some(full_sort::sort_of(split, buffers.n)?),
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
