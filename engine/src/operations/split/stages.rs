//! The paper's three stages: prescan (one histogram per subproblem), scan (of the histograms, bucket by bucket),
//! postscan (moves every key to its destination).

use multisplit_graph::Buffer;
use multisplit_shaders::builtin::variants::{
    MULTISPLIT_BLOCK_POSTSCAN as BLOCK_POSTSCAN,
    MULTISPLIT_BLOCK_POSTSCAN_LABELS as LABELLED_POSTSCAN,
    MULTISPLIT_BLOCK_PRESCAN as BLOCK_PRESCAN,
    MULTISPLIT_BLOCK_PRESCAN_LABELS as LABELLING_PRESCAN,
    MULTISPLIT_DIRECT_POSTSCAN as DIRECT_POSTSCAN,
    MULTISPLIT_SIDE_BY_SIDE_PRESCAN as SIDE_BY_SIDE_PRESCAN,
    MULTISPLIT_SUBGROUP_PRESCAN as SUBGROUP_PRESCAN, MULTISPLIT_WARP_POSTSCAN as WARP_POSTSCAN,
};

use super::Method;
use super::job::{SplitPasses, bind_out_of_range, bind_output, variant};
use crate::error::Result;
use crate::operations::scan::{ScanPlan, max_single_group_elements};
use crate::operations::shared::count::Length;

/// The side-by-side prescan counts only the keys of the second bucket.
const MAX_BUCKETS_SIDE_BY_SIDE: u32 = 2;
/// The side-by-side prescan computes key indices up to one block past the end, in 32 bits.
const MAX_KEYS_SIDE_BY_SIDE: u64 = 1 << 28;
/// Labels per word: the buckets of four keys of a thread.
const LABELS_OF_WORD: u32 = 4;

pub(super) fn add(job: &mut SplitPasses<'_>, method: Method) -> Result<()> {
    // The direct and warp-level methods have one subproblem per subgroup. They share a prescan, which counts by
    // windows.
    let (prescan, postscan, threads_of_subproblem, windows_of_tile) = match method {
        Method::Direct => (SUBGROUP_PRESCAN, DIRECT_POSTSCAN, job.policy.facts.subgroup_size, 1),
        Method::Warp => {
            (SUBGROUP_PRESCAN, WARP_POSTSCAN, job.policy.facts.subgroup_size, job.sizes.items)
        }
        _ if job.sizes.labels => (LABELLING_PRESCAN, LABELLED_POSTSCAN, job.sizes.threads, 1),
        _ => (BLOCK_PRESCAN, BLOCK_POSTSCAN, job.sizes.threads, 1),
    };
    let tile = u64::from(threads_of_subproblem * job.sizes.items);
    let parts = u64::from(job.sizes.parts);
    let windows = parts * u64::from(windows_of_tile);
    job.side_by_side = match method {
        Method::Block if !job.sizes.labels => side_by_side(job),
        _ => None,
    };
    let Follows { subproblems, groups, blocks, scan, entries } =
        job.prepare(|job, lengths, n| {
            // At least one subproblem, even if it is empty: the first one writes the offsets.
            let subproblems = lengths.some_parts(n, tile * parts)?;
            let of_group = job.sizes.threads / threads_of_subproblem;
            let groups = lengths.parts(subproblems, of_group.into())?;
            let blocks = match job.side_by_side {
                Some(side_by_side) => lengths.parts(subproblems, side_by_side.into())?,
                None => subproblems,
            };
            let entries = lengths.scaled(blocks, u64::from(job.split.buckets), 0)?;
            let scan = ScanPlan::of_words(job.policy, lengths, entries)?;
            Ok(Follows { subproblems, groups, blocks, scan, entries: entries.max })
        })?;

    let histogram = job.graph.transient::<u32>("multisplit.histogram", entries);
    let scanned = job.graph.transient::<u32>("multisplit.scanned", entries);
    let (out_of_range, counted) = (job.out_of_range, job.buffers.out_of_range.is_some());
    let prepared = job.prepared;
    let label = "multisplit.prescan";
    let labels = job.sizes.labels.then(|| declare_labels(job, subproblems));
    let inside = if let Some(side_by_side) = job.side_by_side {
        let words = subproblems.max * u64::from(job.split.buckets);
        let inside = job.graph.transient::<u32>("multisplit.inside", words);
        let threads = side_by_side * job.sizes.threads;
        let pass = job.pass_of(label, SIDE_BY_SIDE_PRESCAN, threads, subproblems, windows)?;
        let pass = pass.bind("histogram", histogram).bind("inside_block", inside);
        prepared.dispatch(bind_out_of_range(pass, out_of_range, counted), blocks);
        inside
    } else if let Some(labels) = labels {
        let chunks = parts * u64::from(job.sizes.threads / job.policy.facts.subgroup_size);
        let pass = job.pass(label, prescan, subproblems, chunks)?;
        let pass = pass.bind("histogram", histogram).bind("labels", labels);
        prepared.dispatch(bind_out_of_range(pass, out_of_range, counted), groups);
        scanned
    } else {
        let pass = job.pass(label, prescan, subproblems, windows)?.bind("histogram", histogram);
        prepared.dispatch(bind_out_of_range(pass, out_of_range, counted), groups);
        scanned // placeholder: the postscan reads it only after a side-by-side prescan
    };

    scan.add(job.graph, job.policy, prepared, histogram, scanned)?;

    let (split, buffers) = (job.split, job.buffers);
    let kernels = variant(&buffers.output, postscan);
    let pass = job.pass("multisplit.postscan", kernels, subproblems, parts)?;
    let mut pass = pass.bind("scanned", scanned);
    if let Some(labels) = labels {
        pass = pass.bind("labels", labels);
    }
    // Only the block-level kernels have this binding.
    let pass = if method == Method::Block { pass.bind("inside_block", inside) } else { pass };
    prepared.dispatch(bind_output(pass, split, buffers), groups);
    Ok(())
}

