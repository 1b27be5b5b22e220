//! Weighted graphs in compressed sparse row format on the host, and the shortest paths found in
//! them.
//!
//! This crate calls them networks, because a [`Graph`](multisplit::graph::Graph) is a graph of GPU
//! passes.
//!
//! ```
//! # fn main() -> Result<(), multisplit_sssp::network::NetworkError> {
//! use multisplit_sssp::network::{Direction, EdgeList, Network};
//!
//! let mut edges = EdgeList::weighted();
//! edges.push(0, 1, 7);
//! edges.push(1, 2, 1);
//! edges.push(0, 2, 9);
//! let network = Network::new(4, Direction::Undirected, &edges)?;
//! assert_eq!((network.vertices(), network.edges(), network.arcs().len()), (4, 3, 6));
//! assert_eq!(network.arcs_of(1).len(), 2);
//! # Ok(())
//! # }
//! ```

mod edges;
mod error;
mod paths;
mod rows;

pub use edges::{EdgeList, EdgeWeights};
pub use error::NetworkError;
pub use paths::{Distance, ShortestPaths, Summary, UNREACHED, mix64};
pub use rows::{Arc, Direction, Network, WeightKind};
