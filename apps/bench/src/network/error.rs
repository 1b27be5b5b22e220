//! Errors of reading and generating networks.

use std::path::PathBuf;

use multisplit_sssp::network::NetworkError;

/// Error of reading or generating a network.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// The edges do not form a valid network.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// Invalid parameters of a generator.
    #[error("cannot generate this network: {problem}")]
    Generator {
        /// Reason.
        problem: &'static str,
    },
    /// Insufficient memory.
    #[error("{0}")]
    Memory(String),
    /// A file could not be read.
    #[error("cannot read {}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
    /// The format of a file cannot be determined from its name or its first lines.
    #[error(
        "{}: unknown file format (.mtx, .gr, .el, .wel, each also .gz or .zst); choose it with --graph-format",
        path.display()
    )]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// A malformed line.
    #[error("{}:{line}: {problem}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Its line, counted from 1.
        line: u64,
        /// Description of the problem.
        problem: String,
    },
    /// A file has fewer edges than it announces.
    #[error("{}: the header announces {announced} edges, but there are only {found}", path.display())]
    FewerEdges {
        /// The file.
        path: PathBuf,
        /// Number of edges in the header.
        announced: u64,
        /// Number of edges found.
        found: u64,
    },
    /// A file has more edges than it announces.
    #[error("{}: the header announces {announced} edges, but there are more: {found}", path.display())]
    MoreEdges {
        /// The file.
        path: PathBuf,
        /// Number of edges in the header.
        announced: u64,
        /// Number of edges found.
        found: u64,
    },
}
