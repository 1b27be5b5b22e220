//! The sizes of multisplit that were measured, and where.

use ash::vk;

use crate::device::properties::DeviceProperties;
use crate::error::Result;
use crate::primitives::Policy;
use crate::primitives::policy::require;
use crate::primitives::tunable::tunable;
use crate::primitives::unmeasured;

tunable! {
    /// The shape of a tile.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct TileShape {
        /// Threads of a workgroup, where shared memory allows.
        threads: u32,
        /// Keys of a thread.
        items: u32,
        /// In how many turns the tile goes through shared memory: a divisor of `items`.
        turns: u32,
    }
}

/// Tiles of a part of a histogram, such that kernels can number its keys.
const MAX_PARTS: u32 = 1 << 14;
/// Copies of counters: one for each lane of a wide subgroup is plenty.
const MAX_COPIES: u32 = 32;
/// Keys of a subproblem that a policy may ask for.
const MAX_KEYS: u32 = 1 << 24;
/// Rounds without which no kernel gets through a tile.
const MIN_LOOP_ROUNDS: u32 = 4096;
/// Turns and keys per thread that the kernels write out.
const MAX_TURNS: u32 = 4;
const MAX_ITEMS: u32 = 32;
/// Of so many tiles one checks itself; 0: none. It costs less than a hundredth of the speed of sorts on an
/// H200 (docs/performance-log.md, 40 and 44).
const CANARY_PERIOD: u32 = 256;
/// Narrower subgroups share rows of counters, of which they would have too many.
const MIN_LANES_UNPAIRED: u32 = 32;

impl TileShape {
    /// A tile of `threads` x `items`, in one turn.
    pub const fn new(threads: u32, items: u32) -> Self {
        Self { threads, items, turns: 1 }
    }

    /// The same in `turns` turns.
    #[must_use]
    pub const fn in_turns(self, turns: u32) -> Self {
        Self { turns, ..self }
    }

    /// Keys of a tile.
    pub fn tile(self) -> u32 {
        self.threads * self.items
    }

    /// Whether a tile can be cut like this. Places in a tile have 16 bits.
    pub(crate) fn is_sound(self) -> bool {
        let keys = u64::from(self.threads) * u64::from(self.items);
        (1..1 << 16).contains(&keys)
            && (1..=MAX_TURNS).contains(&self.turns)
            && self.items <= MAX_ITEMS
            && self.items.is_multiple_of(self.turns)
    }

    /// Shared memory of the kernels that rank a tile: counters or a part of the tile; targets;
    /// sums.
    fn ranking_bytes(self, policy: &Policy, bucket_bits: u32, key_bytes: u32) -> u32 {
        let subgroup_size = policy.subgroup_size;
        let subgroups = self.threads / subgroup_size;
        let row = 4 << bucket_bits;
        // PAIRED_ROWS of rank_tile.glsl.
        let narrow = subgroup_size < MIN_LANES_UNPAIRED;
        let paired = narrow || policy.split.ranking.is_by_lane_order();
        let rows =
            if paired && row > 4 * subgroup_size { subgroups.div_ceil(2) } else { subgroups };
        let turn = self.tile() / self.turns * key_bytes;
        (row * rows).max(turn) + row + 4 * subgroups + 64
    }

    /// Shared memory for the borders of buckets (bucket_borders.glsl): a word for 16 places.
    pub(super) fn border_bytes(self) -> u32 {
        self.tile().div_ceil(16) * 4
    }

    /// The same with as many threads as the device has, and as shared memory has room for in
    /// kernels that rank a tile and need `besides` bytes for something else.
    pub(crate) fn within(
        self,
        policy: &Policy,
        bucket_bits: u32,
        key_bytes: u32,
        besides: u32,
    ) -> Self {
        self.within_beside(policy, bucket_bits, key_bytes, |_| besides)
    }

