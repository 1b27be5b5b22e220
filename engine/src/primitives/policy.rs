//! Which sizes and methods suit a device. Kernels know nothing of GPU models; this file does.

use ash::vk;
use multisplit_graph::Limits;

use super::histogram::HistogramTuning;
use super::multisplit::{Lockstep, SplitTuning};
use super::sort::SortTuning;
use super::sssp::SsspTuning;
use crate::device::context::Context;
use crate::device::properties::DeviceProperties;
use crate::error::{Error, Result};

/// How a scan is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScanMethod {
    /// The sum of each tile, a scan of the sums, a scan of each tile: three passes that need
    /// nothing of the device beyond barriers.
    ReduceThenScan,
    /// One pass with decoupled look-back: each element is read once and written once.
    LookBack,
    /// Look-back for arrays of up to so many elements, reduce-then-scan for longer ones.
    LookBackUpTo(u64),
}

impl ScanMethod {
    /// The method for `n` elements: one of the first two.
    pub(crate) fn for_length(self, n: u64) -> Self {
        match self {
            Self::LookBackUpTo(most) if n <= most => Self::LookBack,
            Self::LookBackUpTo(_) => Self::ReduceThenScan,
            method => method,
        }
    }
}

/// Sizes and methods for one device. Every field may be set; results never depend on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Threads of a workgroup: a multiple of the subgroup size.
    pub threads: u32,
    /// The scan method; scans that fit one workgroup take a single pass in any case.
    pub scan: ScanMethod,
    /// Threads of the workgroup that scans a short array on its own.
    pub spine_threads: u32,
    /// Largest array, in tiles, that one workgroup scans on its own.
    pub spine_tiles: u32,
    /// Up to this many of its tiles, one workgroup is quicker than several that look back.
    pub lone_tiles: u32,
    /// How often look-back looks in vain before it adds up a missing tile itself.
    pub spin_limit: u32,
    /// Tiles whose words a look-back over buckets reads at a time, from 1 to 32.
    pub look_back_tiles: u32,
    /// `maxStorageBufferRange`: larger arrays are worked on in pieces.
    pub max_storage_range: u64,
    /// `maxComputeWorkGroupCount[0]`: more workgroups than this are folded into rows. Only for
    /// dispatches whose size the device works out; the graph folds the others.
    pub max_groups: u32,
    /// Lanes of a subgroup.
    pub subgroup_size: u32,
    /// Bytes of shared memory that a workgroup has.
    pub shared_memory: u32,
    /// Most threads that a workgroup can have.
    pub max_threads: u32,
    /// Sizes of multisplit.
    pub split: SplitTuning,
    /// Sizes of the histogram.
    pub histogram: HistogramTuning,
    /// Sizes of the radix sort.
    pub sort: SortTuning,
    /// Sizes of searches for shortest paths.
    pub sssp: SsspTuning,
}

/// Tiles that a look-back can have in its registers.
const MOST_LOOK_BACK_TILES: u32 = 32;

impl Policy {
    /// What suits the device.
    pub fn for_device(properties: &DeviceProperties) -> Self {
        let most = properties.limits.max_compute_work_group_invocations;
        let software = properties.device_type == vk::PhysicalDeviceType::CPU;
        // A device that is not usable may have no subgroups at all.
        let subgroup_size = properties.subgroup_size.max(1);
        Self {
            // 256 is at or near the best for every kernel here on the GPU that was measured
            // (docs/performance.md), and within the guarantees of all but the smallest devices.
            threads: (most.min(256) / subgroup_size).max(1) * subgroup_size,
            // Look-back is right everywhere, because its waiting is bounded, and reads its input
            // once. On lavapipe (Mesa 22.3.6, 2 cores) at subgroup sizes of 4, 8 and 16 and n of
            // 2^16, 2^20, 2^22 and 2^24 it took 0.67 to 0.86 of the time of reduce-then-scan (for
            // each, the best of five medians of five). On an H200 it is ahead at 2^16 and 2^20,
            // where it saves a pass, and behind from 2^22 on (docs/performance.md).
            scan: if software { ScanMethod::LookBack } else { ScanMethod::LookBackUpTo(1 << 20) },
            // Loops of software drivers are cut short after 65,535 rounds; and past this size
            // the other workgroups of a GPU idle for longer than another pass costs.
            spine_tiles: 64,
            // One workgroup takes 16,384 elements at a time, and saves a pass. (In software a larger
            // workgroup is no quicker.)
            spine_threads: (most.min(if software { 256 } else { 1024 }) / subgroup_size).max(1)
                * subgroup_size,
            lone_tiles: if software { 1 } else { 2 },
            spin_limit: if software { 32 } else { 1024 },
            look_back_tiles: if software { 1 } else { 4 },
            max_storage_range: u64::from(properties.limits.max_storage_buffer_range),
            max_groups: properties.limits.max_compute_work_group_count[0],
            subgroup_size,
            shared_memory: properties.shared_memory,
            max_threads: most,
            split: SplitTuning::for_device(properties),
            histogram: HistogramTuning::for_device(properties),
            sort: SortTuning::for_device(properties),
            sssp: SsspTuning::for_device(properties),
        }
    }

