//! Splits files: keys of any type ([`KeyRule`]), at once or in parts ([`split`]).

mod direct;
mod key_rule;
mod verify;
mod whole;

pub use direct::split_direct;
pub use key_rule::{KeyFunction, KeyRule};
pub use verify::verify;
pub use whole::{Whole, split};

use multisplit::operations::split::Method;

use crate::on_device::MovedPairs;

/// Result of a split, independent of the key type.
pub struct Split {
    pub moved: MovedPairs,
    /// Start of each bucket, followed by n.
    pub offsets: Vec<u64>,
    pub method: Method,
    /// Number of parts that were split one after another; 1 if the input was split at once.
    pub parts: usize,
}
