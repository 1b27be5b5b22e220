//! Why a file or a generator gives no network.

use std::path::PathBuf;

use multisplit_sssp::network::NetworkError;

/// Why a file or a generator gives no network.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// The edges do not make a network.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// A generator was given parameters that no network has.
    #[error("no such network: {problem}")]
    Generator {
        /// Why not.
        problem: &'static str,
    },
    /// There is not enough memory for it.
    #[error("{0}")]
    Memory(String),
    /// A file could not be read.
    #[error("cannot read {}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// Neither the name of a file nor its first lines say what is in it.
    #[error(
        "{}: not a known kind of file (.mtx, .gr, .el, .wel, each also .gz or .zst); \
         --graph-format says which it is",
        path.display()
    )]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// A line of a file makes no sense.
    #[error("{}:{line}: {problem}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Its line, counted from 1.
        line: u64,
        /// What is wrong with it.
        problem: String,
    },
    /// A file ends before everything that it announces has come.
    #[error("{}: {announced} edges are announced, {found} are there", path.display())]
    FewerEdges {
        /// The file.
        path: PathBuf,
        /// What its head says.
        announced: u64,
        /// What there is.
        found: u64,
    },
    /// A file goes on after everything that it announces has come.
    #[error("{}: {announced} edges are announced, but there are {found}", path.display())]
    MoreEdges {
        /// The file.
        path: PathBuf,
        /// What its head says.
        announced: u64,
        /// What there is.
        found: u64,
    },
}
