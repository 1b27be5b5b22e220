//! Networks: weighted graphs in compressed rows, on the host. Where they come from (files,
//! generators, lists of edges), and shortest paths on them by Dijkstra's algorithm.
//!
//! "Network", because a [`Graph`](multisplit_graph::Graph) here is one of passes over buffers.
//!
//! ```
//! # fn main() -> Result<(), multisplit::network::NetworkError> {
//! use multisplit::network::{Direction, EdgeList, Network, dijkstra};
//!
//! let mut edges = EdgeList::weighted();
//! edges.push(0, 1, 7);
//! edges.push(1, 2, 1);
//! edges.push(0, 2, 9);
//! let network = Network::new(4, Direction::Undirected, &edges)?;
//! let paths = dijkstra(&network, 0)?;
//! assert_eq!(paths.distance(2), Some(8u32.into()));
//! assert_eq!(paths.distance(3), None);
//! assert_eq!(paths.path_to(2), Some(vec![0, 1, 2]));
//! # Ok(())
//! # }
//! ```

mod dijkstra;
mod edges;
mod error;
mod generate;
mod load;
mod paths;
mod rows;
mod weighting;

pub use dijkstra::dijkstra;
pub use edges::{EdgeList, EdgeWeights};
pub use error::NetworkError;
pub use generate::{Grid, Rmat};
pub use load::{Format, LoadOptions, Progress, load, read};
pub use paths::{Distance, ShortestPaths, Summary, UNREACHED};
pub use rows::{Arc, Direction, Network, WeightKind};
pub use weighting::{Weighting, hash_weight};
