//! Splits files: keys of any type ([`KeyRule`]), at once or in parts ([`split`]).

mod direct;
mod key_rule;
mod verify;
mod whole;

pub use direct::{Direct, split_direct};
pub use key_rule::{KeyFunction, KeyRule};
pub use verify::verify;
pub use whole::{Whole, split};
