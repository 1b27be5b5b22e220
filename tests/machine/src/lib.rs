//! A machine for tests: an executor of compute SPIR-V that plays the most hostile device that the
//! specification allows. Nothing of it ships.
//!
//! - [`Machine`] has memory, runs kernels ([`Machine::dispatch`]) and whole plans
//!   ([`Machine::run`]), and keeps what it found ([`Findings`]).
//! - [`Options`] say which device it plays: the width of its subgroups, the order in which it runs
//!   what, where lanes that diverged come together, how atomics of lanes are ordered.
//! - [`decode`] makes a [`Program`] of a module, once for each specialization.
//! - [`Coverage`] says which blocks were executed; [`mutate`] changes a kernel in one place, to see
//!   that tests notice.
//!
//! What counts as ordered, and what as a data race, is said in `order.rs` and `docs/testing.md`.
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

pub use code::Program;
pub use coverage::{Coverage, KernelCoverage};
pub use decode::decode;
pub use error::MachineError;
pub use finding::{Finding, FindingKind, Findings, Site};
pub use machine::{Buffer, Machine};
pub use options::{AtomicOrder, Options, Reconvergence, Schedule, SubgroupBarriers};
pub use plan::PlanOptions;
pub use rng::Rng;
pub use swaps::Swap;
