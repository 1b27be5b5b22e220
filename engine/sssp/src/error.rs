//! What can go wrong in a search.

use multisplit::graph::GraphError;
use multisplit::shaders::ReflectError;

use crate::network::NetworkError;

/// Result of the crate's fallible functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that the crate reports.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error of the engine.
    #[error(transparent)]
    Engine(#[from] multisplit::Error),
    /// A network, or a search in it.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// Sizes that no kernel can follow.
    #[error("tuning of shortest paths: {problem}")]
    Tuning {
        /// What is wrong.
        problem: &'static str,
    },
    /// A search that should have come to an end has not.
    #[error(
        "a search did not end within {rounds} rounds: the driver or the device may compute wrong values; update the driver, or use another device"
    )]
    Unfinished {
        /// How far it came.
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
