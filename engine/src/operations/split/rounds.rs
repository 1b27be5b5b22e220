//! Rounds of a split: with the three stages of the paper, or in one sweep.

use multisplit_graph::Buffer;
use multisplit_shaders::builtin::variants::{
    MULTISPLIT_BLOCK_POSTSCAN as BLOCK_POSTSCAN,
    MULTISPLIT_BLOCK_POSTSCAN_LABELS as LABELLED_POSTSCAN,
    MULTISPLIT_BLOCK_PRESCAN as BLOCK_PRESCAN,
    MULTISPLIT_BLOCK_PRESCAN_LABELS as LABELLING_PRESCAN,
    MULTISPLIT_DIRECT_POSTSCAN as DIRECT_POSTSCAN, MULTISPLIT_HISTOGRAM, MULTISPLIT_ONESWEEP,
    MULTISPLIT_SIDE_BY_SIDE_PRESCAN as SIDE_BY_SIDE_PRESCAN,
    MULTISPLIT_SUBGROUP_PRESCAN as SUBGROUP_PRESCAN, MULTISPLIT_WARP_POSTSCAN as WARP_POSTSCAN,
};

use super::chain::Chain;
use super::description::{MAX_BUCKETS_OF_ROUND, Split};
use super::method::{bucket_bits, sizes};
use super::parameters::{SplitPasses, bind_output, variant};
use crate::error::Result;
use crate::operations::scan::ScanPlan;
use crate::operations::shared::{ALIGNMENT, Filling, Length, WORD, max_single_group_elements};
use crate::policy::method::Method;

/// Maximum number of buckets of the side-by-side prescan. Its kernel counts only the keys of the second bucket; all
/// other keys belong to the first.
const MAX_BUCKETS_SIDE_BY_SIDE: u32 = 2;
/// Maximum number of keys per workgroup of the side-by-side prescan. Its kernel computes 32-bit indices that may exceed
/// the number of keys by up to this many.
const MAX_KEYS_SIDE_BY_SIDE: u64 = 1 << 28;
/// Number of labels per word: the bucket ids of four keys of a thread, one byte each.
const LABELS_OF_WORD: u32 = 4;
/// Number of words that precede the tile states of a sweep: the ticket counter and its padding.
const STATUS_HEAD: u64 = 4;

/// Adds the passes of a split by the direct, warp-level, block-level or one-sweep method.
pub(super) fn add(passes: &mut SplitPasses<'_>, method: Method) -> Result<()> {
    match method {
        _ if passes.split.buckets > MAX_BUCKETS_OF_ROUND => two_rounds(passes, method),
        Method::OneSweep => one_sweep(passes),
        _ => stages(passes, method),
    }
}

/// Adds a split into more buckets than one round supports: first by the lower half of the id bits, then by the upper
/// half. Both rounds are stable, so the second round keeps the order of the first within its buckets. Each round
/// evaluates the bucket function again.
fn two_rounds(passes: &mut SplitPasses<'_>, method: Method) -> Result<()> {
    let policy = passes.policy;
    // Both rounds have half of the id bits, because the time of a round grows faster than its number of id bits.
    let low_bits = bucket_bits(passes.split.buckets) / 2;
    let parts = [(0, 1 << low_bits), (low_bits, passes.split.buckets.div_ceil(1 << low_bits))];
    let chain = Chain::new(passes, parts.len() as u32)?;
    for (buffers, (shift, buckets)) in chain.rounds.iter().zip(parts) {
        let split = Split { buckets, ..passes.split.clone() };
        let mut round = passes.with(&split, buffers, sizes(policy, method, &split, buffers));
        round.part_shift = Some(shift);
        add(&mut round, method)?;
    }
    chain.finish(passes)
}

