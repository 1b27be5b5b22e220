//! The paper's three stages: prescan (a histogram a subproblem), scan (of the histograms, bucket
//! by bucket), postscan (every key to its place).

use multisplit_shaders::builtin as kernels;

use super::{Job, Kernels, Method, bind_output, bind_outside, variant};
use crate::error::Result;
use crate::primitives::count::Length;
use crate::primitives::scan::Scan;

const SUBGROUP_PRESCAN: Kernels =
    [&kernels::MULTISPLIT_SUBGROUP_PRESCAN, &kernels::MULTISPLIT_SUBGROUP_PRESCAN_KEY64];
const BLOCK_PRESCAN: Kernels =
    [&kernels::MULTISPLIT_BLOCK_PRESCAN, &kernels::MULTISPLIT_BLOCK_PRESCAN_KEY64];
const DIRECT_POSTSCAN: [Kernels; 3] = [
    [&kernels::MULTISPLIT_DIRECT_POSTSCAN_KEYS, &kernels::MULTISPLIT_DIRECT_POSTSCAN_KEYS_KEY64],
    [&kernels::MULTISPLIT_DIRECT_POSTSCAN_PAIRS, &kernels::MULTISPLIT_DIRECT_POSTSCAN_PAIRS_KEY64],
    [
        &kernels::MULTISPLIT_DIRECT_POSTSCAN_PERMUTATION,
        &kernels::MULTISPLIT_DIRECT_POSTSCAN_PERMUTATION_KEY64,
    ],
];
const WARP_POSTSCAN: [Kernels; 3] = [
    [&kernels::MULTISPLIT_WARP_POSTSCAN_KEYS, &kernels::MULTISPLIT_WARP_POSTSCAN_KEYS_KEY64],
    [&kernels::MULTISPLIT_WARP_POSTSCAN_PAIRS, &kernels::MULTISPLIT_WARP_POSTSCAN_PAIRS_KEY64],
    [
        &kernels::MULTISPLIT_WARP_POSTSCAN_PERMUTATION,
        &kernels::MULTISPLIT_WARP_POSTSCAN_PERMUTATION_KEY64,
    ],
];
const BLOCK_POSTSCAN: [Kernels; 3] = [
    [&kernels::MULTISPLIT_BLOCK_POSTSCAN_KEYS, &kernels::MULTISPLIT_BLOCK_POSTSCAN_KEYS_KEY64],
    [&kernels::MULTISPLIT_BLOCK_POSTSCAN_PAIRS, &kernels::MULTISPLIT_BLOCK_POSTSCAN_PAIRS_KEY64],
    [
        &kernels::MULTISPLIT_BLOCK_POSTSCAN_PERMUTATION,
        &kernels::MULTISPLIT_BLOCK_POSTSCAN_PERMUTATION_KEY64,
    ],
];

pub(super) fn add(job: &mut Job<'_>, method: Method) -> Result<()> {
    // Direct and warp level have a subproblem a subgroup, and share their prescan, which counts
    // in windows.
    let (prescan, postscan, threads_of_subproblem, windows_of_tile) = match method {
        Method::Direct => (SUBGROUP_PRESCAN, DIRECT_POSTSCAN, job.policy.subgroup_size, 1),
        Method::Warp => {
            (SUBGROUP_PRESCAN, WARP_POSTSCAN, job.policy.subgroup_size, job.sizes.items)
        }
        _ => (BLOCK_PRESCAN, BLOCK_POSTSCAN, job.sizes.threads, 1),
    };
    let tile = u64::from(threads_of_subproblem * job.sizes.items);
    let parts = u64::from(job.sizes.parts);
    let windows = parts * u64::from(windows_of_tile);
    let Follows { subproblems, groups, scan, entries } = job.prepare(|job, lengths, n| {
        // At least one, even if it is empty: the first one writes the offsets.
        let subproblems = lengths.some_parts(n, tile * parts)?;
        let of_group = u64::from(job.sizes.threads / threads_of_subproblem);
        let groups = lengths.parts(subproblems, of_group)?;
        let entries = lengths.scaled(subproblems, u64::from(job.split.buckets), 0)?;
        let scan = Scan::plan(job.policy, lengths, entries)?;
        Ok(Follows { subproblems, groups, scan, entries: entries.most })
    })?;

    let histogram = job.graph.transient::<u32>("multisplit.histogram", entries);
    let scanned = job.graph.transient::<u32>("multisplit.scanned", entries);
    let (outside, counted) = (job.outside, job.buffers.outside.is_some());
    let prepared = job.prepared;
    let pass = job.pass("multisplit.prescan", prescan, subproblems, windows)?;
    let pass = pass.bind("histogram", histogram);
    prepared.dispatch(bind_outside(pass, outside, counted), groups);

    scan.add(job.graph, job.policy, prepared, histogram, scanned)?;

    let (split, buffers) = (job.split, job.buffers);
    let kernels = variant(&buffers.output, postscan);
    let pass = job.pass("multisplit.postscan", kernels, subproblems, parts)?;
    prepared.dispatch(bind_output(pass.bind("scanned", scanned), split, buffers), groups);
    Ok(())
}

/// What follows from the number of elements.
struct Follows {
    subproblems: Length,
    groups: Length,
    /// Of the histograms.
    scan: Scan,
    /// Most words of all histograms.
    entries: u64,
}
