//! The compute-graph scheduler of multisplit. It plans the order of passes, barriers, and memory.
//!
//! A [`Graph`] is a list of passes over buffers. A pass is a fill, a copy, an update, or a
//! dispatch, which binds buffers by the binding names in its kernel. The kernel's
//! [`Interface`](multisplit_shaders::Interface), reflected from SPIR-V, determines whether a
//! binding is read or written, so callers never declare it. [`Graph::compile`] turns the graph
//! into a [`Plan`]: plain data that can be executed, printed, compared and tested. This crate makes
//! no Vulkan calls and contains no `unsafe` code.
//!
//! ```
//! use multisplit_graph::{Graph, Groups, Limits, PassKernel, Scope};
//! # use multisplit_shaders::{Binding, BindingAccess, BindingKind, Interface};
//! # fn kernel(label: &str, bindings: &[(&str, BindingAccess)]) -> PassKernel {
//! #     let bindings = (0..).zip(bindings).map(|(binding, &(name, access))| Binding {
//! #         name: name.to_owned(), set: 0, binding, kind: BindingKind::Storage, access,
//! #         fixed_size: 0, element_stride: Some(4),
//! #     });
//! #     PassKernel::described(label, Interface { bindings: bindings.collect(), ..Interface::default() })
//! # }
//! # use BindingAccess::{Read, ReadWrite, Write};
//! # fn main() -> Result<(), multisplit_graph::GraphError> {
//! # let reduce = kernel("scan.reduce", &[("src", Read), ("sums", Write)]);
//! # let spine = kernel("scan.spine", &[("sums", ReadWrite)]);
//! # let downsweep = kernel("scan.downsweep", &[("src", Read), ("sums", Read), ("dst", Write)]);
//! let mut g = Graph::new("scan");
//! let src = g.import::<u32>("src", 1 << 20); // provided by the caller when recording
//! let dst = g.import::<u32>("dst", 1 << 20);
//! let sums = g.transient::<u32>("sums", 256); // allocated from the plan's workspace
//! g.exit(dst, Scope::HOST_READ); // the host reads it after the run
//!
//! g.pass("scan.reduce", reduce).bind("src", src).bind("sums", sums).dispatch(Groups::linear(256));
//! g.pass("scan.spine", spine).bind("sums", sums).dispatch(Groups::linear(1));
//! g.pass("scan.downsweep", downsweep)
//!     .bind("src", src)
//!     .bind("sums", sums)
//!     .bind("dst", dst)
//!     .dispatch(Groups::linear(256));
//!
//! let plan = g.compile(&Limits::default())?;
//! assert_eq!(plan.workspace().size, 1024);
//! assert_eq!(plan.barriers().count(), 3); // two between passes, one for the host
//! println!("{}", plan.to_text());
//! # Ok(())
//! # }
//! ```
//!
//! # Guarantees
//!
//! - **Data flow follows declaration order.** A pass reads the data written by the passes
//!   declared before it. Every write is assumed to be partial, so a read depends on all earlier
//!   writers of its bytes.
//! - **Levels.** Passes of a level are independent, without barriers between them. A pass is culled
//!   unless it affects an import, a persistent buffer or a kept pass ([`Plan::culled`]).
//! - **Barriers.** Each level is preceded by at most one barrier call ([`Step::barrier`]). The
//!   call covers the explicit orders and the read-after-write, write-after-read and
//!   write-after-write hazards of all passes of the level, per byte range. Its masks contain only
//!   the stages and accesses that these involve. Hazards that an earlier barrier covers are not
//!   repeated. Every barrier lists the hazards it covers ([`Hazard`]).
//! - **Memory.** Transient and persistent buffers are placed in one workspace. Transient buffers
//!   whose level ranges do not overlap may share bytes. The barriers required by sharing are
//!   included ([`Hazard::aliased`]).
//! - **Imports** are synchronised with the scopes declared by the caller ([`Graph::entry`],
//!   [`Graph::exit`]). Without such a scope, the caller synchronises, using the scopes in
//!   [`ImportContract`].
//! - **Replay.** The plan of a [`Graph::replayable`] graph may be submitted repeatedly. Its
//!   barriers also cover the hazards between consecutive runs ([`Hazard::replay`]).
//!
//! # Executing a plan
//!
//! An executor allocates the workspace, constants, state and status words, and creates a pipeline
//! per kernel and specialization. It then processes [`Plan::steps`] in order. For each step it
//! records the barrier, if any, as one `vkCmdPipelineBarrier2` with the bits of [`MemoryBarrier`]
//! unchanged, followed by the [`Work`]. It ends with the [`Plan::exit`] barrier, if any.
//! [`Plan::place`] returns the memory location of a byte of a buffer.
//!
//! # Errors
//!
//! Declarations never fail. [`Graph::compile`] returns a [`GraphError`], whose message names
//! the passes and buffers involved, if any. Errors include cycles, reads of unwritten bytes,
//! unbound bindings, mismatched sizes, overlapping bindings and exceeded device limits.
#![forbid(unsafe_code)]

mod access;
mod barrier;
mod builder;
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
mod sync;
mod touch;
mod validate;

pub use access::{Access, Scope, Stages};
pub use builder::PassBuilder;
pub use error::{CycleLink, GraphError};
pub use graph::Graph;
pub use limits::Limits;
pub use pass::{Groups, PassId, PassKernel};
#[cfg(feature = "broken-plans")]
#[doc(hidden)]
pub use plan::BrokenPlan;
pub use plan::{
    BufferPlacement, ImportContract, Place, Plan, PlannedBinding, PlannedBuffer, PlannedPass,
    PlannedView, Step, Work, Workspace,
};
pub use resource::{Buffer, Element, ElementType, PingPong, View};
pub use sync::{Barrier, ByteRange, Hazard, HazardKind, HazardSide, MemoryBarrier};
