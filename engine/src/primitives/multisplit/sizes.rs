//! The sizes of multisplit that were measured, and where.

use crate::device::properties::DeviceProperties;
use crate::error::Result;
use crate::policy::allowed::{any_u32, numbers};
use crate::policy::facts::{DeviceFacts, Facts, Family};
use crate::policy::method::{Ranking, ValuesAfter};
use crate::policy::size::words;
use crate::policy::table::{require, size, sizes};
use crate::policy::tile::{TileShape, TileShapes, tiles};

/// Keys of a subproblem.
const MAX_KEYS: u64 = 1 << 24;
/// Of so many tiles one checks itself; 0: none. It costs less than a hundredth of the speed of sorts on an
/// H200 (docs/performance-log.md, 40 and 44).
const CANARY_PERIOD: u32 = 256;

sizes! {
    /// Sizes of the multisplit kernels. Every field but `ranking` may be set at
    /// will; results never depend on them.
    pub struct SplitTuning as "split." {
        /// Tiles of the direct (whose items are windows) and of the warp-level method.
        warp: TileShape = size(tiles),
        /// Tiles of the block-level method, for keys.
        block_keys: TileShapes = size(tiles).per_ranking(),
        /// The same where keys have labels (`min_buckets_labelled`).
        labelled_keys: TileShapes = size(tiles).per_ranking(),
        /// Tiles of the block-level method for key-value pairs, with labels or without.
        block_pairs: TileShapes = size(tiles).per_ranking(),
        /// Tiles of the one-sweep method.
        onesweep: TileShapes = size(tiles).per_ranking(),
        /// When the values of a tile of the block-level and of the one-sweep method are loaded, by
        /// ceil(log2 m).
        values_after: [ValuesAfter; 8] = size(words::<ValuesAfter>).per_ranking(),
        /// Least keys of a subproblem.
        min_keys: u32 = size(|_| numbers(0, MAX_KEYS)).candidates(|_| &[512, 1024, 2048, 4096, 8192]),
        /// Keys of a subproblem of the block-level method without values, by ceil(log2 m), where there
        /// are enough of them for all multiprocessors.
        block_strips: [u32; 8] = size(|_| numbers(0, MAX_KEYS)).per_ranking(),
        /// The same where keys have labels.
        labelled_strips: [u32; 8] = size(|_| numbers(0, MAX_KEYS)).per_ranking(),
        /// Subproblems that `block_strips` and `labelled_strips` leave at least, if there are enough keys: several for
        /// each multiprocessor.
        min_subproblems: u32 = size(|_| numbers(1, MAX_KEYS)).candidates(|_| &[256, 512, 1024, 2048, 4096]),
        /// Subproblems of the block-level method that a workgroup of the prescan counts side by side,
        /// where there are two buckets, and one workgroup then scans what is left.
        side_by_side: u32 = size(|facts| numbers(0, facts.max_threads.into())),
        /// From so many buckets on, the block-level method asks a function that costs much (splitters, and
        /// GLSL of a user's) once for each key, and writes down the answer: a label of one byte, which the
        /// rest of the split goes by.
        min_buckets_labelled: u32 = size(any_u32).candidates(|_| &[5, 9, 17, 33, 65, u32::MAX]),
        /// Tiles that a workgroup of the one-sweep histogram counts, few enough that kernels can number their keys.
        histogram_parts: u32 = size(|_| numbers(1, 1 << 14)),
        /// Up to this many buckets are counted by ballots, more by atomics in shared memory.
        max_buckets_by_ballots: u32 = size(any_u32).candidates(|_| &[0, 8, 32]),
        /// Copies of the counters of the latter.
        counter_copies: u32 = size(|_| numbers(1, 32)).candidates(|_| &[1, 2, 4]),
        /// What the ranking kernels may rely on. A property of the device, which a context finds out:
        /// more than [`Ranking::Ballots`] only in [`Context::policy`](crate::Context::policy).
        ranking: Ranking,
        /// With ranking by lane order, one tile in so many checks its own order, and at least one per
        /// dispatch; 0: none does.
        canary_period: u32 = size(any_u32).unstored(),
        /// Up to this many buckets `Auto` takes the direct method.
        max_buckets_direct: u32 = size(any_u32).candidates(|facts| match facts.is_software() {
            true => &[32, 64, 256],
            false => &[0, 2, 8, 32],
        }),
        /// Whether `Auto` evaluates a user's function of more buckets than one round has only once,
        /// into labels.
        label_user_buckets: bool = size(words::<bool>),
    }
}

/// A table of (threads, items, turns).
fn shapes(sizes: [(u32, u32, u32); 8]) -> TileShapes {
    sizes.map(|(threads, items, turns)| TileShape::new(threads, items).in_turns(turns))
}

impl SplitTuning {
    /// What suits the device.
    pub fn for_device(properties: &DeviceProperties) -> Self {
        let tuned = match Family::of(properties) {
            Family::Software => Self::software(),
            Family::Nvidia => Self::nvidia(),
            Family::Other => Self::unmeasured(),
        };
        tuned.fitted(&Facts::of(properties))
    }

