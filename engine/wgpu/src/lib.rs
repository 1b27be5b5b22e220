//! GPU sort, split, top-k, histogram, scan and selection on a wgpu program's buffers, between its own commands.
//!
//! Works with a [`wgpu::Device`] of the Vulkan backend ([`Multisplit::new`]) and its [`wgpu::Queue`], without
//! `unsafe` code and without special features in the device request:
//!
//! ```no_run
//! use multisplit_wgpu::{Count, Multisplit, Sort};
//! # fn run(device: wgpu::Device, queue: wgpu::Queue, depths: wgpu::Buffer, order: wgpu::Buffer) -> multisplit_wgpu::Result<()> {
//! let gpu = Multisplit::new(&device, &queue)?; // fails for other backends
//! let sort = gpu.argsort::<f32>(1 << 20, &Sort::descending())?; // once
//!
//! let mut commands = gpu.commands("frame"); // every frame
//! // ... your passes, on commands.encoder(): write the depths
//! sort.encode(&mut commands, &depths, &order, Count::All)?;
//! // ... your passes, on commands.encoder(): draw in this order
//! commands.submit();
//! # Ok(())
//! # }
//! ```
//!
//! **[`Commands`] instead of an encoder.** A wgpu encoder cannot mix wgpu commands and raw Vulkan commands.
//! `Commands` starts a new encoder whenever the kind changes, and submits all encoders together, in order;
//! [`encoder`](Commands::encoder) returns the encoder for your own commands.
//!
//! **Synchronisation** is done by wgpu. Before each operation, empty compute passes bind its buffers as
//! read-write storage. wgpu therefore records the barriers, keeps the buffers alive, and clears uninitialised
//! memory.
//!
//! **Frames in flight.** Each recording has its own scratch memory and descriptors. They are reused when wgpu
//! reports that the recording is done (when the program submits or polls), so there is no frame count to
//! configure.
//!
//! **The queue** is used only by wgpu: this crate never submits anything itself. It relies only on behaviour
//! that Vulkan guarantees, so it does not have to test the device first.
//!
//! **Checks.** Sizes, usages, overlaps and counts are checked here; wgpu checks that buffers belong to the
//! device and are alive. Buffers of another [`wgpu::Instance`] are not detected: wgpu mistakes them for its
//! own.
//!
//! Each version of this crate supports one version of wgpu, currently 30, because both must use the same
//! `ash`.

mod commands;
mod device;
mod error;
mod operation;
mod operations;
mod touch;

pub use commands::Commands;
pub use device::Multisplit;
pub use error::{Error, Result};
pub use multisplit::{Bins, Buckets, Operator, Scan, Select, Sort, TopK};
pub use operation::Count;
pub use operations::{
    ArgSort, Histogram, KeySort, PairSort, PairSplit, PrefixScan, SegmentScan, SegmentSort,
    Selection, Split, TopKeys,
};
