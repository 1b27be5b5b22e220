//! Choices that the caller makes, or otherwise an environment variable: how kernels rank keys, whether devices that
//! fail the device probe are refused, and whether a context falls back to simpler plans.

use std::str::FromStr;

use crate::error::{Error, Result};

/// Replaces `Auto`, the default of every choice, by the value of the environment variable, if it is set. Fails if the
/// value is unknown.
fn resolved<T>(choice: T, variable: &str) -> Result<T>
where
    T: FromStr<Err = Error> + Default + PartialEq,
{
    match std::env::var_os(variable).filter(|value| !value.is_empty()) {
        // Text that is not Unicode is not a known value after the conversion either.
        Some(value) if choice == T::default() => value.to_string_lossy().parse(),
        _ => Ok(choice),
    }
}

/// Environment variable for [`RankingChoice::Auto`]: `promised` or `probed`.
pub const RANKING_VARIABLE: &str = "MULTISPLIT_RANKING";

/// Device behaviour that kernels may rely on when they rank the keys of a tile: compute the position of each key among
/// the keys with the same bucket. The choice affects performance, never results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RankingChoice {
    /// `MULTISPLIT_RANKING` if it is set, otherwise [`Probed`](Self::Probed).
    #[default]
    Auto,
    /// Only behaviour that Vulkan guarantees. Keys are ranked by subgroup ballots. The lane-order probe is not
    /// submitted.
    Promised,
    /// Also lane order, if a probe has observed it: the lanes of a subgroup execute the shared-memory atomics of one
    /// instruction in order of their index. Kernels then rank keys by the values that these atomics return, and check
    /// the order in a sample of their tiles. On devices that are expected to keep lane order (NVIDIA GPUs), the first
    /// [`Context::policy`] or [`Context::work`] submits the probe and waits for it, unless an earlier run stored its
    /// result.
    ///
    /// [`Context::policy`]: crate::Context::policy
    /// [`Context::work`]: crate::Context::work
    Probed,
}

impl RankingChoice {
    /// Whether kernels may rely on probed behaviour. Fails if the environment variable has an unknown value.
    pub(crate) fn allows_probed(self) -> Result<bool> {
        Ok(resolved(self, RANKING_VARIABLE)? != Self::Promised)
    }
}

impl FromStr for RankingChoice {
    type Err = Error;

    /// Parses `promised` or `probed`.
    fn from_str(given: &str) -> Result<Self> {
        match given {
            "promised" => Ok(Self::Promised),
            "probed" => Ok(Self::Probed),
            _ => Err(Error::UnknownRanking { given: given.to_owned() }),
        }
    }
}

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
        Ok(resolved(self, FAULTY_DEVICES_VARIABLE)? != Self::Used)
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

/// Environment variable for [`PipelineFallback::Auto`]: `on` or `off`.
pub const PIPELINE_FALLBACK_VARIABLE: &str = "MULTISPLIT_PIPELINE_FALLBACK";

/// Whether a context falls back to plans with smaller tiles and simpler methods ([`PlanForm`](crate::PlanForm)) if the
/// driver cannot create a pipeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PipelineFallback {
    /// `MULTISPLIT_PIPELINE_FALLBACK` if it is set, otherwise [`On`](Self::On).
    #[default]
    Auto,
    /// One-call functions retry with smaller tiles, and then also with methods in several passes. Other calls return
    /// [`Error::Pipeline`]; work that is declared afterwards is planned in this simpler way.
    On,
    /// Every call that needs such a pipeline returns [`Error::Pipeline`], and later plans do not change.
    Off,
}

impl PipelineFallback {
    /// Whether the fallback is on. Fails if the environment variable has an unknown value.
    pub(crate) fn is_on(self) -> Result<bool> {
        Ok(resolved(self, PIPELINE_FALLBACK_VARIABLE)? != Self::Off)
    }
}

impl FromStr for PipelineFallback {
    type Err = Error;

    /// Parses `on` or `off`.
    fn from_str(given: &str) -> Result<Self> {
        match given {
            "on" => Ok(Self::On),
            "off" => Ok(Self::Off),
            _ => Err(Error::UnknownPipelineFallback { given: given.to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranking_choices_are_parsed_by_name() {
        assert_eq!("promised".parse::<RankingChoice>().ok(), Some(RankingChoice::Promised));
        assert_eq!("probed".parse::<RankingChoice>().ok(), Some(RankingChoice::Probed));
        for wrong in ["", "Probed", "both", "auto"] {
            let outcome = wrong.parse::<RankingChoice>();
            assert!(matches!(outcome, Err(Error::UnknownRanking { given }) if given == wrong));
        }
    }

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
    fn pipeline_fallback_accepts_only_on_and_off() {
        assert_eq!("on".parse::<PipelineFallback>().ok(), Some(PipelineFallback::On));
        assert_eq!("off".parse::<PipelineFallback>().ok(), Some(PipelineFallback::Off));
        for wrong in ["", "On", "auto", "1"] {
            let outcome = wrong.parse::<PipelineFallback>();
            assert!(
                matches!(outcome, Err(Error::UnknownPipelineFallback { given }) if given == wrong)
            );
        }
    }
}
