//! `--ranking`: the requested ranking, and the ranking that kernels use.

use clap::ValueEnum;
use multisplit::operations::split::Ranking as Kernels;
use multisplit::{Context, RankingChoice};
use serde::Serialize;

/// Command-line name of a ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Ranking {
    /// Rank by ballots, which requires only what Vulkan guarantees
    Promised,
    /// Rank by lane order if a probe shows that the device executes atomics in that order; otherwise
    /// by ballots
    Probed,
}

impl From<Ranking> for RankingChoice {
    fn from(ranking: Ranking) -> Self {
        match ranking {
            Ranking::Promised => Self::Promised,
            Ranking::Probed => Self::Probed,
        }
    }
}

impl From<Kernels> for Ranking {
    fn from(ranking: Kernels) -> Self {
        match ranking {
            Kernels::Ballots => Self::Promised,
            _ => Self::Probed,
        }
    }
}

impl Ranking {
    /// The ranking that the kernels of `context` use.
    pub fn of(context: &Context) -> Self {
        context.policy().split.ranking.into()
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Promised => "promised",
            Self::Probed => "probed",
        }
    }
}
