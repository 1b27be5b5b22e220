//! Selects whether devices that fail the device probe are refused.

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
    /// Instantiating the first plan with a kernel runs the probe, unless an earlier run stored its result. If the device
    /// fails, this and all later such plans are refused with [`Error::FaultyDevice`](crate::Error::FaultyDevice). On an
    /// [adopted](crate::Context::adopt) device the probe does not run, but a stored failure is respected.
    Refused,
    /// The probe does not run automatically. On a faulty device, results may be wrong.
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
}
