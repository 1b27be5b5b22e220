//! Sorts, splits, histograms and scans as single calls into an engine's own command buffer.
//!
//! An [`Operation`] is made once, from a [task](Task) that says what is to be done on how many
//! elements. Making it compiles every pipeline it will ever need. From then on
//! [`Operation::record`] writes commands into the engine's command buffer and does nothing else: it
//! submits, allocates and creates nothing, takes `&self`, and may be called by several threads for
//! different command buffers at the same time.
//!
//! Where one call is not enough, declare a [`Graph`](crate::graph::Graph) of your own; it records
//! by the same rules. `docs/embedding.md` has the contract, with a table of it.
//!
//! ```no_run
//! # fn main() -> Result<(), multisplit::Error> {
//! # use multisplit::{Config, Context, ash::vk};
//! use multisplit::BufferAt;
//! use multisplit::embed::{Along, Elements, OperationOptions, Recording, Role, SortTask};
//! use multisplit::graph::Scope;
//! use multisplit::primitives::multisplit::KeyType;
//! use multisplit::primitives::sort::Sort;
//!
//! # let context = Context::open(&Config::default())?;
//! # let (commands, particles, order) = (vk::CommandBuffer::null(), vk::Buffer::null(), vk::Buffer::null());
//! // Once: back to front, as many particles as there are this frame, at most a million.
//! let task = SortTask {
//!     along: Along::Indices,
//!     ..SortTask::new(Sort::new(KeyType::F32).descending(), Elements::Recorded { most: 1 << 20 })
//! };
//! let options = OperationOptions::default()
//!     .entry(Role::Keys, Scope::COMPUTE_WRITE) // a pass of ours wrote the depths
//!     .exit(Role::Indices, Scope::VERTEX_READ); // and one draws in the order found
//! let sort = context.operation(&task.into(), &options)?;
//!
//! // Every frame:
//! let recording = Recording {
//!     buffers: &[
//!         (Role::Keys, BufferAt::new(particles, 0)),
//!         (Role::Indices, BufferAt::new(order, 0)),
//!     ],
//!     frame: 0, // of the frames in flight
//!     count: Some(123_456),
//!     ..Recording::default()
//! };
//! unsafe { sort.record(commands, &recording)? };
//! # Ok(())
//! # }
//! ```

mod operation;
mod role;
mod scope;
mod task;

pub use operation::{Operation, OperationOptions, Recording, RoleContract};
pub use role::Role;
pub use scope::{barrier, scope, stages_and_access};
pub use task::{Along, Elements, HistogramTask, ScanTask, SortTask, SplitOutputs, SplitTask, Task};
