//! The reduced-bit sort, a baseline of the paper. It writes the bucket of each key as a label and sorts the labels
//! by their ceil(log2 m) bits. Keys are moved as the values of their labels. Pairs are packed into one value if
//! they fit; otherwise the sort moves indices, and a last pass gathers the elements.
//!
//! The bucket function is evaluated once per key.

use multisplit_graph::Buffer;
use multisplit_shaders::builtin::{self as kernels, variants};

use super::chain::{EACH, each};
use super::job::bind_elements;
use super::job::{SplitPasses, bind_out_of_range};
use super::{Bucket, Kernels, KeyType, Method, Split, SplitBuffers, SplitOutput};
use crate::error::Result;

/// Only pairs of 32-bit keys are packed.
static LABELS_PACKED: Kernels = [&kernels::MULTISPLIT_LABELS_PACKED; 2];

/// Value that the sort moves with each label.
enum Load {
    Key,
    Pair,
    Index,
}

pub(super) fn add(job: &mut SplitPasses<'_>) -> Result<()> {
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
    match (load, job.buffers.output) {
        (Load::Pair, SplitOutput::Pairs { keys, values, .. }) => {
            let bound = [("packed", carried.1), ("keys_out", keys), ("values_out", values)];
            each(
                job.graph,
                job.policy,
                &kernels::MULTISPLIT_UNPACK,
                (job.buffers.n, job.buffers.keys),
                &bound,
            )
        }
        (Load::Index, SplitOutput::Permutation(words)) => {
            let bound = [("sources", carried.1), ("permutation", words)];
            each(
                job.graph,
                job.policy,
                &kernels::MULTISPLIT_INVERT,
                (job.buffers.n, job.buffers.keys),
                &bound,
            )
        }
        (Load::Index, _) => gather(job, carried.1),
        _ => Ok(()),
    }
}

/// Writes the labels, and their values unless these are the input keys.
fn label(job: &mut SplitPasses<'_>, load: &Load, labels: Buffer, carried: Buffer) -> Result<()> {
    let kernels = match load {
        Load::Key => variants::MULTISPLIT_LABELS,
        Load::Pair => LABELS_PACKED,
        Load::Index => variants::MULTISPLIT_LABELS_INDEX,
    };
    let groups = groups(job)?;
    let (out_of_range, counted) = (job.out_of_range, job.buffers.out_of_range.is_some());
    let (buffers, prepared) = (job.buffers, job.prepared);
    let pass = job.pass("multisplit.labels", kernels, groups, 1)?.bind("labels", labels);
    let pass = match (load, buffers.output) {
        (Load::Pair, SplitOutput::Pairs { values_in, .. }) => {
            let values = values_in.elements::<u32>(0, buffers.n.max());
            pass.bind("packed", carried).bind("values", values)
        }
        (Load::Index, _) => pass.bind("sources", carried),
        _ => pass,
    };
    prepared.dispatch(bind_out_of_range(pass, out_of_range, counted), groups);
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
    let split = Split::new(KeyType::U32, job.split.buckets, Bucket::Identity).by(Method::Auto);
    super::passes::add(job.graph, job.policy, &split, &buffers)?;
    Ok(())
}

fn gather(job: &mut SplitPasses<'_>, sources: Buffer) -> Result<()> {
    let groups = groups(job)?;
    let (split, buffers, prepared) = (job.split, job.buffers, job.prepared);
    let kernels = variants::MULTISPLIT_GATHER;
    let pass = job.pass("multisplit.gather", kernels, groups, 1)?.bind("sources", sources);
    prepared.dispatch(bind_elements(pass, split, buffers), groups);
    Ok(())
}

fn groups(job: &mut SplitPasses<'_>) -> Result<crate::operations::shared::count::Length> {
    job.prepare(|job, lengths, n| lengths.parts(n, EACH * u64::from(job.sizes.threads)))
}
