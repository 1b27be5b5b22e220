//! Results of one-call splits.

use bytemuck::Pod;

use super::Method;
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
