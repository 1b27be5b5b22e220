//! Baselines of the paper: the scan-based split and the reduced-bit sort.

use multisplit_graph::Buffer;
use multisplit_shaders::builtin::{self as kernels, variants};

use super::bucket_code::BucketCode;
use super::buffers::{SplitBuffers, SplitOutput};
use super::chain::Chain;
use super::description::{Bucket, Split};
use super::parameters::{Function, Kernels, OutOfRange, SplitPasses, bind_elements};
use super::{method, rounds};
use crate::elements::key::KeyType;
use crate::error::Result;
use crate::operations::scan::ScanPlan;
use crate::operations::shared::{ELEMENTS_PER_THREAD, Length, each, invert};

/// Adds the recursive scan-based split: ceil(log2 m) rounds, each of which splits by one bit of the bucket ids. A
/// round flags the elements, scans the flags, and uses the result to compute the destination of each element.
pub(super) fn scan_split(passes: &mut SplitPasses<'_>) -> Result<()> {
    let (policy, split) = (passes.policy, passes.split);
    let chain = Chain::new(passes, method::bucket_bits(split.buckets))?;
    let mut round = passes.with(split, passes.buffers, passes.sizes);
    let (scan, flag_groups, groups) = round.prepare(|passes, lengths, n| {
        let of_group = ELEMENTS_PER_THREAD * u64::from(passes.sizes.threads);
        let flags = lengths.scaled(n, 1, 1)?;
        let flag_groups = lengths.parts(flags, of_group)?;
        let scan = ScanPlan::of_words(passes.policy, lengths, flags)?;
        Ok((scan, flag_groups, lengths.parts(n, of_group)?))
    })?;
    let (n, prepared) = (round.n, round.prepared);
    let flags = round.graph.transient::<u32>("multisplit.flags", n.max + 1);
    let scanned = round.graph.transient::<u32>("multisplit.scanned", n.max + 1);
    let uncounted = round.graph.transient::<u32>("multisplit.out_of_range", 1);
    for (buffers, bit) in chain.rounds.iter().zip(0..) {
        round.buffers = buffers;
        let pass = round
            .pass("multisplit.flags", variants::MULTISPLIT_FLAGS, n, bit)?
            .bind("flags", flags);
        let out_of_range = OutOfRange::new(buffers.out_of_range, || uncounted);
        prepared.dispatch(out_of_range.bind(pass), flag_groups);
        scan.add(round.graph, policy, prepared, flags, scanned)?;
        let [keys, pairs] = variants::MULTISPLIT_FLAG_SCATTER;
        let kernels = if buffers.output.value_bytes().is_some() { pairs } else { keys };
        let pass = round.pass("multisplit.scatter", kernels, n, 1)?.bind("scanned", scanned);
        prepared.dispatch(bind_elements(pass, split, buffers), groups);
    }
    chain.finish(passes)
}

/// Only pairs of a 32-bit key and a 32-bit value are packed into one value.
static LABELS_PACKED: Kernels = [&kernels::MULTISPLIT_LABELS_PACKED; 2];

/// Value that the sort moves along with each label.
enum Payload {
    Key,
    Pair,
    Index,
}

