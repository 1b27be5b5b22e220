//! Device limits and properties that sizes must respect. Callers can read them from a policy, but not raise them.

use std::ops::Deref;

use ash::vk;

use crate::device::DeviceProperties;
use crate::error::{Error, Result};
use crate::fallback::PlanForm;

/// PCI vendor id of NVIDIA.
const NVIDIA: u32 = 0x10de;
/// Minimum shared memory that the kernels need, in bytes: half of what Vulkan guarantees.
const MIN_SHARED_MEMORY: u64 = 8 << 10;
/// Minimum size of a storage binding, in bytes: enough for a tile and its counters.
const MIN_STORAGE_RANGE: u64 = 1 << 10;
/// Minimum number of loop iterations that a kernel needs to process a tile.
const MIN_LOOP_ROUNDS: u64 = 4096;
/// Minimum number of samples that one thread of a histogram must be able to count.
const MIN_SAMPLES: u64 = 256;

/// Device families with their own default sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// A software driver.
    Software,
    /// NVIDIA GPUs. Their sizes were measured on one model (H200).
    Nvidia,
    /// Any other GPU. Their sizes are estimates; none of these GPUs was measured.
    Other,
}

impl Family {
    pub fn of(properties: &DeviceProperties) -> Self {
        match (properties.device_type, properties.vendor_id) {
            (vk::PhysicalDeviceType::CPU, _) => Self::Software,
            (_, NVIDIA) => Self::Nvidia,
            _ => Self::Other,
        }
    }
}

/// Device limits and properties that sizes must respect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceFacts {
    /// Lanes per subgroup.
    pub subgroup_size: u32,
    /// Maximum workgroup size.
    pub max_threads: u32,
    /// Shared memory per workgroup, in bytes.
    pub shared_memory: u32,
    /// `maxStorageBufferRange`. Larger arrays are processed in pieces.
    pub max_storage_range: u64,
    /// `maxComputeWorkGroupCount[0]`. If a dispatch needs more workgroups, they are spread over x and y: by the graph
    /// for direct dispatches, and by kernels that compute the counts of indirect dispatches.
    pub max_groups: u32,
    /// Number of loop iterations, summed over all loops of one invocation, after which the driver ends every loop.
    /// `None` if there is no limit.
    pub loop_limit: Option<u32>,
    /// Maximum number of loop iterations per invocation, summed over all loops, for which the engine plans kernels.
    /// By default, only software drivers are limited.
    pub max_loop_rounds: u32,
    /// Maximum number of samples that one thread of a histogram counts. By default, only software drivers are limited.
    pub max_samples: u32,
    /// Maximum number of elements per thread in tiles of sorts and splits. Not limited by default, but lowered if the
    /// driver could not create a pipeline.
    pub max_items: u32,
    /// Form of the plans. Not `Usual` if the driver could not create a pipeline.
    pub form: PlanForm,
    /// Whether kernels may rely on lane order ([`RankingChoice::Probed`](crate::RankingChoice::Probed)).
    pub lane_order: bool,
}

impl DeviceFacts {
    /// Whether the device is a software driver. Only software drivers limit loop iterations.
    pub(crate) fn is_software(&self) -> bool {
        self.loop_limit.is_some()
    }

    /// The largest workgroup size that is a multiple of the subgroup size and at most `threads`. At least one
    /// subgroup.
    pub(crate) fn whole_subgroups(&self, threads: u32) -> u32 {
        let size = self.subgroup_size;
        (threads.min(self.max_threads) / size).max(1) * size
    }

    /// Rejects limits that are too low for the kernels.
    pub(crate) fn check(&self) -> Result<()> {
        for (name, value, min) in [
            ("shared_memory", u64::from(self.shared_memory), MIN_SHARED_MEMORY),
            ("max_threads", self.max_threads.into(), self.subgroup_size.into()),
            ("max_storage_range", self.max_storage_range, MIN_STORAGE_RANGE),
            ("max_groups", self.max_groups.into(), 1),
            ("max_loop_rounds", self.max_loop_rounds.into(), MIN_LOOP_ROUNDS),
            ("max_samples", self.max_samples.into(), MIN_SAMPLES),
            ("max_items", self.max_items.into(), 1),
        ] {
            if value < min {
                let problem =
                    format!("the limit `{name}` is {value}, but at least {min} is needed");
                return Err(Error::Policy { problem });
            }
        }
        Ok(())
    }
}

/// Limits and properties of one device. Callers can read them from a policy, but not raise them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts(DeviceFacts);

impl Deref for Facts {
    type Target = DeviceFacts;

    fn deref(&self) -> &DeviceFacts {
        &self.0
    }
}

impl Facts {
    pub(crate) fn of(properties: &DeviceProperties) -> Self {
        let software = Family::of(properties) == Family::Software;
        Self(DeviceFacts {
            // An unusable device may report a subgroup size of 0.
            subgroup_size: properties.subgroup_size.max(1),
            max_threads: properties.limits.max_compute_work_group_invocations,
            shared_memory: properties.shared_memory,
            max_storage_range: u64::from(properties.limits.max_storage_buffer_range),
            max_groups: properties.limits.max_compute_work_group_count[0],
            loop_limit: properties.loop_limit(),
            max_loop_rounds: if software { 16_384 } else { u32::MAX },
            max_samples: if software { 2048 } else { u32::MAX },
            max_items: u32::MAX,
            form: PlanForm::Usual,
            lane_order: false,
        })
    }

    /// Lowers limits to the values that `change` sets. Limits that `change` raises keep their value.
    pub(crate) fn lower(&mut self, change: impl FnOnce(&mut DeviceFacts)) {
        let (mut lowered, facts) = (self.0, &mut self.0);
        change(&mut lowered);
        facts.max_threads = facts.max_threads.min(lowered.max_threads);
        facts.shared_memory = facts.shared_memory.min(lowered.shared_memory);
        facts.max_storage_range = facts.max_storage_range.min(lowered.max_storage_range);
        facts.max_groups = facts.max_groups.min(lowered.max_groups);
        facts.max_loop_rounds = facts.max_loop_rounds.min(lowered.max_loop_rounds);
        facts.max_samples = facts.max_samples.min(lowered.max_samples);
        facts.max_items = facts.max_items.min(lowered.max_items);
        facts.form = facts.form.max(lowered.form);
        facts.loop_limit = facts.loop_limit.into_iter().chain(lowered.loop_limit).min();
    }

    /// Sets whether kernels may rely on lane order.
    pub(crate) fn set_lane_order(&mut self, lane_order: bool) {
        self.0.lane_order = lane_order;
    }

    /// Whether to probe the device for lane order. Only NVIDIA GPUs are expected to keep it.
    pub(crate) fn may_have_lane_order(properties: &DeviceProperties) -> bool {
        Family::of(properties) == Family::Nvidia
    }

    /// Changes limits and properties, for an artificial device.
    #[cfg(test)]
    pub(crate) fn with(mut self, change: impl FnOnce(&mut DeviceFacts)) -> Self {
        change(&mut self.0);
        self
    }
}