/// Declares the labels in the layout of `labels.glsl`: one byte per key, with each thread's labels padded to whole
/// words and the last subproblem padded to full size.
fn declare_labels(job: &mut SplitPasses<'_>, subproblems: Length) -> Buffer {
    let of_thread = job.sizes.items.div_ceil(LABELS_OF_WORD);
    let of_subproblem = u64::from(job.sizes.parts * job.sizes.threads * of_thread);
    job.graph.transient::<u32>("multisplit.labels", subproblems.max * of_subproblem)
}

/// Number of subproblems that one prescan workgroup of the block-level method counts side by side, to shorten the
/// scan. `None` unless there are at most two buckets, which are counted in registers, and a single workgroup can
/// scan all histograms.
fn side_by_side(job: &SplitPasses<'_>) -> Option<u32> {
    let side_by_side =
        job.policy.split.side_by_side.min(job.policy.facts.max_threads / job.sizes.threads);
    let keys = u64::from(job.sizes.keys_of_block_subproblem()) * u64::from(side_by_side.max(1));
    let entries = job.n.max.div_ceil(keys) * u64::from(job.split.buckets);
    let is_small = job.split.buckets <= MAX_BUCKETS_SIDE_BY_SIDE
        && entries <= max_single_group_elements(job.policy);
    (is_small && side_by_side > 1 && keys <= MAX_KEYS_SIDE_BY_SIDE).then_some(side_by_side)
}

/// Lengths and plans that depend on the number of elements.
struct Follows {
    subproblems: Length,
    groups: Length,
    /// Histograms to scan: one per subproblem, or one per group of subproblems counted side by side.
    blocks: Length,
    /// Scan of the histograms.
    scan: ScanPlan<'static>,
    /// Maximum number of words of all histograms.
    entries: u64,
}
