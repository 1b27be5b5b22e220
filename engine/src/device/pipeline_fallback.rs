//! Selects whether a context falls back to simpler plans if the driver cannot create a pipeline.

use std::str::FromStr;

use crate::error::{Error, Result};

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
        match self {
            Self::On => Ok(true),
            Self::Off => Ok(false),
            Self::Auto => match std::env::var(PIPELINE_FALLBACK_VARIABLE) {
                Ok(given) if !given.is_empty() => Ok(given.parse::<Self>()? == Self::On),
                Err(std::env::VarError::NotUnicode(given)) => {
                    let given = given.to_string_lossy().into_owned();
                    Err(Error::UnknownPipelineFallback { given })
                }
                _ => Ok(true),
            },
        }
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
