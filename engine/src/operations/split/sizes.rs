//! Tuning parameters of splits, and the devices on which they were measured.

use crate::device::properties::DeviceProperties;
use crate::error::Result;
use crate::policy::allowed::{any_u32, numbers};
use crate::policy::facts::{DeviceFacts, Facts, Family};
use crate::policy::method::{Ranking, ValuesAfter};
use crate::policy::size::words;
use crate::policy::table::{require, size, sizes};
use crate::policy::tile::{TileShape, TileShapes, tiles};

/// Maximum value of the parameters that set the number of keys per subproblem.
const MAX_KEYS: u64 = 1 << 24;
/// With lane-order ranking, one in this many tiles checks the ranks of some of its keys. This costs at most about 1% of
/// the sort throughput on an H200 (docs/performance-log.md, 44).
const CANARY_PERIOD: u32 = 256;

/// Values of `values_after`, measured on an NVIDIA H200 with both ranking methods.
const VALUES_AFTER: [ValuesAfter; 8] = {
    use ValuesAfter::{Loading, Ordering, Ranking};
    [Loading, Loading, Ranking, Ranking, Ranking, Ordering, Ordering, Ranking]
};

sizes! {
    /// Tuning parameters of the split kernels. Any field except `ranking` may be changed without affecting results.
    pub struct SplitTuning as "split." {
        /// Tile of the warp-level method. The direct method uses only its workgroup size.
        warp: TileShape = size(tiles),
        /// Tiles of the block-level method for keys without values.
        block_keys: TileShapes = size(tiles).per_ranking(),
        /// Tiles of the block-level method for keys with labels (`min_buckets_labelled`).
        labelled_keys: TileShapes = size(tiles).per_ranking(),
        /// Tiles of the block-level method for key-value pairs, with or without labels.
        block_pairs: TileShapes = size(tiles).per_ranking(),
        /// Tiles of the one-sweep method.
        onesweep: TileShapes = size(tiles).per_ranking(),
        /// Stage after which the block-level and one-sweep methods load the values of a tile. There is one
        /// entry for each ceil(log2 m) from 1 to 8.
        values_after: [ValuesAfter; 8] = size(words::<ValuesAfter>).per_ranking(),
        /// Minimum number of keys per subproblem.
        min_keys: u32 = size(|_| numbers(0, MAX_KEYS)).candidates(|_| &[512, 1024, 2048, 4096, 8192]),
        /// Minimum number of keys per subproblem of the block-level method without values: one entry for each
        /// ceil(log2 m) from 1 to 8. It is reduced if the input would have fewer than `min_subproblems` subproblems.
        block_strips: [u32; 8] = size(|_| numbers(0, MAX_KEYS)).per_ranking(),
        /// Like `block_strips`, for keys with labels.
        labelled_strips: [u32; 8] = size(|_| numbers(0, MAX_KEYS)).per_ranking(),
        /// Minimum number of subproblems that `block_strips` and `labelled_strips` must leave: several for each
        /// multiprocessor. If there would be fewer, the number of keys per subproblem is reduced.
        min_subproblems: u32 = size(|_| numbers(1, MAX_KEYS)).candidates(|_| &[256, 512, 1024, 2048, 4096]),
        /// Number of subproblems that a prescan workgroup of the block-level method counts side by side. Applies
        /// only if there are at most two buckets and a single workgroup can scan the remaining histograms.
        side_by_side: u32 = size(|facts| numbers(0, facts.max_threads.into())),
        /// Minimum number of buckets for which the block-level method uses labels: it evaluates an expensive bucket
        /// function (splitters or user GLSL) once per key, and stores the result in one byte for the postscan.
        min_buckets_labelled: u32 = size(any_u32).candidates(|_| &[5, 9, 17, 33, 65, u32::MAX]),
        /// Number of tiles that a workgroup of the one-sweep histogram counts. Limited so that key indices fit in 32
        /// bits.
        histogram_parts: u32 = size(|_| numbers(1, 1 << 14)),
        /// Maximum number of buckets for which the block-level and one-sweep methods count keys by ballots. With more
        /// buckets, they count by atomics in shared memory.
        max_buckets_by_ballots: u32 = size(any_u32).candidates(|_| &[0, 8, 32]),
        /// Number of copies of the counters, if keys are counted by atomics.
        counter_copies: u32 = size(|_| numbers(1, 32)).candidates(|_| &[1, 2, 4]),
        /// Ranking method of the kernels. Only policies that a [`Context`](crate::Context) returns can have a value
        /// other than [`Ranking::Ballots`], because other methods require a probe of the device.
        ranking: Ranking,
        /// With lane-order ranking, one in this many tiles, and at least one per dispatch, checks the ranks of some of
        /// its keys. 0 disables the check.
        canary_period: u32 = size(any_u32).unstored(),
        /// Maximum number of buckets for which `Auto` selects the direct method.
        max_buckets_direct: u32 = size(any_u32).candidates(|facts| match facts.is_software() {
            true => &[32, 64, 256],
            false => &[0, 2, 8, 32],
        }),
        /// Whether `Auto` selects the reduced-bit sort for user functions with more buckets than one round supports.
        /// That method evaluates the function only once per key.
        label_user_buckets: bool = size(words::<bool>),
    }
}

