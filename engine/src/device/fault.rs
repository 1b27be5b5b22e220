//! Faults of devices, and whether devices with faults are refused.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// Environment variable for [`FaultyDevices::Auto`]: `refused` or `used`.
pub const FAULTY_DEVICES_VARIABLE: &str = "MULTISPLIT_FAULTY_DEVICES";

/// Whether a context refuses to run kernels on a device that fails the [device probe](crate::Context::probe_device).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FaultyDevices {
    /// `MULTISPLIT_FAULTY_DEVICES` if it is set, otherwise [`Refused`](Self::Refused).
    #[default]
    Auto,
    /// The first plan that is instantiated runs the probe, unless an earlier run stored its result. If the device
    /// fails, this and all later plans are refused with [`Error::FaultyDevice`](crate::Error::FaultyDevice). On an
    /// [adopted](crate::Context::adopt) device nothing is submitted: only a stored result counts.
    Refused,
    /// The probe does not run by itself. Results may be wrong.
    Used,
}

impl FaultyDevices {
    /// Whether faulty devices are refused. Fails if the environment variable has an unknown value.
    pub(crate) fn are_refused(self) -> Result<bool> {
        match self {
            Self::Refused => Ok(true),
            Self::Used => Ok(false),
            Self::Auto => match std::env::var(FAULTY_DEVICES_VARIABLE) {
                Ok(given) if !given.is_empty() => Ok(given.parse::<Self>()? == Self::Refused),
                Err(std::env::VarError::NotUnicode(given)) => {
                    Err(Error::UnknownFaultyDevices { given: given.to_string_lossy().into_owned() })
                }
                _ => Ok(true),
            },
        }
    }
}

impl FromStr for FaultyDevices {
    type Err = Error;

    /// Parses `refused` or `used`.
    fn from_str(given: &str) -> Result<Self> {
        match given {
            "refused" => Ok(Self::Refused),
            "used" => Ok(Self::Used),
            _ => Err(Error::UnknownFaultyDevices { given: given.to_owned() }),
        }
    }
}

/// Fault of a device, as observed by the [device probe](crate::Context::probe_device).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeviceFault {
    /// Subgroups have another number of lanes than the driver reports.
    SubgroupSize {
        /// Number of lanes that the driver reports.
        reported: u32,
        /// Number of lanes that took part in a ballot.
        observed: u32,
    },
    /// Ballots do not have one bit for each lane, in the order of the lanes.
    Ballots,
    /// Subgroups and lanes do not number the threads of a workgroup without gaps.
    Numbers,
    /// Shuffles and broadcasts return values of other lanes.
    Shuffles,
    /// Subgroup sums, minima, maxima or unions are wrong.
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
                "subgroups and lanes do not number the threads of a workgroup without gaps"
            }
            Self::Shuffles => {
                "subgroup shuffles return values of other lanes than the requested ones"
            }
            Self::Arithmetic => {
                "subgroup sums, minima or maxima differ from those of the lanes' values"
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
    fn faulty_devices_option_accepts_only_refused_and_used() {
        assert_eq!("refused".parse::<FaultyDevices>().ok(), Some(FaultyDevices::Refused));
        assert_eq!("used".parse::<FaultyDevices>().ok(), Some(FaultyDevices::Used));
        for wrong in ["", "Used", "off", "auto"] {
            let outcome = wrong.parse::<FaultyDevices>();
            assert!(
                matches!(outcome, Err(Error::UnknownFaultyDevices { given }) if given == wrong)
            );
        }
    }

    #[test]
    fn faults_name_what_is_found_and_what_is_expected() {
        let fault = DeviceFault::SubgroupSize { reported: 64, observed: 32 };
        assert_eq!(fault.to_string(), "its subgroups run 32 lanes, but the driver reports 64");
    }
}