    /// What suits any device with these limits, if none at its best. Only what goes by
    /// [`subgroup_size`](Self::subgroup_size) needs the device itself.
    pub fn for_limits(limits: &Limits) -> Self {
        // Every subgroup size divides it, and every device has as many threads.
        const THREADS: u32 = 128;
        let properties = DeviceProperties {
            // The most cautious kind of device.
            device_type: vk::PhysicalDeviceType::CPU,
            subgroup_size: 32,
            shared_memory: 16 << 10,
            limits: vk::PhysicalDeviceLimits {
                max_compute_work_group_invocations: limits.max_workgroup_invocations,
                max_compute_work_group_count: limits.max_workgroup_count,
                ..vk::PhysicalDeviceLimits::default()
            },
            ..DeviceProperties::default()
        };
        let suited = Self::for_device(&properties);
        Self {
            threads: (suited.threads / THREADS).max(1) * THREADS,
            spine_threads: (suited.spine_threads / THREADS).max(1) * THREADS,
            scan: ScanMethod::ReduceThenScan,
            max_storage_range: limits.max_storage_range,
            ..suited
        }
    }

    /// How often look-back over buckets looks in vain. Where loops have a bound, looking takes a small
    /// part of it, because other loops of the kernel need rounds too.
    pub(crate) fn spins(&self) -> u32 {
        self.spin_limit.min(self.split.most_loop_rounds / 8)
    }

    /// Refuses what no kernel can follow.
    pub(crate) fn check(&self) -> Result<()> {
        if self.threads == 0 || self.spine_threads == 0 {
            return Err(Error::Policy { problem: "workgroups of no threads" });
        }
        if !(1..=MOST_LOOK_BACK_TILES).contains(&self.look_back_tiles) {
            return Err(Error::Policy { problem: "a look-back at no tiles, or at too many" });
        }
        Ok(())
    }
}

impl Default for Policy {
    /// For any device that Vulkan allows.
    fn default() -> Self {
        Self::for_limits(&Limits::default())
    }
}

impl Context {
    /// The sizes and methods that suit this device.
    pub fn policy(&self) -> Policy {
        let mut policy = Policy::for_device(self.properties());
        if self.has_lane_order() {
            policy.split.lockstep = Lockstep::LaneOrder;
        }
        policy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_without_subgroups_has_a_policy() {
        let policy = Policy::for_device(&DeviceProperties::default());
        assert!(policy.check().is_ok());
    }

    #[test]
    fn workgroups_are_whole_subgroups() {
        for subgroup_size in [4, 8, 16, 32, 64, 128] {
            for most in [128, 192, 256, 1024] {
                let mut properties = DeviceProperties { subgroup_size, ..Default::default() };
                properties.limits.max_compute_work_group_invocations = most;
                let threads = Policy::for_device(&properties).threads;
                assert!(threads > 0 && threads <= most && threads.is_multiple_of(subgroup_size));
                let limits = Limits { max_workgroup_invocations: most, ..Limits::default() };
                let threads = Policy::for_limits(&limits).threads;
                assert!(threads > 0 && threads <= most && threads.is_multiple_of(128));
            }
        }
        assert!(Policy { threads: 0, ..Policy::default() }.check().is_err());
        for look_back_tiles in [0, 33] {
            assert!(Policy { look_back_tiles, ..Policy::default() }.check().is_err());
        }
    }
}
