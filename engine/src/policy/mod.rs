//! Sizes (tuning parameters) and methods for each kind of device. Only the tables here and in the `sizes.rs` of each
//! operation depend on the GPU model. Kernels do not.

pub(crate) mod allowed;
pub(crate) mod facts;
mod fit;
mod form;
pub(crate) mod method;
pub(crate) mod profile;
pub(crate) mod size;
pub(crate) mod table;
pub(crate) mod tile;

pub use allowed::Allowed;
pub use facts::{DeviceFacts, Facts};
pub use table::Field;

use crate::device::DeviceProperties;
use crate::error::Result;
use crate::operations::histogram::sizes::HistogramTuning;
use crate::operations::sort::sizes::SortTuning;
use crate::operations::split::sizes::SplitTuning;
use crate::operations::topk::sizes::TopKTuning;
use allowed::{any_u32, multiples, numbers, threads};
use facts::Family;
use method::ScanMethod;
use size::{scan_methods, words};
use table::{Holds, size, sizes};

/// Maximum number of elements of a plan. Look-back stores a count and two state bits in one 32-bit word.
pub(crate) const MAX_ELEMENTS: u64 = (1 << 30) - 1;
/// Minimum of `max_elements`. With fewer elements, an array could not be divided into two aligned pieces.
const MIN_ELEMENTS: u64 = 128;
/// Maximum of `spin_limit`. More polls take longer than recomputing the missing tile.
const MAX_SPINS: u64 = 1 << 22;

sizes! {
    /// Sizes and methods for one device. All of them may be changed. They affect performance, but not results, except
    /// that sums of floats, and results of GLSL operators that round, may round differently.
    pub struct Policy as "", check_facts {
        /// Workgroup size: a multiple of the subgroup size.
        threads: u32 = size(threads).candidates(|_| &[64, 128, 256, 512, 1024]),
        /// Look-back scans of at most this many elements use small tiles: more workgroups, with less work each.
        small_scans_up_to: u32 = size(any_u32).candidates(|_| &[0, 1 << 16, 1 << 18, 1 << 20, 1 << 22]),
        /// Selections of at most this many elements use small tiles. Partitions never do.
        small_selects_up_to: u32 = size(any_u32).candidates(|_| &[0, 1 << 16, 1 << 18, 1 << 20]),
        /// Workgroup size for small tiles.
        small_threads: u32 = size(threads).candidates(|_| &[128, 256, 512]),
        /// Workgroup size of selections and partitions. Does not apply to small tiles or run lengths.
        select_threads: u32 = size(threads),
        /// Workgroup size of reductions by key.
        by_key_threads: u32 = size(threads),
        /// Number of elements of a long segment that its own worker (a subgroup or a workgroup) reduces; a multiple of
        /// four. The rest is divided between other workers. Arrays of more than 4,096 times this number have larger
        /// chunks. Segments have workers of their own if their average length is at least 1/32 of this number, or
        /// 1/128 if workers are subgroups.
        segment_chunk: u32 = size(|_| multiples(4, u32::MAX.into())),
        /// Minimum number of workers of a segmented reduction for which each worker is a subgroup: as many subgroups as
        /// fill the device. With fewer workers, each worker is a workgroup. If a matrix has at least 1/8 of this number
        /// of rows, each row has exactly one worker, unless a row exceeds the device's loop limit.
        min_subgroup_workers: u32 = size(any_u32),
        /// Scan method. Short arrays are scanned by a single workgroup instead.
        scan: ScanMethod = size(scan_methods),
        /// Maximum workgroup size of scans by a single workgroup.
        spine_threads: u32 = size(threads).candidates(|_| &[256, 512, 1024]),
        /// Maximum number of tiles that a single workgroup may scan.
        spine_tiles: u32 = size(|_| numbers(1, 1024)),
        /// Maximum number of tiles for which a single workgroup is faster than several workgroups with look-back.
        single_group_tiles: u32 = size(any_u32).candidates(|_| &[1, 2, 4]),
        /// Maximum number of failed polls before look-back recomputes the missing tile, at most 2^22. Devices that
        /// limit loop iterations may use a lower limit.
        spin_limit: u32 = size(|_| numbers(0, MAX_SPINS)),
        /// Whether workgroups of scans, reductions by key, selections and small sorts take tiles by tickets, in the
        /// order in which they start, instead of by workgroup index. Without tickets, workgroups that start out of
        /// order wait for tiles that have not started, time out, and recompute these tiles. On devices that limit loop
        /// iterations, tickets are also used if recomputing all preceding tiles would exceed the limit.
        tickets: bool = size(words::<bool>),
        /// Number of tile states that look-back over buckets reads at a time, from 1 to 32.
        look_back_tiles: u32 = size(|_| numbers(1, 32)).candidates(|_| &[1, 2, 4, 8, 16]),
        /// Maximum number of elements per plan of most one-call functions, at most 2^30 - 1. Larger arrays are
        /// processed in several plans.
        max_elements: u64 = size(|_| numbers(MIN_ELEMENTS, MAX_ELEMENTS)).unstored(),
        /// Device limits that sizes must respect.
        facts: Facts,
        /// Sizes of splits.
        split: SplitTuning,
        /// Sizes of histograms.
        histogram: HistogramTuning,
        /// Sizes of radix sorts.
        sort: SortTuning,
        /// Sizes of top-k.
        topk: TopKTuning,
    }
}

