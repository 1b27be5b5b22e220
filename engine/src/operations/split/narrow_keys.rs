//! Splits of keys of 8 and 16 bits: the keys are widened to words, in the form that the bucket function requires.

use multisplit_graph::{Buffer, Graph};

use super::{full_sort, passes};
use crate::error::Result;
use crate::operations::shared::widening::{Form, NarrowKeys};
use crate::operations::sort::KeyedSort;
use crate::operations::split::{
    AddedSplit, Bucket, Split, SplitBuffers, SplitOutput, check_function,
};
use crate::policy::Policy;

/// Returns the equivalent split of words, and the form of the words. Functions of bits receive the bits, functions
/// of the order receive numbers that compare like the keys, and functions of values receive the values.
pub(crate) fn of_words(split: &Split) -> (Split, Form) {
    let key = split.key;
    let (bucket, form) = match &split.bucket {
        Bucket::Delta { min, width } => {
            (Bucket::Delta { min: key.ordered(*min), width: *width }, Form::Ordered)
        }
        Bucket::Range(splitters) => {
            let ordered = splitters.iter().map(|&splitter| key.ordered(splitter)).collect();
            (Bucket::Range(ordered), Form::Ordered)
        }
        Bucket::OrderedDigit { .. } => (split.bucket.clone(), Form::Ordered),
        Bucket::Identity | Bucket::Digit { .. } => (split.bucket.clone(), Form::Bits),
        // Even parts of floats, and user functions.
        _ => (split.bucket.clone(), Form::Number),
    };
    (Split { key: form.wide(key), bucket, ..split.clone() }, form)
}

/// Adds the passes of the split. `sort` is set for a full sort.
pub(super) fn add(
    graph: &mut Graph,
    policy: &Policy,
    split: &Split,
    sort: Option<KeyedSort>,
    buffers: &SplitBuffers,
) -> Result<AddedSplit> {
    passes::check(split, buffers)?;
    check_function(policy, split)?;
    let (wide, form) = of_words(split);
    let keys = NarrowKeys { key: split.key, form, n: buffers.n };
    // Buffers of a graph cannot be empty.
    let n = buffers.n.max().max(1);
    let words = graph.transient::<u32>("multisplit.words", n);
    keys.widen(graph, policy, buffers.keys, words)?;
    let mut out: Option<(Buffer, Buffer)> = None;
    let mut wide_out = |keys: Buffer| {
        let words = graph.transient::<u32>("multisplit.words.out", n);
        out = Some((words, keys));
        words
    };
    let output = match buffers.output {
        SplitOutput::Keys(keys) => SplitOutput::Keys(wide_out(keys)),
        SplitOutput::Pairs { keys, values_in, values, value_bytes } => {
            SplitOutput::Pairs { keys: wide_out(keys), values_in, values, value_bytes }
        }
        SplitOutput::Permutation(places) => SplitOutput::Permutation(places),
    };
    let of_words = SplitBuffers { keys: words, output, ..*buffers };
    let added = passes::add(graph, policy, &wide, &of_words)?;
    if let Some(sort) = sort {
        // In both forms that can be sorted, the words are unsigned numbers of as many bits as the keys.
        let bits = Some(0..split.key.bits());
        let sort = KeyedSort { key: wide.key, bits, ..sort };
        full_sort::add(graph, policy, &sort, &wide, &of_words)?;
    }
    if let Some((words, to)) = out {
        keys.narrow(graph, policy, words, to)?;
    }
    Ok(added)
}