    /// The same where the shape decides how many bytes something else needs.
    pub(super) fn within_beside(
        mut self,
        policy: &Policy,
        bucket_bits: u32,
        key_bytes: u32,
        besides: impl Fn(Self) -> u32,
    ) -> Self {
        let size = policy.subgroup_size;
        self = self.of_subgroups(policy);
        let no_room = |shape: Self| {
            let room = policy.shared_memory.saturating_sub(besides(shape));
            shape.ranking_bytes(policy, bucket_bits, key_bytes) > room
        };
        while no_room(self) && self.threads > size {
            self.threads -= size;
        }
        let too_large = |shape: Self| !shape.is_sound() || no_room(shape);
        while too_large(self) && self.items > self.turns {
            self.items -= self.turns;
        }
        self
    }

    /// The same with whole subgroups, and no more threads than the device has.
    pub(in crate::primitives) fn of_subgroups(self, policy: &Policy) -> Self {
        let size = policy.subgroup_size;
        let threads = (self.threads.min(policy.max_threads.max(size)) / size).max(1) * size;
        Self { threads, ..self }
    }
}

/// How the keys of a tile find their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(clippy::manual_non_exhaustive, reason = "the hidden one is for tests")]
pub enum Ranking {
    /// By ballots, which rely on nothing that Vulkan does not promise.
    Ballots,
    /// By lane order: what an atomic add returns is the rank. It relies on atomics on shared memory
    /// being performed in the order of the program, and those of one instruction, where they meet,
    /// in lane order. Vulkan does not promise it.
    LaneOrder,
    /// The same with lane order reversed on purpose, as on a device that does not keep it: for tests of
    /// the check that tiles make of themselves.
    #[cfg(feature = "broken-plans")]
    #[doc(hidden)]
    ReversedLanes,
}

impl Ranking {
    /// Whether it relies on lane order.
    pub(crate) fn is_by_lane_order(self) -> bool {
        self != Self::Ballots
    }

    /// Whether lanes are reversed on purpose.
    pub(in crate::primitives) fn is_reversed(self) -> bool {
        #[cfg(feature = "broken-plans")]
        return self == Self::ReversedLanes;
        #[cfg(not(feature = "broken-plans"))]
        false
    }
}

/// When the values of a tile are loaded. The earlier, the less is waited for, and the longer they
/// take up registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValuesAfter {
    /// Together with the keys.
    Loading,
    /// When the keys are ranked.
    Ranking,
    /// When the first keys are in order in shared memory.
    Ordering,
}

/// The shapes of tiles by ceil(log2 m), from 1 to 8.
pub type TileShapes = [TileShape; 8];

tunable! {
    /// Sizes of the multisplit kernels. Every field but `ranking` may be set at
    /// will; results never depend on them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct SplitTuning {
        /// Tiles of the direct (whose items are windows) and of the warp-level method.
        warp: TileShape,
        /// Tiles of the block-level method, for keys.
        block_keys: TileShapes,
        /// The same where keys have labels (`min_buckets_labelled`).
        labelled_keys: TileShapes,
        /// Tiles of the block-level method for key-value pairs, with labels or without.
        block_pairs: TileShapes,
        /// Tiles of the one-sweep method.
        onesweep: TileShapes,
        /// When the values of a tile of the block-level and of the one-sweep method are loaded, by
        /// ceil(log2 m).
        values_after: [ValuesAfter; 8],
        /// Least keys of a subproblem.
        min_keys: u32,
        /// Keys of a subproblem of the block-level method without values, by ceil(log2 m), where there
        /// are enough of them for all multiprocessors.
        block_strips: [u32; 8],
        /// The same where keys have labels.
        labelled_strips: [u32; 8],
        /// Subproblems of the block-level method that a workgroup of the prescan counts side by side,
        /// where there are two buckets, and one workgroup then scans what is left.
        side_by_side: u32,
        /// From so many buckets on, the block-level method asks a function that costs much (splitters, and
        /// GLSL of a user's) once for each key, and writes down the answer: a label of one byte, which the
        /// rest of the split goes by.
        min_buckets_labelled: u32,
        /// Tiles that a workgroup of the one-sweep histogram counts.
        histogram_parts: u32,
        /// Up to this many buckets are counted by ballots, more by atomics in shared memory.
        max_buckets_by_ballots: u32,
        /// Copies of the counters of the latter.
        counter_copies: u32,
        /// What the ranking kernels may rely on. A property of the device, which a context finds out:
        /// more than [`Ranking::Ballots`] only in [`Context::policy`](crate::Context::policy).
        ranking: Ranking,
        /// With ranking by lane order, one tile in so many checks its own order, and at least one per
        /// dispatch; 0: none does.
        canary_period: u32,
        /// Rounds of all loops of a kernel; a bound that only software drivers have.
        max_loop_rounds: u32,
        /// Up to this many buckets `Auto` takes the direct method.
        max_buckets_direct: u32,
        /// Whether `Auto` evaluates a user's function of more buckets than one round has only once,
        /// into labels.
        label_user_buckets: bool,
    }
}

