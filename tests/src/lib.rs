//! Shared test code: the harness that runs tests on a real driver, input generators, and CPU
//! references.

pub mod counting;
pub mod extent;
pub mod generate;
pub mod harness;
pub mod histogram;
pub mod reference;
pub mod shortest;
pub mod slowest;
pub mod terms;
