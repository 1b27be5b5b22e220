//! The sizes of top-k, and where they come from.

use ash::vk;

use crate::device::properties::DeviceProperties;
use crate::error::Result;
use crate::primitives::policy::require;
use crate::primitives::tunable::tunable;

tunable! {
    /// Sizes of the top-k kernels. Results never depend on them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct TopKTuning {
        /// Rows of up to so many elements are a workgroup's each.
        row_elements: u64,
        /// So many rows or more are a workgroup's each, whatever their length.
        many_rows: u64,
        /// Longer ones are cut into parts of up to so many, each of which is a workgroup's; 0: they are not cut.
        part_elements: u64,
        /// Workgroups of a pass over everything, about.
        groups: u64,
        /// Tiles that a workgroup of the filter reads, at most.
        filter_tiles: u64,
        /// Elements of a row that a bound is guessed from, at most.
        samples: u64,
        /// Groups of these, whose largest elements one workgroup selects from, at most.
        maxima: u64,
    }
}

impl TopKTuning {
    /// What suits the device.
    pub fn for_device(properties: &DeviceProperties) -> Self {
        let software = properties.device_type == vk::PhysicalDeviceType::CPU;
        Self {
            // Several reads by one workgroup against a pass more. In software only the sum counts.
            row_elements: if software { 1 << 16 } else { 1 << 14 },
            // Two reads, and one pass more instead of six. In software only the sum counts.
            part_elements: if software { 0 } else { 1 << 14 },
            // As many as a large GPU runs side by side, twice.
            many_rows: 256,
            groups: if software { 64 } else { 1056 },
            // Few enough workgroups that beginning one costs little, and enough of them that none is
            // waited for at the end.
            filter_tiles: 8,
            samples: 1 << 20,
            maxima: 2048,
        }
    }

    /// Refuses sizes that nothing can be cut by.
    pub(super) fn check(&self) -> Result<()> {
        let groups = (1..=MAX_GROUPS).contains(&self.groups);
        require(groups, "`topk.groups` is not from 1 to 2^16")?;
        require(self.filter_tiles > 0, "`topk.filter_tiles` is 0")?;
        require(self.many_rows > 0, "`topk.many_rows` is 0")?;
        let samples = (1..=MAX_SAMPLES).contains(&self.samples);
        require(samples, "`topk.samples` is not from 1 to 2^24")?;
        let maxima = (1..=MAX_MAXIMA).contains(&self.maxima);
        require(maxima, "`topk.maxima` is not from 1 to 2^16")
    }
}

/// Each workgroup adds up what those before it have.
const MAX_GROUPS: u64 = 1 << 16;
/// More would be no sample.
const MAX_SAMPLES: u64 = 1 << 24;
/// One workgroup goes over them for every digit.
const MAX_MAXIMA: u64 = 1 << 16;
