//! Faults of devices.

use std::fmt;

/// Fault of a device, as observed by the [device probe](crate::Context::probe_device).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeviceFault {
    /// Subgroups have another number of lanes than the driver reports.
    SubgroupSize {
        /// Number of lanes that the driver reports.
        reported: u32,
        /// Number of lanes that the probe observed.
        observed: u32,
    },
    /// Ballots do not have one bit for each lane, in the order of the lanes.
    Ballots,
    /// The subgroup and lane indices of a workgroup's threads have gaps or duplicates.
    Numbers,
    /// Shuffles and broadcasts return values of lanes other than the requested ones.
    Shuffles,
    /// Subgroup sums, minima, maxima, or bitwise ands and ors are wrong.
    Arithmetic,
    /// Atomics on shared memory lose updates if several threads use the same address.
    SharedAtomics,
    /// Atomics on buffers lose updates if several threads use the same address.
    BufferAtomics,
    /// Writes to shared memory before `barrier()` are not visible after it.
    Barriers,
}

impl fmt::Display for DeviceFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SubgroupSize { reported, observed } => {
                return write!(
                    f,
                    "its subgroups run {observed} lanes, but the driver reports {reported}"
                );
            }
            Self::Ballots => {
                "subgroup ballots do not have one bit for each lane, in the order of the lanes"
            }
            Self::Numbers => {
                "the subgroup and lane indices of a workgroup's threads have gaps or duplicates"
            }
            Self::Shuffles => {
                "subgroup shuffles return values of other lanes than the requested ones"
            }
            Self::Arithmetic => {
                "subgroup sums, minima, maxima, ands or ors differ from those of the lanes' values"
            }
            Self::SharedAtomics => {
                "atomics on one word of shared memory by all threads of a workgroup are not exact"
            }
            Self::BufferAtomics => "atomics on one word of a buffer by all threads are not exact",
            Self::Barriers => {
                "writes to shared memory before barrier() are not visible to the workgroup after it"
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subgroup_size_fault_contains_observed_and_reported_sizes() {
        let fault = DeviceFault::SubgroupSize { reported: 64, observed: 32 };
        assert_eq!(fault.to_string(), "its subgroups run 32 lanes, but the driver reports 64");
    }
}
