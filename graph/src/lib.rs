//! The compute-graph scheduler of multisplit: what to run, in which order, with which barriers,
//! and where in memory. It plans, and does nothing else: no Vulkan call, no `unsafe`.
#![forbid(unsafe_code)]

mod access;
mod barrier;
mod check;
mod compile;
mod contract;
mod dump;
mod error;
mod graph;
mod hazard;
mod lifetime;
mod limits;
mod order;
mod pass;
mod plan;
mod reach;
mod reason;
mod repeat;
mod resolve;
mod resource;
mod touch;
mod validate;

pub use access::{Access, Scope, Stages};
pub use error::{CycleLink, GraphError};
pub use graph::Graph;
pub use limits::Limits;
pub use pass::{Groups, PassBuilder, PassId, PassKernel};
pub use plan::{
    Barrier, BufferPlacement, ByteRange, Hazard, HazardKind, HazardSide, ImportContract,
    MemoryBarrier, Place, Plan, PlannedBinding, PlannedBuffer, PlannedPass, PlannedView, Step,
    Work, Workspace,
};
pub use repeat::PingPong;
pub use resource::{Buffer, Element, View};