/// Adds the three stages of the paper: prescan (computes a histogram per subproblem), scan (of the histograms, bucket
/// by bucket), and postscan (moves every key to its destination).
fn stages(passes: &mut SplitPasses<'_>, method: Method) -> Result<()> {
    // In the direct and warp-level methods, each subgroup has its own subproblem. They share a prescan, which counts
    // the keys of one window (one key per lane) at a time.
    let (prescan, postscan, threads_of_subproblem, windows_of_tile) = match method {
        Method::Direct => (SUBGROUP_PRESCAN, DIRECT_POSTSCAN, passes.policy.facts.subgroup_size, 1),
        Method::Warp => {
            (SUBGROUP_PRESCAN, WARP_POSTSCAN, passes.policy.facts.subgroup_size, passes.sizes.items)
        }
        _ if passes.sizes.labels => (LABELLING_PRESCAN, LABELLED_POSTSCAN, passes.sizes.threads, 1),
        _ => (BLOCK_PRESCAN, BLOCK_POSTSCAN, passes.sizes.threads, 1),
    };
    let tile = u64::from(threads_of_subproblem * passes.sizes.items);
    let parts = u64::from(passes.sizes.parts);
    let windows = parts * u64::from(windows_of_tile);
    passes.side_by_side = match method {
        Method::Block if !passes.sizes.labels => side_by_side(passes),
        _ => None,
    };
    let DerivedLengths { subproblems, groups, blocks, scan, entries } =
        passes.prepare(|passes, lengths, n| {
            // At least one subproblem, even if the input is empty, because the first subproblem writes the offsets.
            let subproblems = lengths.at_least_one_part(n, tile * parts)?;
            let of_group = passes.sizes.threads / threads_of_subproblem;
            let groups = lengths.parts(subproblems, of_group.into())?;
            let blocks = match passes.side_by_side {
                Some(side_by_side) => lengths.parts(subproblems, side_by_side.into())?,
                None => subproblems,
            };
            let entries = lengths.scaled(blocks, u64::from(passes.split.buckets), 0)?;
            let scan = ScanPlan::of_words(passes.policy, lengths, entries)?;
            Ok(DerivedLengths { subproblems, groups, blocks, scan, entries: entries.max })
        })?;

    let histogram = passes.graph.transient::<u32>("multisplit.histogram", entries);
    let scanned = passes.graph.transient::<u32>("multisplit.scanned", entries);
    let (prepared, out_of_range) = (passes.prepared, passes.out_of_range);
    let label = "multisplit.prescan";
    let labels = passes.sizes.labels.then(|| declare_labels(passes, subproblems));
    let inside = if let Some(side_by_side) = passes.side_by_side {
        let words = subproblems.max * u64::from(passes.split.buckets);
        let inside = passes.graph.transient::<u32>("multisplit.inside", words);
        let threads = side_by_side * passes.sizes.threads;
        let pass = passes.pass_of(label, SIDE_BY_SIDE_PRESCAN, threads, subproblems, windows)?;
        let pass = pass.bind("histogram", histogram).bind("inside_block", inside);
        prepared.dispatch(out_of_range.bind(pass), blocks);
        inside
    } else if let Some(labels) = labels {
        let chunks = parts * u64::from(passes.sizes.threads / passes.policy.facts.subgroup_size);
        let pass = passes.pass(label, prescan, subproblems, chunks)?;
        let pass = pass.bind("histogram", histogram).bind("labels", labels);
        prepared.dispatch(out_of_range.bind(pass), groups);
        scanned
    } else {
        let pass = passes.pass(label, prescan, subproblems, windows)?.bind("histogram", histogram);
        prepared.dispatch(out_of_range.bind(pass), groups);
        scanned // placeholder: the postscan reads it only after a side-by-side prescan
    };

    scan.add(passes.graph, passes.policy, prepared, histogram, scanned)?;

    let (split, buffers) = (passes.split, passes.buffers);
    let kernels = variant(&buffers.output, postscan);
    let pass = passes.pass("multisplit.postscan", kernels, subproblems, parts)?;
    let mut pass = pass.bind("scanned", scanned);
    if let Some(labels) = labels {
        pass = pass.bind("labels", labels);
    }
    // Only the kernels of the block-level method have this binding.
    let pass = if method == Method::Block { pass.bind("inside_block", inside) } else { pass };
    prepared.dispatch(bind_output(pass, split, buffers), groups);
    Ok(())
}