/// Converts triples (threads, items, turns) to tile shapes.
fn shapes(sizes: [(u32, u32, u32); 8]) -> TileShapes {
    sizes.map(|(threads, items, turns)| TileShape::new(threads, items).in_turns(turns))
}

impl SplitTuning {
    /// Tuning parameters for the device.
    pub fn for_device(properties: &DeviceProperties) -> Self {
        let tuned = match Family::of(properties) {
            Family::Software => Self::software(),
            Family::Nvidia => Self::nvidia(),
            Family::Other => Self::unmeasured(),
        };
        tuned.fitted(&Facts::of(properties))
    }

    /// Sizes for ballot ranking, measured on an H200 with n = 2^28 (docs/performance.md), unless stated otherwise.
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
            // These tiles are also used with lane-order ranking.
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
            // These tiles were measured with lane-order ranking only.
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
            values_after: VALUES_AFTER,
            min_keys: 2048,
            // With 256 buckets, subproblems have the minimum number of tiles that keeps the histograms small.
            block_strips: [3840, 4096, 6144, 4096, 10_752, 12_288, 9216, 0],
            labelled_strips: [3840, 4096, 6144, 4096, 10_752, 12_288, 18_432, 18_432],
            min_subproblems: 1024,
            side_by_side: 4,
            // With fewer buckets, the search is short, and labels would add a sixth to the memory traffic.
            min_buckets_labelled: 9,
            histogram_parts: 8,
            // For every m, counting by atomics in shared memory takes no longer than reading the keys. Ballots take
            // up to four times as long.
            max_buckets_by_ballots: 0,
            counter_copies: 2,
            ranking: Ranking::Ballots,
            canary_period: CANARY_PERIOD,
            max_buckets_direct: 0,
            label_user_buckets: true,
        }
    }

    /// Switches to lane-order ranking, with the sizes measured for it on an NVIDIA H200. Requires a device that
    /// keeps lane order.
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
            values_after: VALUES_AFTER,
            block_strips: [3840, 4096, 6144, 4096, 10_752, 12_288, 9216, 30_720],
            ranking: Ranking::LaneOrder,
            ..self
        }
    }

    /// Sizes for software drivers. Such drivers take longer to compile unrolled loops than to run them, so tiles are
    /// small. Their barriers are slow, so the direct method, which has hardly any barriers, is preferred.
    fn software() -> Self {
        let shapes = [TileShape::new(256, 2); 8];
        Self {
            warp: TileShape::new(256, 2),
            block_keys: shapes,
            labelled_keys: shapes,
            block_pairs: shapes,
            onesweep: shapes,
            values_after: [ValuesAfter::Ordering; 8],
            block_strips: [2048; 8],
            labelled_strips: [2048; 8],
            histogram_parts: 2,
            // Reading a label takes as long as a search, and writing the label takes additional time.
            min_buckets_labelled: u32::MAX,
            max_buckets_by_ballots: 32,
            max_buckets_direct: 256,
            ..Self::nvidia()
        }
    }

    /// Sizes for GPUs that were not measured ([`TileShape::unmeasured`]).
    fn unmeasured() -> Self {
        Self {
            // With more buckets, runs of equal bucket ids within a tile are shorter. Larger tiles compensate for
            // this.
            block_keys: [8, 8, 8, 8, 12, 12, 14, 14].map(TileShape::unmeasured),
            labelled_keys: [8, 8, 8, 8, 12, 12, 14, 14].map(TileShape::unmeasured),
            block_pairs: [8, 8, 8, 8, 8, 10, 10, 10].map(TileShape::unmeasured),
            onesweep: [8, 8, 8, 12, 12, 12, 14, 14].map(TileShape::unmeasured),
            // Values are loaded after the keys are in order, so that they do not occupy registers before.
            values_after: [ValuesAfter::Ordering; 8],
            block_strips: [4096, 4096, 4096, 4096, 6144, 6144, 7168, 7168],
            labelled_strips: [4096, 4096, 4096, 4096, 6144, 6144, 7168, 7168],
            ..Self::nvidia()
        }
    }

    /// Rejects ranking by lane order if the device has not passed the lane-order probe.
    pub(crate) fn check_ranking(&self, facts: &DeviceFacts) -> Result<()> {
        let ordered = !self.ranking.is_by_lane_order() || facts.lane_order;
        require(
            ordered,
            "lane-order ranking (split.ranking) cannot be used, because the device has not passed the lane-order probe; use ballot ranking",
        )
    }

    /// Uses the same shape for all tiles.
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
