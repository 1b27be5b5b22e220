//! Baselines of the paper: the scan-based split and the reduced-bit sort.

use multisplit_graph::Buffer;
use multisplit_shaders::builtin::{self as kernels, variants};

use super::bucket_code::BucketCode;
use super::buffers::{SplitBuffers, SplitOutput};
use super::chain::Chain;
use super::description::{Bucket, Split};
use super::job::{Function, Kernels, OutOfRange, SplitPasses, bind_elements};
use super::{method, rounds};
use crate::elements::key::KeyType;
use crate::error::Result;
use crate::operations::scan::ScanPlan;
use crate::operations::shared::count::Length;
use crate::operations::shared::each::{EACH, each, invert};

/// Adds the recursive scan-based split: ceil(log2 m) rounds, each of which splits by one bit of the bucket ids. A
/// round flags the elements, scans the flags, and uses the result to compute the destination of each element.
pub(super) fn scan_split(job: &mut SplitPasses<'_>) -> Result<()> {
    let (policy, split) = (job.policy, job.split);
    let chain = Chain::new(job, method::bucket_bits(split.buckets))?;
    let mut round = job.with(split, job.buffers, job.sizes);
    let (scan, flag_groups, groups) = round.prepare(|job, lengths, n| {
        let of_group = EACH * u64::from(job.sizes.threads);
        let flags = lengths.scaled(n, 1, 1)?;
        let flag_groups = lengths.parts(flags, of_group)?;
        let scan = ScanPlan::of_words(job.policy, lengths, flags)?;
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
    chain.finish(job)
}

/// Only pairs of a 32-bit key and a 32-bit value are packed into one value.
static LABELS_PACKED: Kernels = [&kernels::MULTISPLIT_LABELS_PACKED; 2];

/// Value that the sort moves along with each label.
enum Load {
    Key,
    Pair,
    Index,
}

/// Adds the reduced-bit sort. It writes the bucket id of each key as a label, and sorts the labels by their ceil(log2
/// m) bits. The keys move as the values of their labels. A key and its value are packed into one value if they fit;
/// otherwise the sort moves indices, and a last pass gathers the elements. The bucket function is evaluated once per
/// key.
pub(super) fn reduced_bit_sort(job: &mut SplitPasses<'_>) -> Result<()> {
    let n = job.buffers.n.max();
    let load = match job.buffers.output {
        SplitOutput::Keys(_) => Load::Key,
        SplitOutput::Pairs { value_bytes: 4, .. } if job.split.key.bytes() == 4 => Load::Pair,
        _ => Load::Index,
    };
    let mut loads = |name: &str, bytes| {
        let mut load = |end: &str| job.graph.transient_bytes(format!("{name}{end}"), n * bytes);
        (load(""), load(".sorted"))
    };
    let labels = loads("multisplit.labels", 4);
    let (carried, value_bytes) = match (&load, job.buffers.output) {
        (Load::Key, SplitOutput::Keys(out)) => ((job.buffers.keys, out), job.split.key.bytes()),
        (Load::Pair, _) => (loads("multisplit.packed", 8), 8),
        _ => (loads("multisplit.sources", 4), 4),
    };
    label(job, &load, labels.0, carried.0)?;
    sort(job, labels, carried, value_bytes)?;
    let elements = (job.buffers.n, job.buffers.keys);
    match (load, job.buffers.output) {
        (Load::Pair, SplitOutput::Pairs { keys, values, .. }) => {
            let bound = [("packed", carried.1), ("keys_out", keys), ("values_out", values)];
            each(job.graph, job.policy, &kernels::MULTISPLIT_UNPACK, elements, &bound)
        }
        (Load::Index, SplitOutput::Permutation(words)) => {
            invert(job.graph, job.policy, elements, carried.1, words)
        }
        (Load::Index, _) => gather(job, carried.1),
        _ => Ok(()),
    }
}

/// Writes the labels. Also writes the values that move with them, unless these are the input keys themselves.
fn label(job: &mut SplitPasses<'_>, load: &Load, labels: Buffer, carried: Buffer) -> Result<()> {
    let kernels = match load {
        Load::Key => variants::MULTISPLIT_LABELS,
        Load::Pair => LABELS_PACKED,
        Load::Index => variants::MULTISPLIT_LABELS_INDEX,
    };
    let groups = groups(job)?;
    let (buffers, prepared, out_of_range) = (job.buffers, job.prepared, job.out_of_range);
    let pass = job.pass("multisplit.labels", kernels, groups, 1)?.bind("labels", labels);
    let pass = match (load, buffers.output) {
        (Load::Pair, SplitOutput::Pairs { values_in, .. }) => {
            let values = values_in.elements::<u32>(0, buffers.n.max());
            pass.bind("packed", carried).bind("values", values)
        }
        (Load::Index, _) => pass.bind("sources", carried),
        _ => pass,
    };
    prepared.dispatch(out_of_range.bind(pass), groups);
    Ok(())
}

/// Sorts the labels stably, by a split in which the label is the bucket.
fn sort(
    job: &mut SplitPasses<'_>,
    labels: (Buffer, Buffer),
    carried: (Buffer, Buffer),
    value_bytes: u32,
) -> Result<()> {
    let output =
        SplitOutput::Pairs { keys: labels.1, values_in: carried.0, values: carried.1, value_bytes };
    let (n, offsets) = (job.buffers.n, job.buffers.offsets);
    let buffers = SplitBuffers { n, keys: labels.0, output, offsets, out_of_range: None };
    let split = Split::new(KeyType::U32, job.split.buckets, Bucket::Identity);
    let method = method::choose(job.policy, &split);
    let sizes = method::sizes(job.policy, method, &split, &buffers);
    let code = BucketCode::new(job.policy, &split)?;
    let function = Function::declare(job.graph, &code, split.buckets);
    let mut labels = SplitPasses::new(job.graph, job.policy, &split, &buffers, function, sizes);
    rounds::add(&mut labels, method)
}

fn gather(job: &mut SplitPasses<'_>, sources: Buffer) -> Result<()> {
    let groups = groups(job)?;
    let (split, buffers, prepared) = (job.split, job.buffers, job.prepared);
    let kernels = variants::MULTISPLIT_GATHER;
    let pass = job.pass("multisplit.gather", kernels, groups, 1)?.bind("sources", sources);
    prepared.dispatch(bind_elements(pass, split, buffers), groups);
    Ok(())
}

fn groups(job: &mut SplitPasses<'_>) -> Result<Length> {
    job.prepare(|job, lengths, n| lengths.parts(n, EACH * u64::from(job.sizes.threads)))
}
