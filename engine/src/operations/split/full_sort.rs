//! The full sort as a split method: a radix sort by the whole key, for buckets that are in key order. It is the
//! most expensive method, and its result is also sorted within each bucket.

use multisplit_graph::{Buffer, Graph};
use multisplit_shaders::builtin as kernels;

use crate::elements::key::UNSIGNED;
use crate::error::{Error, Result};
use crate::operations::copy;
use crate::operations::shared::count::Count;
use crate::operations::sort::{self, KeyedSort, SortBuffers, SortPlace, SortValues};
use crate::operations::split::{Bucket, Split, SplitBuffers, SplitOutput, each, passes};
use crate::policy::Policy;

/// Returns the sort that puts keys into bucket order. Rejects buckets that are not in key order, and device
/// counts.
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
        return Err(Error::Method { problem: "Method::FullSort needs a host count of elements" });
    }
    let descending = descending.ok_or_else(|| Error::Bucket {
        key: split.key.to_string(),
        problem: "Method::FullSort needs buckets in key order".to_owned(),
    })?;
    Ok(KeyedSort { descending, ..KeyedSort::new(split.key) })
}

/// Adds the passes of the sort, and the pass that finds the offsets in its result. Adds no passes for an empty
/// input.
pub(super) fn add(
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
    let place = SortPlace::InPlace;
    let sorted = SortBuffers { n: buffers.n, keys, values, place, segments: None };
    sort::add(graph, policy, sort, &sorted)?;
    passes::add_offsets(graph, policy, split, &SplitBuffers { keys, ..*buffers })?;
    if let (SplitOutput::Permutation(words), SortValues::Indices(sources)) =
        (buffers.output, values)
    {
        let bound = [("sources", sources), ("permutation", words)];
        let elements = (buffers.n, input);
        each(graph, policy, &kernels::MULTISPLIT_INVERT, elements, &bound)?;
    }
    Ok(())
}
