//! GPU primitives on Vulkan: scan, and what is built on it.
//!
//! Three layers, each usable on its own:
//! - [`Context`] opens a device, or adopts the one an engine already has.
//! - [`graph`] plans passes: order, barriers, memory. Pure, no Vulkan.
//! - [`Executable`] records a plan into a command buffer, the caller's included.
//!
//! [`primitives`] adds passes to a graph; [`Context::exclusive_scan`] and its kin do everything
//! in one call.
//!
//! ```
//! # fn main() -> Result<(), multisplit::Error> {
//! use multisplit::{Config, Context};
//!
//! let context = Context::open(&Config::default())?;
//! let sums = context.exclusive_scan(&[3, 1, 4, 1, 5])?;
//! assert_eq!(sums, [0, 3, 4, 8, 9]);
//! # Ok(())
//! # }
//! ```

mod adopt;
mod budget;
mod cache_file;
mod commands;
mod context;
mod descriptors;
mod device;
pub mod embed;
mod error;
mod executor;
mod fit;
mod import;
mod instance;
mod layout;
mod memory;
pub mod network;
mod observe;
mod pipeline;
pub mod primitives;
mod profiler;
mod properties;
mod recorder;
mod replay;
mod requirements;
mod select;
mod statistics;
mod validation;
mod workspace;

pub use adopt::{AdoptedDevice, RawDevice};
pub use ash;
pub use context::{Config, Context, MemoryReport, PipelineCache};
pub use error::{Error, Result};
pub use executor::{Executable, ExecutableOptions};
pub use import::{Bound, BufferAt, Import, WorkspaceBinding};
pub use memory::Buffer;
pub use multisplit_graph as graph;
pub use multisplit_shaders as shaders;
pub use observe::{Observer, Run};
pub use profiler::{PassTime, Profiler, TimestampQueries, Timing};
pub use properties::DeviceProperties;
pub use recorder::RecordOptions;
pub use replay::Replay;
pub use requirements::{
    Check, FeatureChain, Features, InstanceRequirements, Missing, Requirements, Why,
};
pub use select::{DEVICE_VARIABLE, DeviceChoice, DeviceEntry};
pub use statistics::PipelineStatistic;
pub use validation::{Message, Messages, ValidationConfig};
pub use workspace::WorkspaceRequirements;
