//! Errors of networks and of searches in them.

/// An invalid network, or an invalid search in a network.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// The network has no vertices.
    #[error("the network has no vertices")]
    Empty,
    /// The network has more vertices or arcs than the kernels or the bindings of the device support.
    #[error("the network has {asked} {what}, but at most {limit} are supported")]
    TooLarge {
        /// `"vertices"` or `"arcs"`.
        what: &'static str,
        /// The requested number.
        asked: u64,
        /// The maximum.
        limit: u64,
    },
    /// An end of an edge is not a vertex of the network.
    #[error(
        "edge {edge} joins vertices {from} and {to}, but there are only {vertices} vertices, numbered from 0"
    )]
    EdgeOutOfRange {
        /// Index of the edge in the list.
        edge: u64,
        /// Start vertex.
        from: u32,
        /// End vertex.
        to: u32,
        /// Number of vertices.
        vertices: u64,
    },
    /// A weight is negative, infinite or NaN.
    #[error("edge {edge} has the weight {weight:?}; weights must be finite and not negative")]
    Weight {
        /// Index of the edge in the list.
        edge: u64,
        /// Weight of the edge.
        weight: f64,
    },
    /// [`EdgeList::from`](super::EdgeList::from) and [`EdgeList::to`](super::EdgeList::to) have
    /// different lengths.
    #[error("there are {from} start vertices and {to} end vertices; give one of each per edge")]
    EndCount {
        /// Length of `from`.
        from: u64,
        /// Length of `to`.
        to: u64,
    },
    /// The number of weights differs from the number of edges.
    #[error("there are {edges} edges and {weights} weights; give one weight per edge")]
    WeightCount {
        /// Number of edges.
        edges: u64,
        /// Number of weights.
        weights: u64,
    },
    /// The source is not a vertex of the network.
    #[error(
        "source {source_vertex} does not exist; the network has {vertices} vertices, numbered from 0"
    )]
    SourceOutOfRange {
        /// The requested source.
        source_vertex: u64,
        /// Number of vertices.
        vertices: u64,
    },
    /// A shortest distance does not fit in 32 bits.
    #[error(
        "the distance of vertex {vertex} exceeds the largest 32-bit value; use smaller weights, or floats if the weights are integers"
    )]
    DistanceOverflow {
        /// A vertex whose shortest distance overflows.
        vertex: u32,
    },
}