/// A table of (threads, items, turns).
fn shapes(sizes: [(u32, u32, u32); 8]) -> TileShapes {
    sizes.map(|(threads, items, turns)| TileShape::new(threads, items).in_turns(turns))
}

/// PCI vendor id. Its GPUs get the tiles of the one that was measured.
pub(in crate::primitives) const NVIDIA: u32 = 0x10de;

impl SplitTuning {
    /// What suits the device.
    pub fn for_device(properties: &DeviceProperties) -> Self {
        let tuned = match (properties.device_type, properties.vendor_id) {
            (vk::PhysicalDeviceType::CPU, _) => Self::software(),
            (_, NVIDIA) => Self::nvidia(),
            _ => unmeasured::split(Self::nvidia()),
        };
        tuned.within(properties)
    }

    /// Whether it is worth finding out if the device goes in the order of the lanes.
    pub(crate) fn may_have_lane_order(properties: &DeviceProperties) -> bool {
        properties.device_type != vk::PhysicalDeviceType::CPU && properties.vendor_id == NVIDIA
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
            max_loop_rounds: u32::MAX,
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
            max_loop_rounds: 16_384,
            max_buckets_direct: 256,
            ..Self::nvidia()
        }
    }

    /// Every tile with whole subgroups, and no more threads than the device allows.
    fn within(mut self, properties: &DeviceProperties) -> Self {
        let size = properties.subgroup_size.max(1);
        let most = properties.limits.max_compute_work_group_invocations;
        let all = [
            &mut self.block_keys,
            &mut self.labelled_keys,
            &mut self.block_pairs,
            &mut self.onesweep,
        ];
        for shape in all.into_iter().flatten().chain([&mut self.warp]) {
            shape.threads = (shape.threads.min(most) / size).max(1) * size;
        }
        self
    }

    /// Refuses sizes that nothing can be cut by.
    pub(in crate::primitives) fn check(&self, policy: &Policy) -> Result<()> {
        let all = [self.block_keys, self.labelled_keys, self.block_pairs, self.onesweep];
        let sound = all.iter().flatten().all(|shape| shape.is_sound()) && self.warp.is_sound();
        require(sound, "a tile of `split` has no keys, too many, or turns that do not divide it")?;
        let parts = (1..=MAX_PARTS).contains(&self.histogram_parts);
        require(parts, "`split.histogram_parts` is not from 1 to 16,384")?;
        let copies = (1..=MAX_COPIES).contains(&self.counter_copies);
        require(copies, "`split.counter_copies` is not from 1 to 32")?;
        let strips = self.block_strips.iter().chain(&self.labelled_strips).chain([&self.min_keys]);
        let strips = strips.into_iter().all(|&keys| keys <= MAX_KEYS);
        require(strips, "a subproblem of `split` has more than 2^24 keys")?;
        require(
            self.side_by_side <= policy.max_threads,
            "`split.side_by_side` is past `max_threads`",
        )?;
        require(self.max_loop_rounds >= MIN_LOOP_ROUNDS, "`split.max_loop_rounds` is below 4,096")
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
