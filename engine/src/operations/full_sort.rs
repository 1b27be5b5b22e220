//! The entry point of splits, and `Method::FullSort`: a radix sort by the whole key, for buckets that are in key order.
//! This split method moves each element about once per byte of the key. It also sorts the keys within each bucket.
//!
//! This module depends on both splits and sorts. It is a separate module because sorts already depend on splits: a
//! round of a sort may be a split.

use multisplit_graph::{Buffer, Graph};

use crate::elements::key::{KeyType, UNSIGNED};
use crate::error::{Error, Result};
use crate::operations::shared::{Count, copy, invert};
use crate::operations::sort::{self, KeyedSort, SortBuffers, SortValues};
use crate::operations::split::{
    AddedSplit, Bucket, Buckets, Method, Split, SplitBuffers, SplitOutput, add, add_narrow,
    add_offsets,
};
use crate::policy::Policy;

/// Adds the passes of a split to the graph. For an empty input, they only write the offsets and the out-of-range count.
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
    let sort = match split.method {
        Method::FullSort => Some(sort_of(split, buffers.n)?),
        _ => None,
    };
    if !key.is_narrow() {
        return split_or_sort(graph, policy, split, sort, buffers);
    }
    // The sort gets the keys as 32-bit unsigned words. Only the low `key.bits()` bits of these words can differ.
    let bits = Some(0..key.bits());
    add_narrow(graph, policy, split, buffers, |graph, wide, of_words| {
        let sort = sort.map(|sort| KeyedSort { key: wide.key, bits, ..sort });
        split_or_sort(graph, policy, wide, sort, of_words)
    })
}

/// Adds the passes of a split of 32-bit or 64-bit keys, followed by the passes of `sort` if it is given.
fn split_or_sort(
    graph: &mut Graph,
    policy: &Policy,
    split: &Split,
    sort: Option<KeyedSort>,
    buffers: &SplitBuffers,
) -> Result<AddedSplit> {
    let added = add(graph, policy, split, buffers)?;
    if let Some(sort) = sort {
        full_sort(graph, policy, &sort, split, buffers)?;
    }
    Ok(added)
}

/// Returns the sort that puts keys into bucket order. Rejects buckets that are not in key order, and device counts.
pub(crate) fn sort_of(split: &Split, n: Count) -> Result<KeyedSort> {
    let unsigned = split.key.kind() == UNSIGNED;
    let top = |shift: u32, bits: u32| shift.checked_add(bits) == Some(split.key.bits());
    let descending = match split.bucket {
        Bucket::Delta { .. } | Bucket::Range(_) => Some(false),
        Bucket::Identity if unsigned => Some(false),
        Bucket::Digit { shift, bits } if unsigned && top(shift, bits) => Some(false),
        Bucket::OrderedDigit { shift, bits, descending } if top(shift, bits) => Some(descending),
        // `Even` puts every NaN into the last bucket, but negative NaNs sort first.
        _ => None,
    };
    if matches!(n, Count::Device { .. }) {
        return Err(Error::Method {
            problem: "Method::FullSort does not support a device count of elements; use another method or a host count",
        });
    }
    let descending = descending.ok_or_else(|| Error::Bucket {
        key: split.key.to_string(),
        problem: "Method::FullSort supports only buckets in key order; use another method"
            .to_owned(),
    })?;
    Ok(KeyedSort { descending, ..KeyedSort::new(split.key) })
}

/// Adds the passes of the sort, and the pass that finds the bucket offsets in its result. Adds no passes for an empty
/// input.
fn full_sort(
    graph: &mut Graph,
    policy: &Policy,
    sort: &KeyedSort,
    split: &Split,
    buffers: &SplitBuffers,
) -> Result<()> {
    let (n, input) = (buffers.n.max(), buffers.keys);
    if n == 0 {
        return Ok(());
    }
    let key_bytes = n * u64::from(sort.key.bytes());
    let mut copied = |from: Buffer, to: Buffer, bytes: u64| {
        copy(graph, policy, "multisplit.copy", from.range(0, bytes), to.range(0, bytes))
    };
    let (keys, values) = match buffers.output {
        SplitOutput::Keys(keys) => {
            copied(input, keys, key_bytes)?;
            (keys, SortValues::None)
        }
        SplitOutput::Pairs { keys, values_in, values, value_bytes } => {
            copied(input, keys, key_bytes)?;
            copied(values_in, values, n * u64::from(value_bytes))?;
            (keys, SortValues::Values { buffer: values, bytes: value_bytes })
        }
        SplitOutput::Permutation(_) => {
            let keys = graph.transient_bytes("multisplit.keys", key_bytes);
            let sources = graph.transient::<u32>("multisplit.sources", n);
            copy(graph, policy, "multisplit.copy", input.range(0, key_bytes), keys)?;
            (keys, SortValues::Indices(sources))
        }
    };
    let sorted = SortBuffers { values, ..SortBuffers::keys(keys).count(buffers.n) };
    sort::add(graph, policy, sort, &sorted)?;
    add_offsets(graph, policy, split, &SplitBuffers { keys, ..*buffers })?;
    match (buffers.output, values) {
        (SplitOutput::Permutation(words), SortValues::Indices(sources)) => {
            invert(graph, policy, (buffers.n, input), sources, words)
        }
        _ => Ok(()),
    }
}
