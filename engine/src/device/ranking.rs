//! Selects whether kernels that rank keys rely on probed device behaviour, or only on Vulkan's guarantees.

use std::str::FromStr;

use crate::error::{Error, Result};

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

    /// Parses `promised` or `probed`.
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
    fn ranking_choices_are_parsed_by_name() {
        assert_eq!("promised".parse::<RankingChoice>().ok(), Some(RankingChoice::Promised));
        assert_eq!("probed".parse::<RankingChoice>().ok(), Some(RankingChoice::Probed));
        for wrong in ["", "Probed", "both", "auto"] {
            let outcome = wrong.parse::<RankingChoice>();
            assert!(matches!(outcome, Err(Error::UnknownRanking { given }) if given == wrong));
        }
    }
}
