//! Tuning parameters of histograms, and the devices on which they were measured.

use crate::device::properties::DeviceProperties;
use crate::policy::allowed::{any_u32, groups, numbers, threads};
use crate::policy::facts::{Facts, Family};
use crate::policy::table::{size, sizes};
use crate::policy::tile::UNMEASURED_THREADS;

sizes! {
    /// Tuning parameters of the counting kernel. They affect results only through the order in which `f32` weights
    /// are added.
    pub struct HistogramTuning as "histogram." {
        /// Workgroup size.
        threads: u32 = size(threads).candidates(|_| &[64, 128, 256, 512, 1024]),
        /// Number of 16-byte loads in flight per thread.
        loads: u32 = size(|_| numbers(0, 16))
            .candidates(|facts| if facts.is_software() { &[1, 2] } else { &[1, 2, 4, 8] }),
        /// Target number of tiles that a workgroup counts before it adds its counters to the output. A tile usually
        /// has threads x loads x 16 bytes.
        tiles: u32 = size(|_| numbers(0, 1 << 16)).candidates(|_| &[4, 8, 16, 32, 64]),
        /// Minimum number of workgroups of `threads` threads, unless there are fewer tiles. Takes precedence over
        /// `tiles`.
        min_groups: u32 = size(groups).candidates(|facts| match facts.is_software() {
            true => &[8, 16, 32],
            false => &[128, 264, 528, 1056, 2112],
        }),
        /// Number of copies of the counters in shared memory. Fewer are used if they do not fit.
        copies: u32 = size(|_| numbers(0, 32)).candidates(|_| &[1, 2, 4, 8]),
        /// Maximum shared memory for all copies, in bytes.
        copies_bytes: u32 = size(any_u32),
        /// Maximum number of bins for which `Auto` selects ballots.
        max_bins_by_ballots: u32 = size(any_u32).candidates(|_| &[0, 8, 32]),
        /// Maximum number of passes if not all bins fit in shared memory. Half of it applies if there are few samples
        /// per bin. If more passes would be needed, samples are counted by atomics on the output instead.
        max_passes: u32 = size(any_u32),
        /// Maximum number of range bins whose splitters are kept in registers, at most 32.
        register_bins: u32 = size(|_| numbers(0, 32)),
        /// Number of cells per bin in the lookup table, which is used if splitters are not in registers.
        cells_per_bin: u32 = size(|_| numbers(0, 1 << 16)),
        /// Maximum number of cells in the lookup table; 0 selects a binary search instead.
        cells: u32 = size(|_| numbers(0, 1 << 16)).candidates(|_| &[0, 256, 1024, 2048, 4096, 8192]),
        /// Workgroup size if a lookup table is used or if there are many counters in shared memory. Large, because
        /// the threads of a workgroup share one copy of the table and of the counters.
        table_threads: u32 = size(threads).candidates(|_| &[128, 256, 512, 1024]),
    }
}

impl HistogramTuning {
    /// Tuning parameters for the device.
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
            // Number of workgroups that an H200 runs at the same time.
            min_groups: 1056,
            copies: 2,
            copies_bytes: 16 << 10,
            // For every number of bins, counting by atomics in shared memory takes no longer than reading the
            // samples. Ballots take up to four times as long.
            max_bins_by_ballots: 0,
            // An H200 needs six passes for 65,536 bins.
            max_passes: 6,
            register_bins: 16,
            cells_per_bin: 16,
            cells: 4096,
            table_threads: 1024,
        }
    }

    /// For software drivers. They take longer to compile unrolled loops than to run them, so there is one load in
    /// flight and few splitters are in registers.
    fn software() -> Self {
        Self {
            loads: 1,
            min_groups: 16,
            copies: 1,
            max_passes: 1,
            register_bins: 4,
            cells: 256,
            table_threads: 256,
            ..Self::nvidia()
        }
    }

    /// For GPUs on which nothing was measured.
    fn unmeasured() -> Self {
        Self {
            // Each workgroup adds all its counters to the output when it ends, and a small GPU runs few workgroups at
            // a time. 256 workgroups are still enough for a large GPU.
            min_groups: 256,
            // Half of the shared memory that Vulkan guarantees, so that two workgroups fit on a multiprocessor.
            copies_bytes: 8 << 10,
            // 4 KiB of shared memory, so that two workgroups fit on a multiprocessor.
            cells: 1024,
            // Several passes pay only if clearing and adding the counters is fast compared with the additions in
            // device memory.
            max_passes: 3,
            table_threads: UNMEASURED_THREADS,
            ..Self::nvidia()
        }
    }
}
