//! The sizes of top-k, and where they come from.

use crate::device::properties::DeviceProperties;
use crate::policy::allowed::{any_u64, numbers};
use crate::policy::facts::{Facts, Family};
use crate::policy::table::{size, sizes};

sizes! {
    /// Sizes of the top-k kernels. Results never depend on them.
    pub struct TopKTuning as "topk." {
        /// Rows of up to so many elements are a workgroup's each.
        row_elements: u64 = size(any_u64),
        /// So many rows or more are a workgroup's each, whatever their length.
        many_rows: u64 = size(|_| numbers(1, u64::MAX)),
        /// Longer ones are cut into parts of up to so many, each of which is a workgroup's; 0: they are not cut.
        part_elements: u64 = size(any_u64),
        /// Workgroups of a pass over everything, about. Each adds up the counts of those before it.
        groups: u64 = size(|_| numbers(1, 1 << 16)),
        /// Tiles that a workgroup of the filter reads, at most.
        filter_tiles: u64 = size(|_| numbers(1, u64::MAX)),
        /// Elements of a row that a bound is guessed from, at most.
        samples: u64 = size(|_| numbers(1, 1 << 24)),
        /// Groups of these, whose largest elements one workgroup selects from, at most. It reads them once per digit.
        maxima: u64 = size(|_| numbers(1, 1 << 16)),
    }
}

impl TopKTuning {
    /// What suits the device.
    pub fn for_device(properties: &DeviceProperties) -> Self {
        let software = Family::of(properties) == Family::Software;
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
        .fitted(&Facts::of(properties))
    }
}
