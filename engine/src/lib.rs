//! Multisplit, radix sort, histogram and scan on Vulkan devices.
//!
//! ```
//! use multisplit::{Bins, Buckets, Context};
//!
//! # let keys = vec![0.5f32, 0.25, 0.75, 0.125];
//! # let values = vec![0u32, 1, 2, 3];
//! # let samples = keys.clone();
//! let gpu = Context::new()?; // the best available device
//! let sorted = gpu.sort(&keys)?; // a Vec of the same type
//! let order = gpu.argsort(&keys)?; // a Vec<u32>
//! let split = gpu.split(&keys, Buckets::even(0.0..1.0, 8))?; // .keys, .offsets
//! let histogram = gpu.histogram(&samples, Bins::even(0.0..1.0, 8))?; // .counts
//! let (keys, values) = gpu.sort_pairs(&keys, &values)?;
//! # assert_eq!((sorted, order), (keys.clone(), values.clone()));
//! # assert_eq!(split.offsets.last(), Some(&4));
//! # assert_eq!(histogram.counts.iter().sum::<u64>(), 4);
//! # Ok::<(), multisplit::Error>(())
//! ```
//!
//! There are four ways to use this crate, each built on the next:
//!
//! - **Single calls**, as above. Calls with host arrays (slices, `Vec`s) return `Vec`s. Calls with
//!   device arrays ([`Array`], created by [`Context::upload`]) return device arrays, and transfer
//!   their elements only if there are too many for one plan. Options are set by name:
//!   [`Sort::descending`], [`Sort::bits`], [`Buckets::range`], [`Bins::layout`].
//! - **Work**: several operations and your own shaders, planned together, recorded once and submitted any number of
//!   times ([`Context::work`], [`Frame`]).
//! - **In your engine**: the same work on your buffers, recorded into your command buffers
//!   ([`Work::executable`], [`Context::adopt`], [`embed`]).
//! - **Building blocks**: [`operations`] adds passes to a [`graph`], which plans them without a device;
//!   [`Executable`] records a plan.
//!
//! # Safety guarantees
//!
//! Safe calls cannot cause undefined behaviour: types, sizes and limits are checked, plans are
//! immutable after compilation, accesses of custom GLSL are checked and confined to its bindings, and
//! calls that use the same array are ordered. Calls with inputs that cannot be checked (raw handles,
//! external SPIR-V, command buffers of other code) are `unsafe` and document their requirements.
//! `docs/safety.md` has the full list.
//!
//! # Features
//!
//! - `glsl`: custom bucket functions and passes in GLSL, compiled at run time. Adds shaderc to the
//!   build, which needs a C++ compiler.
//! - `tuning`: access to the tile sizes and thresholds of a [`Policy`], for measurements. They
//!   affect performance, but not results, except that sums of floats, and results of GLSL operators
//!   that round, may round differently.

mod call;
#[cfg(doctest)]
mod compile_fail;
mod device;
#[cfg(doctest)]
mod docs;
mod elements;
pub mod embed;
mod error;
mod execute;
mod fallback;
mod fault;
mod lock;
mod memory;
mod open;
pub mod operations;
pub mod policy;
#[cfg(feature = "tuning")]
pub mod tune;
mod words;
mod work;

pub use ash;
pub use device::{
    AdoptOptions, AdoptedDevice, Config, Context, DEVICE_VARIABLE, DeviceChoice, DeviceEntry,
    DeviceProperties, FAULTY_DEVICES_VARIABLE, FaultyDevices, MemoryAllocator, MemoryPiece,
    Message, Messages, Observer, PIPELINE_FALLBACK_VARIABLE, PassTime, PipelineCache,
    PipelineFallback, ProfileChoice, RANKING_VARIABLE, RankingChoice, RawDevice, Run,
    ValidationConfig, requirements,
};
pub use elements::key::{Key, KeyType, Sample, Value};
pub use error::{Error, Result};
#[cfg(feature = "broken-plans")]
#[doc(hidden)]
pub use execute::failing_pipelines::FailingPipelines;
pub use execute::{
    Bound, BufferAt, Executable, ExecutableOptions, Import, PassTimer, PassValue, PipelineFailure,
    PipelineStatistics, RecordOptions, Replay, SubgroupBarriers, TimestampQueries, Timing,
    WorkspaceRequirements,
};
pub use fallback::PlanForm;
pub use fault::DeviceFault;
pub use half;
pub use memory::{Array, Elements, MemoryReport, Readback};
pub use multisplit_graph as graph;
pub use multisplit_shaders as shaders;
pub use operations::histogram::Bins;
pub use operations::scan::Scan;
pub use operations::select::Select;
pub use operations::shared::edge_values::EdgeValues;
#[cfg(feature = "glsl")]
pub use operations::shared::glsl::{Glsl, GlslOperator};
pub use operations::shared::operator::{AnyOperator, Operator};
pub use operations::sort::Sort;
pub use operations::split::Buckets;
pub use operations::topk::TopK;
pub use policy::Policy;
pub use policy::profile::Profile;
pub use work::{First, Frame, Operand, Work, WorkArray, WorkPass, threads};

/// The memory in which the arrays of a call are stored: host or device.
pub mod place {
    pub use crate::memory::{Device, Host, Place};
}
