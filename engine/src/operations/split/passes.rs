//! Passes of splits. The caller adds the sort of [`Method::FullSort`].

use multisplit_graph::{Buffer, Graph};

use super::bucket_code::BucketCode;
use super::buffers::{AddedSplit, SplitBuffers, SplitOutput};
use super::chain;
use super::description::{Bucket, Buckets, Split};
use super::parameters::{Function, SplitPasses};
use super::{baselines, method, rounds};
use crate::error::Result;
use crate::operations::shared::{EdgeValues, Form, NarrowKeys, fill, planned_for};
use crate::policy::Policy;
use crate::policy::method::Method;

/// Adds the passes of a split of keys with at least 32 bits. For `FullSort`, adds only the passes that precede the
/// sort.
pub(in crate::operations) fn add(
    graph: &mut Graph,
    policy: &Policy,
    split: &Split,
    buffers: &SplitBuffers,
) -> Result<AddedSplit> {
    buffers.check_sizes(split)?;
    policy.check()?;
    policy.split.check_on(&policy.facts)?;
    planned_for(graph, policy);
    let code = BucketCode::new(policy, split)?;
    let method = method::choose(policy, split);
    let added = AddedSplit {
        method,
        rounds: method::rounds(method, split),
        sizes: method::sizes(policy, method, split, buffers),
    };
    tracing::debug!(?added, n = ?buffers.n, m = split.buckets, "multisplit");
    if let Some(out_of_range) = buffers.out_of_range {
        let word = out_of_range.elements::<u32>(0, 1);
        fill(graph, policy, "multisplit.clear.out_of_range", word, 0)?;
    }
    if buffers.n.max() == 0 {
        fill(graph, policy, "multisplit.empty", buffers.offsets_of(split.buckets), 0)?;
        return Ok(added);
    }
    let function = Function::declare(graph, &code, split)?;
    let mut passes = SplitPasses::new(graph, policy, split, buffers, function, added.sizes);
    match method {
        Method::ScanSplit => baselines::scan_split(&mut passes)?,
        Method::ReducedBitSort => baselines::reduced_bit_sort(&mut passes)?,
        // The caller adds the passes of the sort and of the offsets, because the sort module depends on this module.
        Method::FullSort => {}
        _ => rounds::add(&mut passes, method)?,
    }
    Ok(added)
}

/// Adds the pass that finds the bucket offsets and the number of ids out of range, from the sorted keys of `sorted`.
pub(in crate::operations) fn add_offsets(
    graph: &mut Graph,
    policy: &Policy,
    split: &Split,
    sorted: &SplitBuffers,
) -> Result<()> {
    let code = BucketCode::new(policy, split)?;
    let function = Function::declare(graph, &code, split)?;
    let sizes = method::sizes(policy, split.method, split, sorted);
    chain::find_offsets(&mut SplitPasses::new(graph, policy, split, sorted, function, sizes))
}

/// Rejects bucket functions that do not support the key type or whose parameters are invalid.
pub(crate) fn check_function(policy: &Policy, split: &Split) -> Result<()> {
    BucketCode::new(policy, split).map(drop)
}

impl<K> Buckets<K> {
    /// The values with which a plan for other settable buckets is recorded to split by these buckets. Both must have
    /// the same key type and number of buckets, and the policy must be the same.
    pub fn edge_values(&self, policy: &Policy) -> Result<EdgeValues> {
        let split = self.split();
        let code = BucketCode::new(policy, split)?;
        match split.key.is_narrow() {
            true => Ok(BucketCode::new(policy, &of_words(split).0)?.edge_values()),
            false => Ok(code.edge_values()),
        }
    }
}

/// Converts a split of 8-bit or 16-bit keys to an equivalent split of 32-bit words. Also returns the form of the
/// words: they have the bits, the order or the value of the keys, depending on which of these the function uses.
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

/// Adds the passes of a split of keys of 8 or 16 bits. `add_words` adds the passes of the equivalent split of words.
pub(in crate::operations) fn add_narrow(
    graph: &mut Graph,
    policy: &Policy,
    split: &Split,
    buffers: &SplitBuffers,
    add_words: impl FnOnce(&mut Graph, &Split, &SplitBuffers) -> Result<AddedSplit>,
) -> Result<AddedSplit> {
    buffers.check_sizes(split)?;
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
        SplitOutput::Permutation(permutation) => SplitOutput::Permutation(permutation),
    };
    let added = add_words(graph, &wide, &SplitBuffers { keys: words, output, ..*buffers })?;
    if let Some((words, to)) = out {
        keys.narrow(graph, policy, words, to)?;
    }
    Ok(added)
}
