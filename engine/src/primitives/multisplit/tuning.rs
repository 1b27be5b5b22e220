//! The sizes of multisplit that were measured, and where.

use ash::vk;

use crate::properties::DeviceProperties;

/// The shape of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileShape {
    /// Threads of a workgroup, where shared memory allows.
    pub threads: u32,
    /// Keys of a thread.
    pub items: u32,
}

impl TileShape {
    /// A tile of `threads` x `items`.
    pub const fn new(threads: u32, items: u32) -> Self {
        Self { threads, items }
    }
}

/// The shapes of tiles by ceil(log2 m), from 1 to 8.
pub type TileShapes = [TileShape; 8];

/// Sizes of the multisplit kernels. Every field but [`lockstep`](Self::lockstep) may be set at
/// will; results never depend on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitTuning {
    /// Tiles of the direct (whose items are windows) and of the warp-level method.
    pub warp: TileShape,
    /// Tiles of the block-level method, for keys.
    pub block_keys: TileShapes,
    /// The same for key-value pairs.
    pub block_pairs: TileShapes,
    /// Tiles of the one-sweep method.
    pub onesweep: TileShapes,
    /// Tiles that a workgroup of the one-sweep method takes one after another.
    pub onesweep_strip: u32,
    /// Least keys of a subproblem.
    pub least_keys: u32,
    /// Tiles that a workgroup of the one-sweep histogram counts.
    pub histogram_parts: u32,
    /// Up to this many buckets are counted by votes, more by atomics in shared memory.
    pub most_buckets_by_votes: u32,
    /// Copies of the counters of the latter.
    pub counter_copies: u32,
    /// Whether the lanes of a subgroup perform their shared-memory atomics in program order
    /// without being told to. A property of the device: set only where the tests have shown it.
    pub lockstep: bool,
    /// Rounds of one loop of a kernel, in all; a bound that only software drivers have.
    pub most_loop_rounds: u32,
    /// Up to this many buckets `Auto` takes the direct method.
    pub most_buckets_direct: u32,
    /// Whether `Auto` evaluates a user's function of more buckets than one round has only once,
    /// into labels.
    pub label_user_buckets: bool,
}

/// PCI vendor id.
const NVIDIA: u32 = 0x10de;

impl SplitTuning {
    /// What suits the device.
    pub fn for_device(properties: &DeviceProperties) -> Self {
        let tuned = match (properties.device_type, properties.vendor_id) {
            (vk::PhysicalDeviceType::CPU, _) => Self::software(),
            (_, NVIDIA) => Self { lockstep: true, ..Self::gpu() },
            _ => Self::gpu(),
        };
        tuned.within(properties)
    }

    /// Measured on an NVIDIA H200 with n = 2^28 (docs/performance.md).
    fn gpu() -> Self {
        let shapes = |sizes: [(u32, u32); 8]| sizes.map(|(t, i)| TileShape::new(t, i));
        let many = (384, 16);
        Self {
            warp: TileShape::new(256, 8),
            block_keys: shapes([
                (128, 8),
                (128, 8),
                (128, 8),
                (128, 8),
                (192, 8),
                (192, 12),
                many,
                many,
            ]),
            block_pairs: shapes([
                (192, 8),
                (192, 8),
                (192, 8),
                (128, 16),
                (128, 16),
                (256, 20),
                many,
                many,
            ]),
            onesweep: shapes([
                (256, 20),
                (256, 20),
                (256, 20),
                (256, 20),
                (256, 20),
                (256, 20),
                many,
                many,
            ]),
            onesweep_strip: 3,
            least_keys: 2048,
            histogram_parts: 8,
            // Adding up in shared memory key by key takes the time that reading the keys takes,
            // whatever m is; votes take up to four times as long.
            most_buckets_by_votes: 0,
            counter_copies: 2,
            lockstep: false,
            most_loop_rounds: u32::MAX,
            most_buckets_direct: 0,
            label_user_buckets: true,
        }
    }

    /// Software drivers compile what is unrolled for longer than it then runs, and pay dearly for
    /// barriers: small tiles, and the direct method, which has none.
    fn software() -> Self {
        let shapes = [TileShape::new(256, 4); 8];
        Self {
            warp: TileShape::new(256, 4),
            block_keys: shapes,
            block_pairs: shapes,
            onesweep: shapes,
            onesweep_strip: 2,
            histogram_parts: 2,
            most_buckets_by_votes: 32,
            most_loop_rounds: 16_384,
            most_buckets_direct: 256,
            ..Self::gpu()
        }
    }

    /// Every tile with whole subgroups, and no more threads than the device allows.
    fn within(mut self, properties: &DeviceProperties) -> Self {
        let size = properties.subgroup_size.max(1);
        let most = properties.limits.max_compute_work_group_invocations;
        let all = [&mut self.block_keys, &mut self.block_pairs, &mut self.onesweep];
        for shape in all.into_iter().flatten().chain([&mut self.warp]) {
            shape.threads = (shape.threads.min(most) / size).max(1) * size;
        }
        self
    }

    /// The same with one shape for all tiles.
    #[must_use]
    pub fn with_shape(self, shape: TileShape) -> Self {
        let shapes = [shape; 8];
        Self { warp: shape, block_keys: shapes, block_pairs: shapes, onesweep: shapes, ..self }
    }
}