/// Declares the labels, in the layout of `labels.glsl`: one byte per key. The labels of each thread are padded to
/// whole words, and the last subproblem is padded to full size.
fn declare_labels(passes: &mut SplitPasses<'_>, subproblems: Length) -> Buffer {
    let of_thread = passes.sizes.items.div_ceil(LABELS_OF_WORD);
    let of_subproblem = u64::from(passes.sizes.parts * passes.sizes.threads * of_thread);
    passes.graph.transient::<u32>("multisplit.labels", subproblems.max * of_subproblem)
}

/// Number of subproblems that one prescan workgroup of the block-level method counts side by side, which shortens the
/// scan. `None` unless there are at most two buckets (which are counted in registers) and a single workgroup can scan
/// all histograms.
fn side_by_side(passes: &SplitPasses<'_>) -> Option<u32> {
    let side_by_side = passes
        .policy
        .split
        .side_by_side
        .min(passes.policy.facts.max_threads / passes.sizes.threads);
    let keys = u64::from(passes.sizes.keys_of_block_subproblem()) * u64::from(side_by_side.max(1));
    let entries = passes.n.max.div_ceil(keys) * u64::from(passes.split.buckets);
    let is_small = passes.split.buckets <= MAX_BUCKETS_SIDE_BY_SIDE
        && entries <= max_single_group_elements(passes.policy);
    (is_small && side_by_side > 1 && keys <= MAX_KEYS_SIDE_BY_SIDE).then_some(side_by_side)
}

/// Lengths that are derived from the number of elements, and the scan that depends on them.
struct DerivedLengths {
    subproblems: Length,
    groups: Length,
    /// Number of histograms to scan: one per subproblem, or one per group of subproblems that are counted side by side.
    blocks: Length,
    scan: ScanPlan<'static>,
    /// Maximum number of words of all histograms.
    entries: u64,
}

/// Adds the one-sweep method, which is not in the paper: one pass computes a histogram of the whole input, and a
/// second pass ranks each tile, finds its offsets by look-back, and writes its elements.
fn one_sweep(passes: &mut SplitPasses<'_>) -> Result<()> {
    let tile = u64::from(passes.sizes.threads * passes.sizes.items);
    let m = u64::from(passes.split.buckets);
    // Each key takes one loop iteration, and the search for its bucket up to eight more.
    let tiles = passes.policy.facts.max_loop_rounds / (9 * passes.sizes.items).max(1);
    let parts = u64::from(passes.policy.split.histogram_parts.min(tiles).max(1));
    // The counts and the tile states share a buffer, so that one pass clears both.
    let words = m.next_multiple_of(ALIGNMENT / WORD);
    let (tiles, blocks, clear) = passes.prepare(|passes, lengths, n| {
        // At least one tile, even if the input is empty, because the first tile writes the offsets.
        let tiles = lengths.at_least_one_part(n, tile)?;
        let blocks = lengths.parts(n, tile * parts)?;
        let cleared = lengths.scaled(tiles, m, words + STATUS_HEAD)?;
        Ok((tiles, blocks, Filling::plan(passes.policy, lengths, cleared)?))
    })?;
    let (prepared, out_of_range) = (passes.prepared, passes.out_of_range);
    let status_words = STATUS_HEAD + tiles.max * m;
    let counts_and_status =
        passes.graph.transient::<u32>("multisplit.status", words + status_words);
    clear.add(passes.graph, passes.policy, prepared, "multisplit.clear", counts_and_status, 0)?;
    let histogram = counts_and_status.elements::<u32>(0, m);
    let status = counts_and_status.elements::<u32>(words, status_words);

    let pass = passes.pass("multisplit.histogram", MULTISPLIT_HISTOGRAM, blocks, parts)?;
    let pass = pass.bind("histogram", histogram);
    prepared.dispatch(out_of_range.bind(pass), blocks);

    let (split, buffers) = (passes.split, passes.buffers);
    let kernels = variant(&buffers.output, MULTISPLIT_ONESWEEP);
    let pass = passes.pass("multisplit.onesweep", kernels, tiles, 1)?;
    let pass = pass.bind("histogram", histogram).bind("status", status);
    prepared.dispatch(bind_output(pass, split, buffers), tiles);
    Ok(())
}