/// Adds the reduced-bit sort. It writes the bucket id of each key as a label, and sorts the labels by their ceil(log2
/// m) bits. Keys without values move as the values of their labels. A key and its value are packed into one value if
/// they fit. Otherwise the sort moves indices, and a last pass gathers the elements or inverts the permutation. The
/// bucket function is evaluated once per key.
pub(super) fn reduced_bit_sort(passes: &mut SplitPasses<'_>) -> Result<()> {
    let n = passes.buffers.n.max();
    let payload = match passes.buffers.output {
        SplitOutput::Keys(_) => Payload::Key,
        SplitOutput::Pairs { value_bytes: 4, .. } if passes.split.key.bytes() == 4 => Payload::Pair,
        _ => Payload::Index,
    };
    let mut two_buffers = |name: &str, bytes| {
        let mut buffer =
            |end: &str| passes.graph.transient_bytes(format!("{name}{end}"), n * bytes);
        (buffer(""), buffer(".sorted"))
    };
    let labels = two_buffers("multisplit.labels", 4);
    let (carried, value_bytes) = match (&payload, passes.buffers.output) {
        (Payload::Key, SplitOutput::Keys(out)) => {
            ((passes.buffers.keys, out), passes.split.key.bytes())
        }
        (Payload::Pair, _) => (two_buffers("multisplit.packed", 8), 8),
        _ => (two_buffers("multisplit.sources", 4), 4),
    };
    label(passes, &payload, labels.0, carried.0)?;
    sort(passes, labels, carried, value_bytes)?;
    let elements = (passes.buffers.n, passes.buffers.keys);
    match (payload, passes.buffers.output) {
        (Payload::Pair, SplitOutput::Pairs { keys, values, .. }) => {
            let bound = [("packed", carried.1), ("keys_out", keys), ("values_out", values)];
            each(passes.graph, passes.policy, &kernels::MULTISPLIT_UNPACK, elements, &bound)
        }
        (Payload::Index, SplitOutput::Permutation(words)) => {
            invert(passes.graph, passes.policy, elements, carried.1, words)
        }
        (Payload::Index, _) => gather(passes, carried.1),
        _ => Ok(()),
    }
}

/// Writes the labels. Also writes the values that move with them, unless these are the input keys themselves.
fn label(
    passes: &mut SplitPasses<'_>,
    payload: &Payload,
    labels: Buffer,
    carried: Buffer,
) -> Result<()> {
    let kernels = match payload {
        Payload::Key => variants::MULTISPLIT_LABELS,
        Payload::Pair => LABELS_PACKED,
        Payload::Index => variants::MULTISPLIT_LABELS_INDEX,
    };
    let groups = groups(passes)?;
    let (buffers, prepared, out_of_range) = (passes.buffers, passes.prepared, passes.out_of_range);
    let pass = passes.pass("multisplit.labels", kernels, groups, 1)?.bind("labels", labels);
    let pass = match (payload, buffers.output) {
        (Payload::Pair, SplitOutput::Pairs { values_in, .. }) => {
            let values = values_in.elements::<u32>(0, buffers.n.max());
            pass.bind("packed", carried).bind("values", values)
        }
        (Payload::Index, _) => pass.bind("sources", carried),
        _ => pass,
    };
    prepared.dispatch(out_of_range.bind(pass), groups);
    Ok(())
}

/// Sorts the labels stably, by a split in which the label is the bucket.
fn sort(
    passes: &mut SplitPasses<'_>,
    labels: (Buffer, Buffer),
    carried: (Buffer, Buffer),
    value_bytes: u32,
) -> Result<()> {
    let output =
        SplitOutput::Pairs { keys: labels.1, values_in: carried.0, values: carried.1, value_bytes };
    let (n, offsets) = (passes.buffers.n, passes.buffers.offsets);
    let buffers = SplitBuffers { n, keys: labels.0, output, offsets, out_of_range: None };
    let split = Split::new(KeyType::U32, passes.split.buckets, Bucket::Identity);
    let method = method::choose(passes.policy, &split);
    let sizes = method::sizes(passes.policy, method, &split, &buffers);
    let code = BucketCode::new(passes.policy, &split)?;
    let function = Function::declare(passes.graph, &code, &split)?;
    let mut labels =
        SplitPasses::new(passes.graph, passes.policy, &split, &buffers, function, sizes);
    rounds::add(&mut labels, method)
}

/// Adds the pass that moves the elements to their sorted positions. `sources` contains the index of the element at each
/// position.
fn gather(passes: &mut SplitPasses<'_>, sources: Buffer) -> Result<()> {
    let groups = groups(passes)?;
    let (split, buffers, prepared) = (passes.split, passes.buffers, passes.prepared);
    let kernels = variants::MULTISPLIT_GATHER;
    let pass = passes.pass("multisplit.gather", kernels, groups, 1)?.bind("sources", sources);
    prepared.dispatch(bind_elements(pass, split, buffers), groups);
    Ok(())
}

/// Number of workgroups of a pass in which each thread processes [`ELEMENTS_PER_THREAD`] elements.
fn groups(passes: &mut SplitPasses<'_>) -> Result<Length> {
    passes.prepare(|passes, lengths, n| {
        lengths.parts(n, ELEMENTS_PER_THREAD * u64::from(passes.sizes.threads))
    })
}