/// Declares the fields of a policy that contain the sizes of operations.
macro_rules! parts {
    ($($part:ident: $of:ty),*) => {
        $(impl Holds<$of> for Policy {
            fn part(&self) -> &$of {
                &self.$part
            }

            fn part_mut(&mut self) -> &mut $of {
                &mut self.$part
            }
        })*

        /// All sizes of a policy and its operations.
        pub(crate) fn all_sizes() -> impl Iterator<Item = &'static Field<Policy>> {
            [$(<$of>::fields::<Policy>(),)* Policy::fields::<Policy>()].into_iter().flatten()
        }

        impl Policy {
            /// Rejects a policy if any size, including those of all operations, is not allowed.
            pub(crate) fn check_all(&self) -> Result<()> {
                $(self.$part.check_on(&self.facts)?;)*
                self.check()
            }
        }
    };
}

parts!(sort: SortTuning, split: SplitTuning, histogram: HistogramTuning, topk: TopKTuning);

impl Policy {
    /// The default methods and tile sizes for a device.
    pub fn for_device(properties: &DeviceProperties) -> Self {
        let software = Family::of(properties) == Family::Software;
        let nvidia = Family::of(properties) == Family::Nvidia;
        let facts = Facts::of(properties);
        Self {
            // For every kernel that uses this size, 256 is at or near the optimum on the measured GPU
            // (docs/performance.md). All but the smallest devices support it.
            threads: 256,
            // Small tiles give small arrays enough workgroups to occupy every multiprocessor
            // (docs/performance-log.md, 79). On software drivers, each workgroup costs time.
            small_scans_up_to: if software { 0 } else { 1 << 22 },
            small_selects_up_to: if software { 0 } else { 1 << 20 },
            small_threads: if nvidia { 512 } else { 256 },
            // Larger tiles need fewer look-backs (docs/performance-log.md, 52). With 384 threads, a tile has 12,288
            // keys of 32 bits.
            select_threads: if nvidia { 384 } else { 256 },
            // On an H200, 512 threads with 12 elements each were the fastest (docs/performance-log.md, 54).
            by_key_threads: if nvidia { 512 } else { 256 },
            // Each long segment has its own worker. A worker per tile would have to search for the few offsets in the
            // tile, which is slow (docs/performance-log.md, 55). Other chunk sizes were slower (entry 71).
            segment_chunk: 1 << 14,
            min_subgroup_workers: 4096,
            // Look-back is correct on every device, because its waits are bounded, and it reads its input once.
            // On lavapipe (Mesa 22.3.6, 2 cores), at subgroup sizes of 4, 8 and 16 and n of 2^16, 2^20, 2^22
            // and 2^24, it took 0.67 to 0.86 of the time of reduce-then-scan (each time is the shortest of five
            // medians of five runs). On an H200 it is faster at every size, although only slightly at 2^25 and
            // 2^28. Its speed depends on the order in which a device schedules workgroups. Devices that were not
            // measured therefore use it only for small arrays, where saving a pass matters most.
            scan: if software || nvidia {
                ScanMethod::LookBack
            } else {
                ScanMethod::LookBackUpTo(1 << 20)
            },
            // Software drivers end loops after 65,535 iterations, which limits how many tiles one workgroup can scan.
            // On a GPU, a single workgroup leaves most multiprocessors idle, so for more tiles another pass is faster.
            spine_tiles: 64,
            // A single workgroup of 1,024 threads processes 16,384 elements at a time and saves a pass. On software
            // drivers, workgroups of more than 256 threads are not faster.
            spine_threads: if software { 256 } else { 1024 },
            single_group_tiles: if software { 1 } else { 2 },
            spin_limit: if software { 32 } else { 1024 },
            // NVIDIA GPUs do not need tickets: they start workgroups nearly in order (docs/performance-log.md, 52).
            tickets: !nvidia,
            look_back_tiles: if software { 1 } else { 4 },
            max_elements: MAX_ELEMENTS,
            facts,
            split: SplitTuning::for_device(properties),
            histogram: HistogramTuning::for_device(properties),
            sort: SortTuning::for_device(properties),
            topk: TopKTuning::for_device(properties),
        }
        .fitted(&facts)
    }

