//! Which method splits, with which sizes.

use super::chain::EACH;
use super::{MAX_BUCKETS_OF_ROUND, Method, Split, SplitBuffers, SplitOutput, TileShape};
use crate::primitives::Policy;

/// The sizes of a split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitSizes {
    /// Threads of a workgroup.
    pub threads: u32,
    /// Keys of one thread in a tile (one for `Direct`, whose tile is a window).
    pub items: u32,
    /// In how many turns a tile goes through shared memory.
    pub turns: u32,
    /// Tiles of one subproblem.
    pub parts: u32,
    /// Whether the histogram is counted key by key in shared memory instead of by ballots.
    pub count_by_atomics: bool,
    /// How many copies of the counters then exist.
    pub counter_copies: u32,
    /// Whether the prescan writes down the bucket of each key, for the postscan to read.
    pub labels: bool,
}

impl SplitSizes {
    /// Keys of a subproblem of the block-level method, whose tiles are those of a workgroup.
    pub(super) fn keys_of_block_subproblem(&self) -> u32 {
        self.threads * self.items * self.parts
    }
}

/// ceil(log2 m), at least 1: the ballots a window takes.
pub(super) fn bucket_bits(buckets: u32) -> u32 {
    buckets.next_power_of_two().trailing_zeros().max(1)
}

pub(super) fn choose(policy: &Policy, split: &Split) -> Method {
    match split.method {
        // Two rounds would evaluate it five times or more; who knows what it costs.
        Method::Auto
            if split.buckets > MAX_BUCKETS_OF_ROUND
                && split.bucket.is_users()
                && policy.split.label_user_buckets =>
        {
            Method::ReducedBitSort
        }
        // For a single split the block-level method is ahead of the one-sweep method at every m
        // (docs/performance.md): both read the keys twice, and it need not look back.
        Method::Auto if of_round(split.buckets) <= policy.split.max_buckets_direct => {
            Method::Direct
        }
        Method::Auto => Method::Block,
        method => method,
    }
}

/// Buckets of one round, of two that have about as many each.
fn of_round(buckets: u32) -> u32 {
    match buckets {
        ..=MAX_BUCKETS_OF_ROUND => buckets,
        _ => 1 << bucket_bits(buckets).div_ceil(2),
    }
}

/// How many times each element is moved.
pub(super) fn rounds(method: Method, split: &Split) -> u32 {
    match method {
        Method::ScanSplit => bucket_bits(split.buckets),
        Method::FullSort => split.key.bytes(),
        _ if split.buckets > MAX_BUCKETS_OF_ROUND => 2,
        _ => 1,
    }
}

/// H, the matrix of histograms, takes at most this share of the input: two hundredths, less what
/// the last, partial subproblem can add.
const HISTOGRAM_SHARE: f64 = 0.0195;

pub(super) fn sizes(
    policy: &Policy,
    method: Method,
    split: &Split,
    buffers: &SplitBuffers,
) -> SplitSizes {
    let tuned = &policy.split;
    let class = bucket_bits(of_round(split.buckets)) as usize - 1;
    let labels = method == Method::Block
        && split.bucket.is_costly(split.key, split.buckets)
        && split.buckets >= tuned.min_buckets_labelled;
    let shape = match method {
        Method::ScanSplit | Method::ReducedBitSort | Method::FullSort => {
            TileShape::new(policy.threads, EACH as u32)
        }
        Method::Direct => TileShape::new(tuned.warp.threads, 1),
        Method::Warp => tuned.warp,
        Method::OneSweep => tuned.onesweep[class],
        _ if matches!(buffers.output, SplitOutput::Pairs { .. }) => tuned.block_pairs[class],
        _ if labels => tuned.labelled_keys[class],
        _ => tuned.block_keys[class],
    };
    let shape = within(policy, method, split, shape, labels);
    let threads = shape.threads;
    let tile = match method {
        Method::Direct | Method::Warp => policy.facts.subgroup_size * shape.items,
        _ => threads * shape.items,
    };
    let element_bytes = split.key.bytes()
        + match buffers.output {
            SplitOutput::Pairs { value_bytes, .. } => value_bytes,
            _ => 0,
        };
    let rounds = rounds_of_tile(policy, method, split, shape);
    let strip = match (method, buffers.output) {
        (Method::Block, SplitOutput::Keys(_)) => {
            let strips = if labels { &tuned.labelled_strips } else { &tuned.block_strips };
            let share = buffers.n.max() / u64::from(tuned.min_subproblems);
            strips[class].min(u32::try_from(share).unwrap_or(u32::MAX))
        }
        _ => 0,
    };
    let parts = match method {
        Method::OneSweep => 1,
        _ => parts(policy, split, element_bytes, [tile, rounds, strip]),
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

/// Of a subproblem: kernels number keys in 32 bits.
const MAX_KEYS: u32 = 1 << 30;

/// Rounds that all loops of a kernel take for a tile. A window takes one for each slot of a lane; in
/// the block-level method, moreover, a thread goes through its buckets four times.
fn rounds_of_tile(policy: &Policy, method: Method, split: &Split, shape: TileShape) -> u32 {
    let buckets = 1u32 << bucket_bits(of_round(split.buckets));
    let windows = buckets.div_ceil(policy.facts.subgroup_size) * shape.items.max(1);
    match method {
        Method::Block => windows.max(4 * (1 + shape.items + buckets.div_ceil(shape.threads))),
        _ => windows,
    }
}

/// Tiles of a subproblem: as many as keep H small, and at least so many that a subgroup has
/// something to do.
fn parts(
    policy: &Policy,
    split: &Split,
    element_bytes: u32,
    [tile, rounds, strip]: [u32; 3],
) -> u32 {
    let h_bytes = f64::from(split.buckets * 4);
    let keys = (h_bytes / (HISTOGRAM_SHARE * f64::from(element_bytes))).ceil() as u32;
    let wanted = keys.max(policy.split.min_keys).max(strip).min(MAX_KEYS).div_ceil(tile);
    // Some software drivers end every loop after 65,535 rounds of all loops.
    wanted.min(policy.facts.max_loop_rounds / rounds).max(1)
}

/// Shared memory for the borders of buckets (bucket_borders.glsl): a word for 16 places.
fn border_bytes(shape: TileShape) -> u32 {
    shape.tile().div_ceil(16) * 4
}

/// As many threads as the tile wants, or as shared memory allows.
fn within(
    policy: &Policy,
    method: Method,
    split: &Split,
    shape: TileShape,
    labels: bool,
) -> TileShape {
    let bits = bucket_bits(of_round(split.buckets));
    // With cells.
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
        // By labels no tile is looked at beside the splitters.
        _ if labels => policy.fit_tile(shape, bits, split.key.bytes(), border_bytes),
        _ => policy.fit_tile(shape, bits, split.key.bytes(), |_| splitters),
    }
}
