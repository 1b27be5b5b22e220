//! Networks from files and generators, weights for unweighted edges, and Dijkstra's algorithm as a reference for device
//! results.
//!
//! The network type, edge lists and search results are part of the engine, in [`multisplit_sssp::network`].
//!
//! ```
//! # fn main() -> Result<(), multisplit_bench::network::InputError> {
//! use multisplit_bench::network::{Rmat, Weighting, dijkstra};
//!
//! let network = Rmat::of_size(1000, 4000).generate(Weighting::Own)?;
//! let paths = dijkstra(&network, 0)?;
//! assert_eq!(paths.path_to(0), Some(vec![0]));
//! # Ok(())
//! # }
//! ```

mod dijkstra;
mod error;
mod generate;
mod load;
mod weighting;

pub use dijkstra::dijkstra;
pub use error::InputError;
pub use generate::{Grid, Rmat};
pub use load::{Format, LoadOptions, Loaded, Progress, load, read};
pub use weighting::{HASHED_MAX, WeightOrigin, Weighting, hash_weight};
