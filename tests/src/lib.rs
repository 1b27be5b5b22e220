//! What the tests share: the harness that runs them on a real driver, generators of inputs, and
//! the CPU references they are held against.

pub mod counting;
pub mod extent;
pub mod generate;
pub mod harness;
pub mod histogram;
pub mod reference;
pub mod shortest;
pub mod slowest;
pub mod terms;
