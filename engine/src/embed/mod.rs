//! Support for programs that embed the engine and have their own command buffers: contracts for the buffers of a
//! recording, and conversion between scopes and Vulkan's stage and access masks.
//!
//! Declare the passes as [`Work`](crate::Work) on imports, build an [`Executable`](crate::Executable) once, and
//! record it every frame. Recording does not submit work or create objects, and does not allocate memory unless a plan
//! has more than 32 imports. Several threads may record at the same time. `docs/embedding.md` specifies the whole
//! contract.
//!
//! ```no_run
//! # use multisplit::{BufferAt, Context, ExecutableOptions, PassValue, RecordOptions, Sort, ash::vk};
//! # use multisplit::graph::Scope;
//! # let gpu = Context::new()?;
//! # let (commands, depths, order) = (vk::CommandBuffer::null(), vk::Buffer::null(), vk::Buffer::null());
//! // Once: sort particles back to front. Their count changes every frame, up to 2^20.
//! let mut work = gpu.work("particles");
//! let keys = work.import::<f32>("depths", 1 << 20);
//! let indices = work.import::<u32>("order", 1 << 20);
//! let count = work.count("particles.count", 1 << 20);
//! work.argsort(keys.first(count), indices, &Sort::descending())?;
//! work.entry(keys, Scope::COMPUTE_WRITE); // written by our compute pass
//! work.exit(indices, Scope::VERTEX_READ); // read by our draw pass
//! let sort = work.executable(ExecutableOptions::default().frames(2))?;
//!
//! // Every frame:
//! let imports = [keys.at(BufferAt::new(depths, 0)), indices.at(BufferAt::new(order, 0))];
//! let particles = 123_456u32.to_ne_bytes();
//! let options = RecordOptions {
//!     frame: Some(0), // index of the frame in flight
//!     values: &[PassValue { pass: "particles.count", bytes: &particles }],
//!     ..RecordOptions::default()
//! };
//! unsafe { sort.record_with(commands, &imports, &options)? };
//! # Ok::<(), multisplit::Error>(())
//! ```

mod contract;
mod scope;

pub use contract::BufferContract;
pub use scope::{barrier, scope, stages_and_access};

/// Compiles the Rust blocks of the guide as doc tests, except those marked `ignore`.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/embedding.md")]
mod page {}
