//! Sizes of the histogram kernel, and the devices on which they were measured.

use crate::device::properties::DeviceProperties;
use crate::policy::allowed::{any_u32, groups, numbers, threads};
use crate::policy::facts::{Facts, Family};
use crate::policy::table::{size, sizes};
use crate::policy::tile::UNMEASURED_THREADS;

sizes! {
    /// Sizes of the counting kernel. A field affects results only through the order of additions of `f32` weights.
    pub struct HistogramTuning as "histogram." {
        /// Workgroup size.
        threads: u32 = size(threads).candidates(|_| &[64, 128, 256, 512, 1024]),
        /// Loads of 16 bytes in flight per thread.
        loads: u32 = size(|_| numbers(0, 16))
            .candidates(|facts| if facts.is_software() { &[1, 2] } else { &[1, 2, 4, 8] }),
        /// Tiles (threads x loads x 16 bytes) that a workgroup counts before it adds its counters to the output.
        tiles: u32 = size(|_| numbers(0, 1 << 16)).candidates(|_| &[4, 8, 16, 32, 64]),
        /// Minimum number of workgroups of `threads` threads if there are enough tiles. Takes precedence over
        /// `tiles`.
        min_groups: u32 = size(groups).candidates(|facts| match facts.is_software() {
            true => &[8, 16, 32],
            false => &[128, 264, 528, 1056, 2112],
        }),
        /// Copies of the counters in shared memory, if there is room.
        copies: u32 = size(|_| numbers(0, 32)).candidates(|_| &[1, 2, 4, 8]),
        /// Maximum bytes of shared memory for the copies.
        copies_bytes: u32 = size(any_u32),
        /// Up to this many bins are counted by ballots.
        max_bins_by_ballots: u32 = size(any_u32).candidates(|_| &[0, 8, 32]),
        /// Maximum number of passes if the bins exceed shared memory. If more passes were needed, the samples are
        /// counted by atomics on the output instead.
        max_passes: u32 = size(any_u32),
        /// Up to this many range bins, and at most 32, have their splitters in registers.
        register_bins: u32 = size(|_| numbers(0, 32)),
        /// Cells per bin in the lookup table, which is used for more range bins.
        cells_per_bin: u32 = size(|_| numbers(0, 1 << 16)),
        /// Maximum number of cells; 0 selects a binary search instead.
        cells: u32 = size(|_| numbers(0, 1 << 16)).candidates(|_| &[0, 256, 1024, 2048, 4096, 8192]),
        /// Workgroup size with a lookup table. Large, because all threads share the table.
        lookup_threads: u32 = size(threads).candidates(|_| &[128, 256, 512, 1024]),
    }
}

impl HistogramTuning {
    /// Sizes for the device.
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
            // Number of workgroups that an H200 runs at a time.
            min_groups: 1056,
            copies: 2,
            copies_bytes: 16 << 10,
            // Counting by atomics in shared memory takes as long as reading the samples, for every m; ballots take
            // up to four times as long.
            max_bins_by_ballots: 0,
            max_passes: 3,
            register_bins: 16,
            cells_per_bin: 16,
            cells: 4096,
            lookup_threads: 1024,
        }
    }

    /// Software drivers take longer to compile unrolled loops than to run them. They end every loop after 65,535
    /// iterations, and a search takes up to 20 iterations per sample.
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

    /// For GPUs without measurements.
    fn unmeasured() -> Self {
        Self {
            // Each workgroup adds all its counters to the output at its end, and a small GPU runs few workgroups
            // at a time. 256 workgroups are enough for a large GPU.
            min_groups: 256,
            // Half of the shared memory that Vulkan guarantees, so that two workgroups fit.
            copies_bytes: 8 << 10,
            // 4 KiB, for the same reason.
            cells: 1024,
            lookup_threads: UNMEASURED_THREADS,
            ..Self::nvidia()
        }
    }
}
