//! What can be wrong with a network, the file it comes from, or a question about it.

use std::path::PathBuf;

/// What can be wrong with a network, the file it comes from, or a question about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// There are no vertices.
    #[error("the network has no vertices")]
    Empty,
    /// More than the kernels can number.
    #[error("{what}: {asked} is past the limit of {limit}")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much.
        asked: u64,
        /// What is allowed.
        limit: u64,
    },
    /// An edge ends at a vertex that does not exist.
    #[error("edge {edge} joins vertices {from} and {to}, but there are {vertices}")]
    EdgeOutOfRange {
        /// Which edge, counted from 0.
        edge: u64,
        /// One end.
        from: u32,
        /// The other end.
        to: u32,
        /// How many vertices there are.
        vertices: u64,
    },
    /// Shortest paths need weights that are numbers, finite, and not negative.
    #[error("edge {edge} has the weight {weight}; weights are finite and not negative")]
    Weight {
        /// Which edge, counted from 0.
        edge: u64,
        /// Its weight.
        weight: f64,
    },
    /// The numbers of edges and of weights differ.
    #[error("{edges} edges, but {weights} weights")]
    WeightCount {
        /// Edges.
        edges: u64,
        /// Weights.
        weights: u64,
    },
    /// A generator was asked for what cannot be.
    #[error("no such network: {problem}")]
    Generator {
        /// Why not.
        problem: &'static str,
    },
    /// The source is no vertex of the network.
    #[error("source {source_vertex} is not one of the {vertices} vertices")]
    SourceOutOfRange {
        /// What was asked for.
        source_vertex: u64,
        /// How many vertices there are.
        vertices: u64,
    },
    /// A shortest distance is past the largest number that a distance can be.
    #[error("the distance of vertex {vertex} is past the largest that 32 bits hold")]
    DistanceOverflow {
        /// A vertex that every path reaches too late.
        vertex: u32,
    },
    /// A file could not be read.
    #[error("cannot read {}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// The name of a file does not say what is in it.
    #[error("{}: not a known kind of file (.mtx, .gr, .el, .wel, each also .gz)", path.display())]
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
