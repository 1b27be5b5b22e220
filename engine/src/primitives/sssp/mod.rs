//! Shortest paths from one source: Bellman-Ford, near-far, bucketing and Multisplit-SSSP.
//!
//! A [`Network`](crate::network::Network) is uploaded once ([`DeviceNetwork`]); a [`SsspSolver`]
//! then finds paths from any number of sources, one after another. Rounds are recorded once and
//! submitted again; how much there is to do is known to the device alone.
//!
//! ```
//! # fn main() -> Result<(), multisplit::Error> {
//! use multisplit::network::{Rmat, Weighting};
//! use multisplit::primitives::sssp::SsspOptions;
//! use multisplit::{Config, Context};
//!
//! let context = Context::open(&Config::default())?;
//! let network = Rmat::of_size(1000, 4000).generate(Weighting::Own)?;
//! let on_device = context.upload_network(&network)?;
//! let mut solver = context.sssp(&on_device, &SsspOptions::default())?;
//! let found = solver.solve(0)?;
//! println!("{} reached in {} rounds", found.paths.reached(), found.statistics.rounds);
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
mod tuning;

pub use network::DeviceNetwork;
pub use passes::plan;
pub use shape::{DEFAULT_BUCKETS, MAX_BUCKETS, SsspMethod, SsspOptions};
pub use solver::{SsspResult, SsspSolver};
pub use statistics::{RoundSize, SsspStatistics};
pub use tuning::{Residents, SsspTuning};
