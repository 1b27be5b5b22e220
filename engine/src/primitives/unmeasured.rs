//! The sizes for GPUs that nobody has measured: not the fastest on any, and slow on none. `multisplit
//! tune` finds better ones for the device at hand.
//!
//! Why these:
//!
//! - **256 threads.** A multiple of 32 and of 64, so that a workgroup has 8 subgroups of a wave32 device
//!   (NVIDIA, Apple, Intel and RDNA at 32 lanes) and 4 of a wave64 one (GCN, CDNA, RDNA at 64, Adreno); 16
//!   or 32 of a narrow one, whose rows of counters are shared by two. Every desktop GPU and all but the
//!   smallest others run workgroups of 256; those of 512 or 1,024 halve the registers that a thread may
//!   have on several of them.
//! - **16 KiB of shared memory, which is what Vulkan promises, hold a tile** with its counters: with ids of
//!   8 bits at most 3,800 keys of 32 bits or 1,900 of 64. Nothing is then cut down at run time, and a
//!   device with 32 KiB for a workgroup (AMD, Apple, Mali, Adreno) runs two tiles at a time where that is
//!   all it has, four where a multiprocessor has 64. A larger tile in several turns is what a GPU with
//!   48 KiB and 64 Ki registers wants; where registers are short its keys go to memory, several times as
//!   slow.
//! - **At most 14 keys per thread**, for the same reason: a key, its bucket and its place take two to three
//!   registers, and compilers of mobile GPUs have 64.
//! - **Values are loaded late**, when the keys are in order: no registers are held meanwhile.
//! - **Few workgroups for histograms**: each adds all its counters to the output when it ends, and a small
//!   GPU runs few at a time. A large one has enough to do with 256 of them.

use super::histogram::HistogramTuning;
use super::multisplit::{SplitTuning, TileShape, ValuesAfter};
use super::sort::SortTuning;

/// Threads of every workgroup whose keys are ranked.
const THREADS: u32 = 256;
/// Workgroups of a histogram, where there is that much to do.
const GROUPS: u32 = 256;

const fn tile(items: u32) -> TileShape {
    TileShape::new(THREADS, items)
}

/// The sizes of multisplit, but for those of `measured` that are about no tile.
pub(super) fn split(measured: SplitTuning) -> SplitTuning {
    SplitTuning {
        // More buckets have shorter runs in a tile, which a larger one makes up for.
        block_keys: [8, 8, 8, 8, 12, 12, 14, 14].map(tile),
        labelled_keys: [8, 8, 8, 8, 12, 12, 14, 14].map(tile),
        block_pairs: [8, 8, 8, 8, 8, 12, 12, 12].map(tile),
        onesweep: [8, 8, 8, 12, 12, 12, 14, 14].map(tile),
        values_after: [ValuesAfter::Ordering; 8],
        block_strips: [4096, 4096, 4096, 4096, 6144, 6144, 7168, 7168],
        labelled_strips: [4096, 4096, 4096, 4096, 6144, 6144, 7168, 7168],
        ..measured
    }
}

/// The sizes of the sort. Few elements want many small tiles, so that every multiprocessor has one.
pub(super) fn sort(measured: SortTuning) -> SortTuning {
    SortTuning {
        small: tile(8),
        keys: [
            (1 << 17, tile(4)),
            (1 << 19, tile(8)),
            (1 << 20, tile(8)),
            (1 << 22, tile(12)),
            (u64::MAX, tile(14)),
        ],
        // As many bytes.
        wide_keys: [
            (1 << 17, tile(4)),
            (1 << 19, tile(4)),
            (1 << 20, tile(6)),
            (u64::MAX, tile(7)),
        ],
        pairs: [(1 << 17, tile(4)), (1 << 20, tile(8)), (1 << 22, tile(10)), (u64::MAX, tile(12))],
        histogram: tile(16),
        histogram_groups: GROUPS.into(),
        ..measured
    }
}

/// The sizes of the histogram.
pub(super) fn histogram(measured: HistogramTuning) -> HistogramTuning {
    HistogramTuning {
        min_groups: GROUPS,
        // Half of what is promised, so that two workgroups fit.
        copies_bytes: 8 << 10,
        // A table of 4 KiB, for the same reason.
        cells: 1024,
        lookup_threads: THREADS,
        ..measured
    }
}

#[cfg(test)]
mod tests {
    use crate::device::properties::DeviceProperties;
    use crate::primitives::Policy;
    use crate::primitives::profile::is_cut_down;

    /// Nothing is cut down, so that what is here is what runs.
    #[test]
    fn tiles_fit_what_every_device_has() {
        for subgroup_size in [16, 32, 64, 128] {
            for shared_memory in [16 << 10, 32 << 10] {
                let mut properties =
                    DeviceProperties { subgroup_size, shared_memory, ..Default::default() };
                properties.limits.max_compute_work_group_invocations = 256;
                properties.limits.max_storage_buffer_range = 1 << 27;
                properties.limits.max_compute_work_group_count = [65535; 3];
                let policy = Policy::for_device(&properties);
                assert!(!is_cut_down(&policy), "{subgroup_size}, {shared_memory}: {policy:?}");
            }
        }
    }
}
