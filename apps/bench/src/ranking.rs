//! `--ranking`: the requested ranking, and the ranking that kernels use.

use clap::ValueEnum;
use multisplit::operations::split::Ranking as Kernels;
use multisplit::{Context, RankingChoice};
use serde::Serialize;

/// Command-line name of a ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Ranking {
    /// Only the guarantees of Vulkan: ranking by ballots
    Promised,
    /// Also the order of atomics, if the device passes a probe: ranking by lane order
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
