//! Sizes of top-k.

use crate::device::properties::DeviceProperties;
use crate::policy::allowed::{any_u64, numbers};
use crate::policy::facts::{Facts, Family};
use crate::policy::table::{size, sizes};

sizes! {
    /// Sizes of the top-k kernels. Results never depend on them.
    pub struct TopKTuning as "topk." {
        /// Rows of at most this many elements get one workgroup each.
        row_elements: u64 = size(any_u64),
        /// With at least this many rows, each row gets one workgroup, regardless of its length.
        many_rows: u64 = size(|_| numbers(1, u64::MAX)),
        /// Longer rows are divided into parts of at most this many elements, with one workgroup each. 0
        /// disables this.
        part_elements: u64 = size(any_u64),
        /// Approximate number of workgroups of a pass over the whole array. Each workgroup sums the counts of
        /// its predecessors.
        groups: u64 = size(|_| numbers(1, 1 << 16)),
        /// Maximum number of tiles per workgroup of the filter.
        filter_tiles: u64 = size(|_| numbers(1, u64::MAX)),
        /// Maximum number of samples per row for estimating a bound.
        samples: u64 = size(|_| numbers(1, 1 << 24)),
        /// Maximum number of groups of samples. One workgroup selects from their maxima, and reads them once
        /// per digit.
        maxima: u64 = size(|_| numbers(1, 1 << 16)),
    }
}

impl TopKTuning {
    /// The default sizes for a device.
    pub fn for_device(properties: &DeviceProperties) -> Self {
        let software = Family::of(properties) == Family::Software;
        Self {
            // One workgroup reads a row several times, but saves a pass. On software drivers only the total
            // work matters.
            row_elements: if software { 1 << 16 } else { 1 << 14 },
            // Parts are read twice, and need one additional pass instead of six. On software drivers only the
            // total work matters.
            part_elements: if software { 0 } else { 1 << 14 },
            // About twice the number of workgroups that a large GPU runs concurrently.
            many_rows: 256,
            groups: if software { 64 } else { 1056 },
            // Few enough workgroups to keep launch costs low, and enough of them to balance the load at the
            // end.
            filter_tiles: 8,
            samples: 1 << 20,
            maxima: 2048,
        }
        .fitted(&Facts::of(properties))
    }
}