    /// For ranking by ballots. Measured on an NVIDIA H200 with n = 2^28 (docs/performance.md).
    fn nvidia() -> Self {
        Self {
            warp: TileShape::new(256, 8),
            block_keys: shapes([
                (128, 10, 1),
                (128, 8, 1),
                (192, 10, 1),
                (192, 10, 1),
                (256, 14, 1),
                (384, 14, 2),
                (384, 14, 2),
                (384, 24, 2),
            ]),
            // Of lane order, too.
            labelled_keys: shapes([
                (128, 10, 1),
                (128, 8, 1),
                (192, 8, 1),
                (256, 8, 1),
                (256, 14, 1),
                (384, 16, 2),
                (384, 24, 2),
                (384, 24, 2),
            ]),
            block_pairs: shapes([
                (128, 8, 1),
                (192, 8, 1),
                (192, 12, 1),
                (192, 12, 1),
                (192, 12, 1),
                (384, 14, 1),
                (384, 14, 1),
                (512, 28, 2),
            ]),
            // Of lane order: measured for that ranking only.
            onesweep: shapes([
                (256, 20, 1),
                (256, 20, 1),
                (256, 20, 1),
                (512, 16, 2),
                (512, 16, 2),
                (512, 16, 2),
                (768, 24, 2),
                (768, 24, 2),
            ]),
            values_after: {
                use ValuesAfter::{Loading, Ordering, Ranking};
                [Loading, Loading, Ranking, Ranking, Ranking, Ordering, Ordering, Ranking]
            },
            min_keys: 2048,
            // With 256 buckets as few tiles as keep the histograms small.
            block_strips: [3840, 4096, 6144, 4096, 10_752, 12_288, 9216, 0],
            labelled_strips: [3840, 4096, 6144, 4096, 10_752, 12_288, 18_432, 18_432],
            min_subproblems: 1024,
            side_by_side: 4,
            // With fewer a search is short, and labels are a sixth more to move.
            min_buckets_labelled: 9,
            histogram_parts: 8,
            // Adding up in shared memory key by key takes the time that reading the keys takes,
            // whatever m is; ballots take up to four times as long.
            max_buckets_by_ballots: 0,
            counter_copies: 2,
            ranking: Ranking::Ballots,
            canary_period: CANARY_PERIOD,
            max_buckets_direct: 0,
            label_user_buckets: true,
        }
    }

    /// The same with ranking by lane order, and the tiles that were measured with it, on an NVIDIA
    /// H200. For devices that go in the order of the lanes.
    #[must_use]
    pub(crate) fn by_lane_order(self) -> Self {
        Self {
            block_keys: shapes([
                (128, 10, 1),
                (128, 8, 1),
                (192, 8, 1),
                (256, 8, 1),
                (384, 14, 1),
                (384, 16, 2),
                (384, 24, 2),
                (640, 24, 2),
            ]),
            block_pairs: shapes([
                (128, 8, 1),
                (192, 8, 1),
                (192, 12, 1),
                (128, 16, 1),
                (256, 20, 1),
                (256, 20, 1),
                (512, 24, 2),
                (512, 24, 2),
            ]),
            values_after: {
                use ValuesAfter::{Loading, Ordering, Ranking};
                [Loading, Loading, Ranking, Ranking, Ranking, Ordering, Ordering, Ranking]
            },
            block_strips: [3840, 4096, 6144, 4096, 10_752, 12_288, 9216, 30_720],
            ranking: Ranking::LaneOrder,
            ..self
        }
    }

    /// Software drivers compile what is unrolled for longer than it then runs, and pay dearly for
    /// barriers: small tiles, and the direct method, which has none.
    fn software() -> Self {
        let shapes = [TileShape::new(256, 4); 8];
        Self {
            warp: TileShape::new(256, 4),
            block_keys: shapes,
            labelled_keys: shapes,
            block_pairs: shapes,
            onesweep: shapes,
            values_after: [ValuesAfter::Ordering; 8],
            block_strips: [2048; 8],
            labelled_strips: [2048; 8],
            histogram_parts: 2,
            // Reading labels takes as long as a search, and writing them comes on top.
            min_buckets_labelled: u32::MAX,
            max_buckets_by_ballots: 32,
            max_buckets_direct: 256,
            ..Self::nvidia()
        }
    }

    /// For GPUs that nobody has measured ([`TileShape::unmeasured`]).
    fn unmeasured() -> Self {
        Self {
            // More buckets have shorter runs in a tile, which a larger one makes up for.
            block_keys: [8, 8, 8, 8, 12, 12, 14, 14].map(TileShape::unmeasured),
            labelled_keys: [8, 8, 8, 8, 12, 12, 14, 14].map(TileShape::unmeasured),
            block_pairs: [8, 8, 8, 8, 8, 12, 12, 12].map(TileShape::unmeasured),
            onesweep: [8, 8, 8, 12, 12, 12, 14, 14].map(TileShape::unmeasured),
            // When the keys are in order: no registers are held meanwhile.
            values_after: [ValuesAfter::Ordering; 8],
            block_strips: [4096, 4096, 4096, 4096, 6144, 6144, 7168, 7168],
            labelled_strips: [4096, 4096, 4096, 4096, 6144, 6144, 7168, 7168],
            ..Self::nvidia()
        }
    }

    /// Rejects ranking by lane order if the device failed the lane-order probe.
    pub(crate) fn check_ranking(&self, facts: &DeviceFacts) -> Result<()> {
        let ordered = !self.ranking.is_by_lane_order() || facts.lane_order;
        require(ordered, "ranking by lane order, but the device failed the lane-order probe")
    }

    /// The same with one shape for all tiles.
    #[must_use]
    pub fn with_shape(self, shape: TileShape) -> Self {
        let shapes = [shape; 8];
        Self {
            warp: shape,
            block_keys: shapes,
            labelled_keys: shapes,
            block_pairs: shapes,
            onesweep: shapes,
            ..self
        }
    }
}
