//! Which method splits, with which sizes.

use super::{Split, SplitBuffers, SplitOutput};
use crate::primitives::{Policy, ScanMethod};

/// How a split is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// What suits the device, the number of buckets and the data.
    Auto,
    /// Direct multisplit: a subproblem a subgroup, no reordering (the paper's DMS).
    Direct,
    /// Warp-level multisplit: tiles are reordered within a subgroup (the paper's WMS).
    Warp,
    /// Block-level multisplit: tiles are reordered across a workgroup (the paper's BMS).
    Block,
    /// One histogram, then a single pass with decoupled look-back.
    OneSweep,
}

/// The sizes of a split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitSizes {
    /// Threads of a workgroup.
    pub threads: u32,
    /// Keys of one thread in a tile (one for `Direct`, whose tile is a window).
    pub items: u32,
    /// Tiles of one subproblem.
    pub parts: u32,
    /// Whether the histogram is counted key by key in shared memory instead of by votes.
    pub count_by_atomics: bool,
    /// How many copies of the counters then exist.
    pub counter_copies: u32,
}

/// ceil(log2 m), at least 1: the ballots a window takes.
pub(super) fn bucket_bits(buckets: u32) -> u32 {
    buckets.next_power_of_two().trailing_zeros().max(1)
}

pub(super) fn choose(policy: &Policy, split: &Split, _buffers: &SplitBuffers) -> Method {
    match split.method {
        Method::Auto if policy.scan == ScanMethod::LookBack => Method::OneSweep,
        Method::Auto => Method::Block,
        method => method,
    }
}

/// H, the matrix of histograms, takes at most this share of the input.
const HISTOGRAM_SHARE: f64 = 0.02;

pub(super) fn sizes(
    policy: &Policy,
    method: Method,
    split: &Split,
    buffers: &SplitBuffers,
) -> SplitSizes {
    let tuned = policy.split;
    let items = match method {
        Method::Direct => 1,
        Method::Warp => tuned.warp_items,
        _ if matches!(buffers.output, SplitOutput::Pairs { .. }) => tuned.pair_items,
        _ => tuned.key_items,
    };
    let threads = threads(policy, method, split, items);
    let tile = match method {
        Method::Direct | Method::Warp => policy.subgroup_size * items,
        _ => threads * items,
    };
    SplitSizes {
        threads,
        items,
        parts: parts(policy, split, tile, items),
        count_by_atomics: split.buckets > tuned.most_buckets_by_votes,
        counter_copies: tuned.counter_copies,
    }
}

/// Tiles of a subproblem: as many as keep H small, and at least so many that a subgroup has
/// something to do.
fn parts(policy: &Policy, split: &Split, tile: u32, items: u32) -> u32 {
    let h_bytes = f64::from(split.buckets * 4);
    let keys = (h_bytes / (HISTOGRAM_SHARE * f64::from(split.key.bytes()))).ceil() as u32;
    let wanted = keys.max(policy.split.least_keys).div_ceil(tile);
    // Some software drivers end every loop after 65,535 rounds in all: a window takes a round
    // for each slot of a lane.
    let slots = (1u32 << bucket_bits(split.buckets)).div_ceil(policy.subgroup_size);
    let most = policy.split.most_loop_rounds / (slots * items.max(1));
    wanted.min(most).max(1)
}

/// As many threads as the policy wants, or as shared memory allows.
fn threads(policy: &Policy, method: Method, split: &Split, items: u32) -> u32 {
    let row = 4u32 << bucket_bits(split.buckets);
    let shared_bytes = |threads: u32| {
        let subgroups = threads / policy.subgroup_size;
        match method {
            Method::Direct => row,
            Method::Warp => row + threads * items * (split.key.bytes() + 4),
            // Counters; splitters, begins, counts, targets, next; the tile; sums.
            _ => row * (subgroups + 5) + threads * items * split.key.bytes() + 4 * subgroups + 64,
        }
    };
    let mut threads = policy.split.threads;
    while shared_bytes(threads) > policy.shared_memory && threads > policy.subgroup_size {
        threads -= policy.subgroup_size;
    }
    threads
}
