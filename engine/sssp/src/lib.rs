//! Single-source shortest paths: Bellman-Ford, near-far, bucketing and Multisplit-SSSP, built on
//! [`multisplit`].
//!
//! A [`Network`](network::Network) is uploaded once ([`DeviceNetwork`]). A [`Solver`] then finds
//! paths from any number of sources, one after another. A batch of rounds is recorded once and
//! resubmitted until the search ends.
//!
//! ```
//! # fn main() -> Result<(), multisplit_sssp::Error> {
//! use multisplit::Context;
//! use multisplit_sssp::network::{Direction, EdgeList, Network};
//! use multisplit_sssp::{DeviceNetwork, Options, Solver};
//!
//! let gpu = Context::new()?;
//! let mut edges = EdgeList::weighted();
//! edges.push(0, 1, 7);
//! edges.push(1, 2, 1);
//! edges.push(0, 2, 9);
//! let network = Network::new(4, Direction::Undirected, &edges)?;
//! let on_device = DeviceNetwork::upload(&gpu, &network)?;
//! let options = Options { predecessors: true, ..Options::default() };
//! let mut solver = Solver::new(&gpu, &on_device, &options)?;
//! let found = solver.solve(0)?;
//! assert_eq!(found.paths.distance(2), Some(8u32.into()));
//! assert_eq!(found.paths.path_to(2), Some(vec![0, 1, 2]));
//! assert_eq!(found.paths.distance(3), None);
//! # Ok(())
//! # }
//! ```

mod buffers;
mod device_network;
mod error;
pub mod network;
mod passes;
mod pile;
mod shape;
mod solver;
mod statistics;
mod survey;
mod timing;
mod tuning;

pub use device_network::DeviceNetwork;
pub use error::{Error, Result};
pub use passes::plan;
pub use shape::{DEFAULT_BUCKETS, MAX_BUCKETS, Method, Options};
pub use solver::{Solution, Solver};
pub use statistics::{RoundSize, Statistics};
pub use tuning::{Residents, Tuning};

/// Compiles and runs the Rust blocks of the guide as doc tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/sssp.md")]
struct Guide;
