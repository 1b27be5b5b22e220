//! GPU sort, split, histogram and scan on the buffers of a wgpu program, among its own commands.
//!
//! Made from any [`wgpu::Device`] of the Vulkan backend and its [`wgpu::Queue`], without `unsafe` and without
//! anything to enable when the device is requested:
//!
//! ```no_run
//! use multisplit_wgpu::{Count, Multisplit, Sort};
//! # fn run(device: wgpu::Device, queue: wgpu::Queue, depths: wgpu::Buffer, order: wgpu::Buffer) -> multisplit_wgpu::Result<()> {
//! let gpu = Multisplit::new(&device, &queue)?; // an error where the backend is another
//! let sort = gpu.argsort::<f32>(1 << 20, &Sort::descending())?; // once
//!
//! let mut commands = gpu.commands("frame"); // every frame
//! // ... passes of yours, on commands.encoder(): write the depths
//! sort.encode(&mut commands, &depths, &order, Count::All)?;
//! // ... passes of yours, on commands.encoder(): draw in this order
//! commands.submit();
//! # Ok(())
//! # }
//! ```
//!
//! **[`Commands`] instead of a plain encoder.** An encoder of wgpu's takes wgpu's commands or Vulkan's, and
//! not both. `Commands` begins a new one where the kind changes, and submits all of them together, in
//! order: [`encoder`](Commands::encoder) is the one that takes yours.
//!
//! **Synchronisation** is wgpu's. Before each operation, wgpu is told that its buffers are storage that is
//! read and written, by a compute pass that binds them and does nothing: wgpu records the barriers, keeps
//! the buffers alive, and clears what was never written.
//!
//! **Frames in flight.** Scratch memory and descriptors belong to one recording at a time, and are used
//! again when wgpu says that it is done (when the program submits or polls). There is nothing to count.
//!
//! **The queue** is used by wgpu alone: this crate submits nothing by itself, and relies on nothing that
//! Vulkan does not promise, so that nothing has to be tried out.
//!
//! **What is checked.** Sizes, usages, overlaps, counts, and by wgpu that buffers are of the device and alive.
//! Buffers of another [`wgpu::Instance`] are noticed by nobody: wgpu takes them for others of its own.
//!
//! It fits wgpu 30, and one version of this crate fits one version of wgpu: both use the same `ash`.

mod commands;
mod device;
mod error;
mod operation;
mod primitives;

pub use commands::Commands;
pub use device::Multisplit;
pub use error::{Error, Result};
pub use multisplit::{Bins, Buckets, Sort};
pub use operation::Count;
pub use primitives::{ArgSort, Histogram, KeySort, PairSort, PairSplit, Scan, Split};
