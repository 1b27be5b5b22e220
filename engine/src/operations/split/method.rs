//! Chooses the method of a split and its sizes.

use super::buffers::{SplitBuffers, SplitOutput, SplitSizes};
use super::description::{MAX_BUCKETS_OF_ROUND, Split};
use crate::operations::shared::ELEMENTS_PER_THREAD;
use crate::policy::Policy;
use crate::policy::method::Method;
use crate::policy::tile::TileShape;

/// Number of bits of a bucket id: ceil(log2 m), at least 1. This is also the number of ballots per window.
pub(super) fn bucket_bits(buckets: u32) -> u32 {
    buckets.next_power_of_two().trailing_zeros().max(1)
}

/// The method of a split; never `Auto`.
pub(super) fn choose(policy: &Policy, split: &Split) -> Method {
    match split.method {
        // Two rounds would evaluate the user's function more than once per key, at an unknown cost.
        Method::Auto
            if split.buckets > MAX_BUCKETS_OF_ROUND
                && split.bucket.is_user_defined()
                && policy.split.label_user_buckets =>
        {
            Method::ReducedBitSort
        }
        // For a single split, the block-level method is faster than the one-sweep method, for every m
        // (docs/performance.md). Both read the keys twice, but only the one-sweep method looks back.
        Method::Auto if buckets_per_round(split.buckets) <= policy.split.max_buckets_direct => {
            Method::Direct
        }
        Method::Auto => Method::Block,
        method => method,
    }
}

/// Maximum number of buckets of a round. If there are more than [`MAX_BUCKETS_OF_ROUND`] buckets, two rounds split by
/// half of the id bits each.
fn buckets_per_round(buckets: u32) -> u32 {
    match buckets {
        ..=MAX_BUCKETS_OF_ROUND => buckets,
        _ => 1 << bucket_bits(buckets).div_ceil(2),
    }
}

/// Value of `AddedSplit::rounds`.
pub(super) fn rounds(method: Method, split: &Split) -> u32 {
    match method {
        Method::ScanSplit => bucket_bits(split.buckets),
        Method::FullSort => split.key.bytes(),
        _ if split.buckets > MAX_BUCKETS_OF_ROUND => 2,
        _ => 1,
    }
}

/// Target for the size of H (the matrix of histograms) relative to the input: at most 2%, with some room for the last,
/// partial subproblem.
const HISTOGRAM_SHARE: f64 = 0.0195;

/// The sizes of a split by `method`, reduced to fit the device.
pub(super) fn sizes(
    policy: &Policy,
    method: Method,
    split: &Split,
    buffers: &SplitBuffers,
) -> SplitSizes {
    let tuned = &policy.split;
    let class = bucket_bits(buckets_per_round(split.buckets)) as usize - 1;
    let labels = method == Method::Block
        && split.bucket.is_costly(split.key, split.buckets)
        && split.buckets >= tuned.min_buckets_labelled;
    let shape = match method {
        Method::ScanSplit | Method::ReducedBitSort | Method::FullSort => {
            TileShape::new(policy.threads, ELEMENTS_PER_THREAD as u32)
        }
        Method::Direct => TileShape::new(tuned.warp.threads, 1),
        Method::Warp => tuned.warp,
        Method::OneSweep => tuned.onesweep[class],
        _ if matches!(buffers.output, SplitOutput::Pairs { .. }) => tuned.block_pairs[class],
        _ if labels => tuned.labelled_keys[class],
        _ => tuned.block_keys[class],
    };
    let shape = fitted(policy, method, split, shape, labels);
    let threads = shape.threads;
    let tile = match method {
        Method::Direct | Method::Warp => policy.facts.subgroup_size * shape.items,
        _ => threads * shape.items,
    };
    let element_bytes = split.key.bytes() + buffers.output.value_bytes().unwrap_or(0);
    let rounds = rounds_of_tile(policy, method, split, shape);
    let tuned_keys = match (method, buffers.output) {
        (Method::Block, SplitOutput::Keys(_)) => {
            let strips = if labels { &tuned.labelled_strips } else { &tuned.block_strips };
            let max_keys = buffers.n.max() / u64::from(tuned.min_subproblems);
            strips[class].min(u32::try_from(max_keys).unwrap_or(u32::MAX))
        }
        _ => 0,
    };
    let parts = match method {
        Method::OneSweep => 1,
        _ => parts(policy, split, element_bytes, [tile, rounds, tuned_keys]),
    };
    SplitSizes {
        threads,
        items: shape.items,
        turns: shape.turns,
        parts,
        count_by_atomics: split.buckets > tuned.max_buckets_by_ballots,
        counter_copies: tuned.counter_copies,
        labels,
    }
}

/// Maximum number of keys per subproblem. Kernels index keys with 32 bits.
const MAX_KEYS: u32 = 1 << 30;

/// Number of loop iterations that a kernel takes for one tile. A window (one key per lane) takes one iteration for each
/// bucket of a lane. In the block-level method, each thread also iterates over its keys and buckets several times.
fn rounds_of_tile(policy: &Policy, method: Method, split: &Split, shape: TileShape) -> u32 {
    let buckets = 1u32 << bucket_bits(buckets_per_round(split.buckets));
    let windows = buckets.div_ceil(policy.facts.subgroup_size) * shape.items.max(1);
    match method {
        Method::Block => windows.max(4 * (1 + shape.items + buckets.div_ceil(shape.threads))),
        _ => windows,
    }
}

/// Number of tiles per subproblem: enough to keep H small, and for at least `min_keys` and `tuned_keys` keys, but
/// within the loop limit.
fn parts(
    policy: &Policy,
    split: &Split,
    element_bytes: u32,
    [tile, rounds, tuned_keys]: [u32; 3],
) -> u32 {
    let h_bytes = f64::from(split.buckets * 4);
    let keys = (h_bytes / (HISTOGRAM_SHARE * f64::from(element_bytes))).ceil() as u32;
    let tiles = keys.max(policy.split.min_keys).max(tuned_keys).min(MAX_KEYS).div_ceil(tile);
    // Some software drivers end every loop once all loops of an invocation have taken 65,535 iterations.
    tiles.min(policy.facts.max_loop_rounds / rounds).max(1)
}

/// Shared memory for bucket borders (`bucket_borders.glsl`): one word for every 16 positions of a tile.
fn border_bytes(shape: TileShape) -> u32 {
    shape.tile().div_ceil(16) * 4
}

/// Reduces the tile until it fits in shared memory.
fn fitted(
    policy: &Policy,
    method: Method,
    split: &Split,
    shape: TileShape,
    labels: bool,
) -> TileShape {
    let bits = bucket_bits(buckets_per_round(split.buckets));
    let cells = split.bucket.cells(policy, split.key, split.buckets);
    let splitters = (split.key.bytes() << bits) + 4 * cells;
    match method {
        Method::Direct | Method::ScanSplit | Method::ReducedBitSort | Method::FullSort => {
            shape.of_subgroups(&policy.facts)
        }
        Method::Warp => {
            let size = policy.facts.subgroup_size;
            let bytes = |threads: u32| splitters + threads * shape.items * (split.key.bytes() + 4);
            let mut threads = shape.of_subgroups(&policy.facts).threads;
            while bytes(threads) > policy.facts.shared_memory && threads > size {
                threads -= size;
            }
            TileShape { threads, ..shape }
        }
        // If labels are used, no kernel keeps both a tile and splitters in shared memory.
        _ if labels => policy.fit_tile(shape, bits, split.key.bytes(), border_bytes),
        _ => policy.fit_tile(shape, bits, split.key.bytes(), |_| splitters),
    }
}
