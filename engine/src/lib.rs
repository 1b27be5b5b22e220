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

mod device;
//pub mod embed;
mod error;
mod execute;
mod memory;
pub mod network;
pub mod primitives;

pub use ash;
pub use device::adopt::{AdoptedDevice, RawDevice};
pub use device::context::{Config, Context, PipelineCache};
pub use device::observer::{Observer, PassTime, Run};
pub use device::properties::DeviceProperties;
pub use device::requirements::{
    Check, FeatureChain, Features, InstanceRequirements, Missing, Requirements, Why,
};
pub use device::selection::{DEVICE_VARIABLE, DeviceChoice, DeviceEntry};
pub use device::validation::{Message, Messages, ValidationConfig};
pub use error::{Error, Result};
pub use execute::executable::{Executable, ExecutableOptions};
pub use execute::import::{Bound, BufferAt, Import};
pub use execute::profiler::{Profiler, TimestampQueries, Timing};
pub use execute::recorder::RecordOptions;
pub use execute::replay::Replay;
pub use execute::statistics::PipelineStatistic;
pub use execute::workspace::WorkspaceRequirements;
pub use memory::{Array, Device, Elements, Host, MemoryReport, Place};
pub use multisplit_graph as graph;
pub use multisplit_shaders as shaders;
pub use primitives::histogram::Bins;
pub use primitives::key::{Key, KeyType, Value};
#[cfg(feature = "glsl")]
pub use primitives::multisplit::Glsl;
pub use primitives::multisplit::Buckets;
pub use primitives::policy::Policy;
pub use primitives::sample::{Sample, SampleType};
pub use primitives::sort::Sort;
