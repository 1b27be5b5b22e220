//! Shortest paths from one source: Bellman-Ford, near-far, bucketing and Multisplit-SSSP.
//!
//! A [`Network`](crate::network::Network) is uploaded once ([`DeviceNetwork`]); a [`SsspSolver`]
//! then finds paths from any number of sources, one after another. Rounds are recorded once and
//! submitted again; how much there is to do is known to the device alone.
//!
//! ```
//! # fn main() -> Result<(), multisplit::Error> {
//! use multisplit::network::{Direction, EdgeList, Network};
//! use multisplit::primitives::sssp::SsspOptions;
//! use multisplit::{Config, Context};
//!
//! let context = Context::open(&Config::default())?;
//! let mut edges = EdgeList::weighted();
//! edges.push(0, 1, 7);
//! edges.push(1, 2, 1);
//! edges.push(0, 2, 9);
//! let network = Network::new(4, Direction::Undirected, &edges)?;
//! let on_device = context.upload_network(&network)?;
//! let options = SsspOptions { predecessors: true, ..SsspOptions::default() };
//! let mut solver = context.sssp(&on_device, &options)?;
//! let found = solver.solve(0)?;
//! assert_eq!(found.paths.distance(2), Some(8u32.into()));
//! assert_eq!(found.paths.path_to(2), Some(vec![0, 1, 2]));
//! assert_eq!(found.paths.distance(3), None);
//! # Ok(())
//! # }
//! ```

mod buffers;
mod network;
mod passes;
mod pile;
mod shape;
mod solver;
mod statistics;
mod survey;
mod timing;
mod tuning;

pub use network::DeviceNetwork;
pub use passes::plan;
pub use shape::{DEFAULT_BUCKETS, MAX_BUCKETS, SsspMethod, SsspOptions};
pub use solver::{SsspResult, SsspSolver};
pub use statistics::{RoundSize, SsspStatistics};
pub use tuning::{Residents, SsspTuning};