    /// All sizes, each with its name, formatter, parser and allowed values.
    #[cfg(feature = "tuning")]
    pub fn sizes() -> impl Iterator<Item = &'static Field<Self>> {
        all_sizes()
    }

    /// The device limits that sizes respect, and the form of plans.
    pub fn facts(&self) -> &DeviceFacts {
        &self.facts
    }

    /// Lowers the device limits and reduces the sizes to fit them, for example to leave part of the device to other
    /// programs, or for tests. Limits cannot be raised. The subgroup size cannot be changed.
    ///
    /// ```
    /// use multisplit::{DeviceProperties, Policy};
    ///
    /// let policy = Policy::for_device(&DeviceProperties::default());
    /// let in_pieces = policy.lowered(|facts| facts.max_storage_range = 1 << 20);
    /// # let _ = in_pieces;
    /// ```
    #[must_use]
    pub fn lowered(mut self, change: impl FnOnce(&mut DeviceFacts)) -> Self {
        self.facts.lower(change);
        let facts = self.facts;
        all_sizes().for_each(|field| (field.fit)(&mut self, &facts));
        self
    }

    /// Rejects sizes of this struct that are not allowed. Each operation checks its own sizes when it is planned.
    pub(crate) fn check(&self) -> Result<()> {
        self.check_on(&self.facts)
    }

    fn check_facts(&self, facts: &DeviceFacts) -> Result<()> {
        facts.check()?;
        self.split.check_ranking(facts)
    }

    pub(crate) fn rank_by_lane_order(&mut self) {
        self.facts.set_lane_order(true);
        self.split = self.split.by_lane_order();
        self.sort = self.sort.by_lane_order();
    }

    #[cfg(feature = "broken-plans")]
    pub(crate) fn rank_by_ballots(&mut self) {
        self.facts.set_lane_order(false);
        self.split.ranking = method::Ranking::Ballots;
    }
}

/// Properties of a device with low limits.
#[cfg(test)]
pub(crate) fn test_properties(subgroup_size: u32, max_threads: u32) -> DeviceProperties {
    let mut properties =
        DeviceProperties { subgroup_size, shared_memory: 16 << 10, ..Default::default() };
    properties.limits.max_compute_work_group_invocations = max_threads;
    properties.limits.max_storage_buffer_range = 1 << 27;
    properties.limits.max_compute_work_group_count = [65535; 3];
    properties
}

#[cfg(test)]
pub(crate) fn test_policy(subgroup_size: u32, max_threads: u32) -> Policy {
    Policy::for_device(&test_properties(subgroup_size, max_threads))
}

/// Policy with the limit on loop iterations of software drivers.
#[cfg(test)]
pub(crate) fn limited_policy(subgroup_size: u32) -> Policy {
    test_policy(subgroup_size, 1024).with_facts(|facts| facts.loop_limit = Some(65_535))
}

#[cfg(test)]
impl Policy {
    /// Changes the device facts, for an artificial device.
    pub(crate) fn with_facts(self, change: impl FnOnce(&mut DeviceFacts)) -> Self {
        Self { facts: self.facts.with(change), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_sizes_are_allowed_and_invalid_sizes_are_rejected() {
        for subgroup_size in [4, 8, 16, 32, 64, 128] {
            for max_threads in [128, 192, 256, 1024] {
                let policy = test_policy(subgroup_size, max_threads);
                let threads = policy.threads;
                assert!(
                    threads > 0 && threads <= max_threads && threads.is_multiple_of(subgroup_size)
                );
                assert!(
                    policy.check().is_ok(),
                    "invalid sizes for subgroups of {subgroup_size}, at most {max_threads} threads: {:?}",
                    policy.check()
                );
            }
        }
        let policy = test_policy(32, 256);
        assert!(Policy { threads: 0, ..policy }.check().is_err());
        assert!(Policy { threads: 48, ..policy }.check().is_err());
        for look_back_tiles in [0, 33] {
            assert!(Policy { look_back_tiles, ..policy }.check().is_err());
        }
    }
}
