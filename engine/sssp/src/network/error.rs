//! What can be wrong with a network, or with a search in it.

/// What can be wrong with a network, or with a search in it.
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
    #[error("edge {edge} has the weight {weight:?}; weights are finite and not negative")]
    Weight {
        /// Which edge, counted from 0.
        edge: u64,
        /// Its weight.
        weight: f64,
    },
    /// [`EdgeList::from`](super::EdgeList::from) and [`EdgeList::to`](super::EdgeList::to) have
    /// different lengths.
    #[error("edges begin at {from} vertices, but end at {to}: give two vertices for each edge")]
    EndCount {
        /// Length of `from`.
        from: u64,
        /// Length of `to`.
        to: u64,
    },
    /// The numbers of edges and of weights differ.
    #[error("{edges} edges, but {weights} weights")]
    WeightCount {
        /// Edges.
        edges: u64,
        /// Weights.
        weights: u64,
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
}
