//! Errors of searches.

use multisplit::graph::GraphError;
use multisplit::shaders::ReflectError;

use crate::network::NetworkError;

/// Result type of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error of the engine.
    #[error(transparent)]
    Engine(#[from] multisplit::Error),
    /// An invalid network, or an invalid search in a network.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The kernels do not support these tuning parameters.
    #[error("invalid tuning parameters for shortest paths: {problem}")]
    Tuning {
        /// Description of the problem.
        problem: &'static str,
    },
    /// The search exceeded the maximum number of rounds.
    #[error(
        "a search did not end within {rounds} rounds, so the device or its driver may compute wrong values; update the driver, or use another device"
    )]
    Unfinished {
        /// Number of executed rounds, or number of submissions, whichever is larger.
        rounds: u64,
    },
}

impl From<GraphError> for Error {
    fn from(error: GraphError) -> Self {
        Self::Engine(error.into())
    }
}

impl From<ReflectError> for Error {
    fn from(error: ReflectError) -> Self {
        Self::Engine(error.into())
    }
}
