//! Tuning parameters of top-k.

use crate::device::properties::DeviceProperties;
use crate::policy::allowed::{any_u64, numbers};
use crate::policy::facts::{Facts, Family};
use crate::policy::table::{size, sizes};

sizes! {
    /// Tuning parameters of the top-k kernels. Results never depend on them.
    pub struct TopKTuning as "topk." {
        /// Maximum length of a row that a single workgroup processes if there are few rows.
        row_elements: u64 = size(any_u64),
        /// Minimum number of rows for which each row is processed by a single workgroup, if the loop limit allows it.
        many_rows: u64 = size(|_| numbers(1, u64::MAX)),
        /// Maximum number of elements per part of a longer row. Each part has one workgroup. 0 means that rows are
        /// never divided into parts.
        part_elements: u64 = size(any_u64),
        /// Approximate number of workgroups of an exact pass (a quarter of it after a filter), and approximate minimum
        /// of the filter. In the last exact pass, each workgroup adds up the counts of preceding workgroups of its row.
        groups: u64 = size(|_| numbers(1, 1 << 16)),
        /// Maximum number of tiles per workgroup of the filter.
        filter_tiles: u64 = size(|_| numbers(1, u64::MAX)),
        /// Maximum number of samples per row for estimating a threshold, unless a single workgroup reads more.
        samples: u64 = size(|_| numbers(1, 1 << 24)),
        /// Target for the number of groups of samples. One workgroup selects from their maxima.
        maxima: u64 = size(|_| numbers(1, 1 << 16)),
    }
}

impl TopKTuning {
    /// The default sizes for a device.
    pub fn for_device(properties: &DeviceProperties) -> Self {
        let software = Family::of(properties) == Family::Software;
        Self {
            // A single workgroup reads a long row several times, but saves a pass. On software drivers, only the total
            // work matters.
            row_elements: if software { 1 << 16 } else { 1 << 14 },
            // Rows that are divided into parts need only two passes. On software drivers, only the total work matters.
            part_elements: if software { 0 } else { 1 << 14 },
            // About two workgroups per multiprocessor of a large GPU.
            many_rows: 256,
            groups: if software { 64 } else { 1056 },
            // Large enough to keep the launch cost of workgroups low, and small enough to balance their load at the
            // end.
            filter_tiles: 8,
            samples: 1 << 20,
            maxima: 2048,
        }
        .fitted(&Facts::of(properties))
    }
}
