//! The split that costs most and promises most: a radix sort by the whole key, where the buckets
//! are in the order of the keys. What comes out is ordered within each bucket, too.

use multisplit_graph::Buffer;
use multisplit_shaders::builtin as kernels;

use super::chain::each;
use super::{Bucket, Job, KeyType, Split, SplitOutput, counting};
use crate::error::{Error, Result};
use crate::primitives::copy;
use crate::primitives::count::Count;
use crate::primitives::sort::{self, KeyedSort, SortBuffers, SortPlace, SortValues};

/// Whether to sort from large to small; an error where no order of the keys is that of the buckets.
pub(super) fn descending(split: &Split, n: Count) -> Result<bool> {
    let unsigned = matches!(split.key, KeyType::U32 | KeyType::U64);
    let top = |shift: u32, bits: u32| shift.checked_add(bits) == Some(split.key.bits());
    let descending = match split.bucket {
        Bucket::Delta { .. } | Bucket::Range(_) => Some(false),
        Bucket::Identity if unsigned => Some(false),
        Bucket::Digit { shift, bits } if unsigned && top(shift, bits) => Some(false),
        Bucket::OrderedDigit { shift, bits, descending } if top(shift, bits) => Some(descending),
        // `Even` sends every NaN to the last bucket; in the order of floats some come first.
        _ => None,
    };
    if matches!(n, Count::Device { .. }) {
        return Err(Error::Policy { problem: "full sorts split numbers that the host knows" });
    }
    descending.ok_or_else(|| Error::Bucket {
        key: format!("{:?}", split.key),
        problem: "a full sort takes buckets in the order of the keys".to_owned(),
    })
}

pub(super) fn add(job: &mut Job<'_>) -> Result<()> {
    let sort =
        KeyedSort { descending: descending(job.split, job.buffers.n)?, ..KeyedSort::new(job.split.key) };
    counting::add(job)?;
    let n = job.buffers.n.max();
    let key_bytes = n * u64::from(job.split.key.bytes());
    let (graph, policy, input) = (&mut *job.graph, job.policy, job.buffers.keys);
    let mut copied = |from: Buffer, to: Buffer, bytes: u64| {
        copy(graph, policy, "multisplit.copy", from.range(0, bytes), to.range(0, bytes))
    };
    let (keys, values) = match job.buffers.output {
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
    let sorted = SortBuffers { n: job.buffers.n, keys, values, place };
    sort::add(job.graph, policy, &sort, &sorted)?;
    if let (SplitOutput::Permutation(words), SortValues::Indices(sources)) =
        (job.buffers.output, values)
    {
        let bound = [("sources", sources), ("permutation", words)];
        let elements = (job.buffers.n, input);
        each(job.graph, policy, &kernels::MULTISPLIT_INVERT, elements, &bound)?;
    }
    Ok(())
}
