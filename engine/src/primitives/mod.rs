//! The primitives: functions that add passes to a graph, and the policy that sizes them.
//!
//! A primitive never records or submits. It declares passes; the graph plans them together with
//! everything else the caller adds.

mod count;
pub mod histogram;
mod memory;
pub mod multisplit;
mod pieces;
mod policy;
pub mod probe;
pub mod scan;
pub mod sort;
pub mod sssp;

pub use count::Count;
pub use memory::{copy, copy_first, fill, fill_first};
pub use policy::{Policy, ScanMethod};
