//! The sizes of multisplit that were measured, and where.

use ash::vk;

use crate::properties::DeviceProperties;

/// Sizes of the multisplit kernels. Every field may be set; results never depend on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitTuning {
    /// Threads of a workgroup, where shared memory allows.
    pub threads: u32,
    /// Keys of a thread in a tile of the block-level and one-sweep methods.
    pub key_items: u32,
    /// The same for key-value pairs.
    pub pair_items: u32,
    /// Windows in a tile of the warp-level method.
    pub warp_items: u32,
    /// Least keys of a subproblem.
    pub least_keys: u32,
    /// Tiles that a workgroup of the one-sweep histogram counts.
    pub histogram_parts: u32,
    /// Up to this many buckets are counted by votes, more by atomics in shared memory.
    pub most_buckets_by_votes: u32,
    /// Copies of the counters of the latter.
    pub counter_copies: u32,
    /// Rounds of one loop of a kernel, in all; a bound that only software drivers have.
    pub most_loop_rounds: u32,
}

impl SplitTuning {
    /// What suits the device.
    pub fn for_device(properties: &DeviceProperties) -> Self {
        let software = properties.device_type == vk::PhysicalDeviceType::CPU;
        let most = properties.limits.max_compute_work_group_invocations.min(256);
        let size = properties.subgroup_size.max(1);
        Self {
            threads: (most / size * size).max(size),
            // Software drivers compile what is unrolled for longer than it then runs.
            key_items: if software { 4 } else { 16 },
            pair_items: if software { 4 } else { 16 },
            warp_items: if software { 4 } else { 8 },
            least_keys: 2048,
            histogram_parts: if software { 2 } else { 8 },
            most_buckets_by_votes: 32,
            counter_copies: 2,
            most_loop_rounds: if software { 16_384 } else { u32::MAX },
        }
    }
}
