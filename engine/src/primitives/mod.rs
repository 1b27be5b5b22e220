//! The primitives: functions that add passes to a graph, and the policy that sizes them.
//!
//! A primitive never records or submits. It declares passes; the graph plans them together with
//! everything else the caller adds.

mod memory;
pub mod multisplit;
mod pieces;
mod policy;
pub mod scan;
pub mod sssp;

pub use memory::{copy, fill};
pub use policy::{Policy, ScanMethod};
