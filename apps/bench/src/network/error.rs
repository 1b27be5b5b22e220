//! Errors of reading and generating networks.

use std::path::PathBuf;

use multisplit_sssp::network::NetworkError;

use crate::host_memory::InsufficientMemory;

/// Result of reading or generating a network.
pub(super) type Result<T, E = InputError> = std::result::Result<T, E>;

/// Error of reading or generating a network.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages describe the fields")]
pub enum InputError {
    /// The edges do not form a valid network.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// Invalid parameters of a generator.
    #[error("cannot generate this network: {problem}")]
    Generator { problem: &'static str },
    /// Insufficient memory.
    #[error(transparent)]
    Memory(#[from] InsufficientMemory),
    /// A file could not be read.
    #[error("cannot read {}: {error}", path.display())]
    Io { path: PathBuf, error: std::io::Error },
    /// The format of a file cannot be determined from its name or its first lines.
    #[error(
        "{}: unknown file format (.mtx, .gr, .el, .wel, each also .gz or .zst); rename the file, \
         or give --graph-format to `multisplit sssp`",
        path.display()
    )]
    UnknownFormat { path: PathBuf },
    /// A malformed line. Lines are counted from 1.
    #[error("{}:{line}: {problem}", path.display())]
    Malformed { path: PathBuf, line: u64, problem: String },
    /// A file has fewer edges than its header announces.
    #[error("{}: the header announces {announced} edges, but there are {found}", path.display())]
    FewerEdges { path: PathBuf, announced: u64, found: u64 },
    /// A file has more edges than its header announces.
    #[error("{}: the header announces {announced} edges, but there are {found}", path.display())]
    MoreEdges { path: PathBuf, announced: u64, found: u64 },
}
