//! A machine for tests: an interpreter for compute SPIR-V that behaves like the most hostile device
//! that the specification allows. It is not part of any released package.
//!
//! - [`Machine`] has memory, runs kernels ([`Machine::dispatch`]) and whole plans
//!   ([`Machine::run`]), and collects [`Findings`].
//! - [`Options`] configure the simulated device: subgroup width, scheduling order, reconvergence,
//!   and the order of atomics within an instruction.
//! - `decode` turns a module and its specialization constants into a program.
//! - [`Coverage`] lists the executed blocks; [`mutate`] changes a kernel in one place, to check
//!   that tests detect the change.
//!
//! `order.rs` and `docs/testing.md` define the ordering rules and data races.
#![forbid(unsafe_code)]

mod access;
mod alu;
mod code;
mod coverage;
mod decode;
mod dispatch;
mod error;
mod eval;
mod exec;
mod finding;
mod finding_kind;
mod flow;
mod machine;
mod memory;
pub mod mutate;
mod options;
mod order;
mod plan;
mod reach;
mod rng;
mod rows;
mod run;
mod subgroup;
mod swaps;
mod timeline;
mod types;
mod undefined;

pub use coverage::{Coverage, KernelCoverage};
pub use error::MachineError;
pub use finding::Findings;
pub use machine::{Buffer, Machine};
pub use options::{AtomicOrder, Faults, Options, Reconvergence, Schedule, SubgroupBarriers};
pub use plan::PlanOptions;
pub use rng::Rng;
pub use swaps::{Swap, Swaps};
