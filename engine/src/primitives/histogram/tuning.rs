//! The sizes of the histogram, and where they were measured.

use ash::vk;

use crate::device::properties::DeviceProperties;
use crate::error::Result;
use crate::primitives::Policy;
use crate::primitives::multisplit::NVIDIA;
use crate::primitives::policy::require;
use crate::primitives::tunable::tunable;
use crate::primitives::unmeasured;

tunable! {
    /// Sizes of the counting kernel. Every field may be set; results never depend on them, but for
    /// the order in which weights that are floats are added.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct HistogramTuning {
        /// Threads of a workgroup.
        threads: u32,
        /// Reads of 16 bytes that a thread has on their way at a time.
        loads: u32,
        /// Tiles (threads x loads x 16 bytes) that a workgroup counts before it adds to the output.
        tiles: u32,
        /// Unless fewer workgroups than this, of so many threads, had anything to do then.
        min_groups: u32,
        /// Copies of the counters in shared memory, where there is room.
        copies: u32,
        /// Most bytes of shared memory that copies may take.
        copies_bytes: u32,
        /// Up to this many bins are counted by ballots.
        max_bins_by_ballots: u32,
        /// More bins than shared memory holds are counted in several passes, up to this many; beyond,
        /// by atomic operations on the output.
        max_passes: u32,
        /// Up to this many range bins (32 at most) are found among splitters in registers.
        register_bins: u32,
        /// Cells of the lookup table for each of more bins.
        cells_per_bin: u32,
        /// Most cells in all; 0 for a binary search instead.
        cells: u32,
        /// Threads of a workgroup that has such a table: many share one.
        lookup_threads: u32,
        /// Most samples of a thread; a bound that only software drivers have.
        max_samples: u32,
    }
}

impl HistogramTuning {
    /// What suits the device.
    pub fn for_device(properties: &DeviceProperties) -> Self {
        let tuned = match (properties.device_type, properties.vendor_id) {
            (vk::PhysicalDeviceType::CPU, _) => Self::software(),
            (_, NVIDIA) => Self::nvidia(),
            _ => unmeasured::histogram(Self::nvidia()),
        };
        let size = properties.subgroup_size.max(1);
        let most = properties.limits.max_compute_work_group_invocations;
        let whole = |threads: u32| (threads.min(most) / size).max(1) * size;
        let (threads, lookup_threads) = (whole(tuned.threads), whole(tuned.lookup_threads));
        Self { threads, lookup_threads, ..tuned }
    }

    /// Measured on an NVIDIA H200.
    fn nvidia() -> Self {
        Self {
            threads: 256,
            loads: 4,
            tiles: 16,
            // As many as an H200 runs at a time.
            min_groups: 1056,
            copies: 2,
            copies_bytes: 16 << 10,
            // Adding up in shared memory takes the time that reading the samples takes, whatever
            // m is; ballots take up to four times as long.
            max_bins_by_ballots: 0,
            max_passes: 3,
            register_bins: 16,
            cells_per_bin: 16,
            cells: 4096,
            lookup_threads: 1024,
            max_samples: u32::MAX,
        }
    }

    /// Software drivers compile what is unrolled for longer than it then runs, and end every loop
    /// after 65,535 rounds: a search takes up to 20 of them for each sample.
    fn software() -> Self {
        Self {
            loads: 1,
            min_groups: 16,
            copies: 1,
            max_passes: 1,
            register_bins: 4,
            cells: 256,
            lookup_threads: 256,
            max_samples: 2048,
            ..Self::nvidia()
        }
    }

    /// Refuses sizes that no kernel can follow.
    pub(in crate::primitives) fn check(&self, policy: &Policy) -> Result<()> {
        let whole = policy.is_whole(self.threads) && policy.is_whole(self.lookup_threads);
        require(whole, "workgroups of `histogram` are not whole subgroups")?;
        require(self.loads <= MAX_LOADS, "`histogram.loads` is past 16")?;
        require(self.tiles <= MAX_TILES, "`histogram.tiles` is past 65,536")?;
        require(self.copies <= MAX_COPIES, "`histogram.copies` is past 32")?;
        let groups = (1..=policy.max_groups).contains(&self.min_groups);
        require(groups, "`histogram.min_groups` is not from 1 to `max_groups`")?;
        require(self.register_bins <= MAX_REGISTER_BINS, "`histogram.register_bins` is past 32")?;
        let cells = self.cells <= MAX_CELLS && self.cells_per_bin <= MAX_CELLS;
        require(cells, "`histogram.cells` is past 65,536")?;
        require(self.max_samples >= MIN_SAMPLES, "`histogram.max_samples` is below 256")
    }
}

const MAX_LOADS: u32 = 16;
const MAX_TILES: u32 = 1 << 16;
const MAX_COPIES: u32 = 32;
/// As many as the kernel keeps in registers.
const MAX_REGISTER_BINS: u32 = 32;
const MAX_CELLS: u32 = 1 << 16;
const MIN_SAMPLES: u32 = 256;
