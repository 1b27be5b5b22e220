//! Whether kernels may rely on what a device was seen to do, or only on what Vulkan promises.

use std::str::FromStr;

use crate::error::{Error, Result};

/// The environment variable that says what ranking may rely on: `promised` or `probed`.
pub const RANKING_VARIABLE: &str = "MULTISPLIT_RANKING";

/// What the kernels that rank the keys of a tile may rely on. Results never depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RankingChoice {
    /// `MULTISPLIT_RANKING` where it is set, else [`Probed`](Self::Probed).
    #[default]
    Auto,
    /// Only what Vulkan promises: ranking by ballots. Lane order is not probed, so nothing is submitted for it.
    Promised,
    /// Also what the device was seen to do: ranking by lane order, where a probe has shown that the
    /// device keeps it. Where no earlier run has kept the result, the first [`Context::policy`] or
    /// [`Context::work`] submits the probe and waits for it. Kernels check a sample of their tiles.
    ///
    /// [`Context::policy`]: crate::Context::policy
    /// [`Context::work`]: crate::Context::work
    Probed,
}

impl RankingChoice {
    /// Whether probed behaviour may be relied on. A variable that says something else is an error.
    pub(crate) fn allows_probed(self) -> Result<bool> {
        match self {
            Self::Promised => Ok(false),
            Self::Probed => Ok(true),
            Self::Auto => match std::env::var(RANKING_VARIABLE) {
                Ok(given) if !given.is_empty() => Ok(given.parse::<Self>()? == Self::Probed),
                Err(std::env::VarError::NotUnicode(given)) => {
                    Err(Error::UnknownRanking { given: given.to_string_lossy().into_owned() })
                }
                _ => Ok(true),
            },
        }
    }
}

impl FromStr for RankingChoice {
    type Err = Error;

    /// `promised` or `probed`.
    fn from_str(given: &str) -> Result<Self> {
        match given {
            "promised" => Ok(Self::Promised),
            "probed" => Ok(Self::Probed),
            _ => Err(Error::UnknownRanking { given: given.to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_have_names() {
        assert_eq!("promised".parse::<RankingChoice>().ok(), Some(RankingChoice::Promised));
        assert_eq!("probed".parse::<RankingChoice>().ok(), Some(RankingChoice::Probed));
        for wrong in ["", "Probed", "both", "auto"] {
            let outcome = wrong.parse::<RankingChoice>();
            assert!(matches!(outcome, Err(Error::UnknownRanking { given }) if given == wrong));
        }
    }
}
