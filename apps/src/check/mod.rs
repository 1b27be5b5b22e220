//! The self-test of a device: operations of every kind verified against the CPU, or every kernel compiled.

mod kernels;
mod operations;
mod probe;
mod report;
mod runner;

pub use kernels::{Compiled, Failure, compile_all};
pub use operations::OPERATIONS;
pub use probe::{Probed, probe};
pub use report::{Results, report, spills};
pub use runner::{Checked, Outcome, check, sizes};
