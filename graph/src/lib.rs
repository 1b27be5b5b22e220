//! The compute-graph scheduler of multisplit: what to run, in which order, with which barriers,
//! and where in memory.
//!
//! A [`Graph`] is a list of passes over buffers. A pass names a kernel and binds buffers by the
//! kernel's own binding names; whether a binding is read or written comes from the kernel's
//! [`Interface`](multisplit_shaders::Interface), which was reflected from its SPIR-V, and is never
//! typed a second time. [`Graph::compile`] turns it into a [`Plan`], which is plain data: it can
//! be executed, printed, compared and tested. There is no Vulkan call here, and no `unsafe`.
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
//! let src = g.import::<u32>("src", 1 << 20); // the caller's buffers, bound when recording
//! let dst = g.import::<u32>("dst", 1 << 20);
//! let sums = g.transient::<u32>("sums", 256); // out of the plan's workspace
//! g.exit(dst, Scope::HOST_READ); // what the caller does next
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
//! assert_eq!(plan.barriers().count(), 3); // two between the passes, one for the host
//! println!("{}", plan.to_text());
//! # Ok(())
//! # }
//! ```
//!
//! # What a plan guarantees
//!
//! - **Data flow is declaration order.** A pass sees what the passes declared before it wrote.
//!   Writes are taken to be partial, so a read depends on every earlier writer of its bytes.
//! - **Levels.** Passes that do not depend on each other share a level, and nothing is between
//!   them. Passes whose results nobody reads are culled ([`Plan::culled`]).
//! - **Barriers.** Before a level there is at most one call ([`Step::barrier`]). It covers the
//!   read-after-write, write-after-read and write-after-write hazards of all its passes, per byte
//!   range, with the stages and accesses of the two sides and no other bit. What an earlier
//!   barrier already covers is not repeated. Every barrier lists its reasons ([`Hazard`]).
//! - **Memory.** Transient buffers lie in one workspace and share bytes when their levels do not
//!   overlap; the barriers that this needs are found like all others ([`Hazard::aliased`]).
//! - **Imports** are synchronised with what the caller declares ([`Graph::entry`],
//!   [`Graph::exit`]), or else the plan says what the caller has to wait for
//!   ([`ImportContract`]).
//! - **Replay.** The plan of a [`Graph::replayable`] graph may be submitted again and again:
//!   its barriers also cover each run against the next ([`Hazard::replay`]).
//!
//! # What an executor does
//!
//! It allocates [`Plan::workspace`], creates a pipeline per [`PlannedPass::kernel`], and walks
//! [`Plan::steps`]: the barrier, where there is one, as one `vkCmdPipelineBarrier2` with the
//! bits of [`MemoryBarrier`] as they are, then the [`Work`]. [`Plan::exit`] comes last.
//! [`Plan::place`] says where a buffer lies.
//!
//! # What is an error
//!
//! Declaring never fails. [`Graph::compile`] reports what is wrong as a [`GraphError`] that names
//! the pass and the buffer: a cycle, a read of bytes that nobody wrote, a binding without a
//! buffer, sizes that do not match, bytes bound twice, a limit of the device.
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
#[cfg(feature = "broken-plans")]
#[doc(hidden)]
pub use plan::BrokenPlan;
pub use plan::{
    Barrier, BufferPlacement, ByteRange, Hazard, HazardKind, HazardSide, ImportContract,
    MemoryBarrier, Place, Plan, PlannedBinding, PlannedBuffer, PlannedPass, PlannedView, Step,
    Work, Workspace,
};
pub use repeat::PingPong;
pub use resource::{Buffer, Element, ElementType, View};
