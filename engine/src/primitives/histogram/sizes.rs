//! The sizes of the histogram, and where they were measured.

use crate::device::properties::DeviceProperties;
use crate::policy::allowed::{any_u32, groups, numbers, threads};
use crate::policy::facts::{Facts, Family};
use crate::policy::table::{size, sizes};
use crate::policy::tile::UNMEASURED_THREADS;

sizes! {
    /// Sizes of the counting kernel. Every field may be set; results never depend on them, but for
    /// the order in which weights that are floats are added.
    pub struct HistogramTuning as "histogram." {
        /// Threads of a workgroup.
        threads: u32 = size(threads).candidates(|_| &[64, 128, 256, 512, 1024]),
        /// Reads of 16 bytes that a thread has on their way at a time.
        loads: u32 = size(|_| numbers(0, 16))
            .candidates(|facts| if facts.is_software() { &[1, 2] } else { &[1, 2, 4, 8] }),
        /// Tiles (threads x loads x 16 bytes) that a workgroup counts before it adds to the output.
        tiles: u32 = size(|_| numbers(0, 1 << 16)).candidates(|_| &[4, 8, 16, 32, 64]),
        /// Unless fewer workgroups than this, of so many threads, had anything to do then.
        min_groups: u32 = size(groups).candidates(|facts| match facts.is_software() {
            true => &[8, 16, 32],
            false => &[128, 264, 528, 1056, 2112],
        }),
        /// Copies of the counters in shared memory, where there is room.
        copies: u32 = size(|_| numbers(0, 32)).candidates(|_| &[1, 2, 4, 8]),
        /// Most bytes of shared memory that copies may take.
        copies_bytes: u32 = size(any_u32),
        /// Up to this many bins are counted by ballots.
        max_bins_by_ballots: u32 = size(any_u32).candidates(|_| &[0, 8, 32]),
        /// More bins than shared memory holds are counted in several passes, up to this many; beyond,
        /// by atomic operations on the output.
        max_passes: u32 = size(any_u32),
        /// Up to this many range bins (32 at most) are found among splitters in registers.
        register_bins: u32 = size(|_| numbers(0, 32)),
        /// Cells of the lookup table for each of more bins.
        cells_per_bin: u32 = size(|_| numbers(0, 1 << 16)),
        /// Most cells in all; 0 for a binary search instead.
        cells: u32 = size(|_| numbers(0, 1 << 16)).candidates(|_| &[0, 256, 1024, 2048, 4096, 8192]),
        /// Threads of a workgroup that has such a table: many share one.
        lookup_threads: u32 = size(threads).candidates(|_| &[128, 256, 512, 1024]),
    }
}

impl HistogramTuning {
    /// What suits the device.
    pub fn for_device(properties: &DeviceProperties) -> Self {
        let tuned = match Family::of(properties) {
            Family::Software => Self::software(),
            Family::Nvidia => Self::nvidia(),
            Family::Other => Self::unmeasured(),
        };
        tuned.fitted(&Facts::of(properties))
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
            ..Self::nvidia()
        }
    }

    /// For GPUs that nobody has measured.
    fn unmeasured() -> Self {
        Self {
            // Each workgroup adds all its counters to the output when it ends, and a small GPU runs few at a time. A
            // large one has enough to do with 256 of them.
            min_groups: 256,
            // Half of what is promised, so that two workgroups fit.
            copies_bytes: 8 << 10,
            // A table of 4 KiB, for the same reason.
            cells: 1024,
            lookup_threads: UNMEASURED_THREADS,
            ..Self::nvidia()
        }
    }
}
