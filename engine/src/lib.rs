//! Multisplit, radix sort, histogram, scan and shortest paths on any Vulkan device.
//!
//! ```
//! use multisplit::{Bins, Buckets, Context};
//!
//! # let keys = vec![0.5f32, 0.25, 0.75, 0.125];
//! # let values = vec![0u32, 1, 2, 3];
//! # let samples = keys.clone();
//! let gpu = Context::new()?; // the best device there is
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
//! Four ways to use it, each built on the next:
//!
//! - **One call**, as above. Arrays on the host (slices, `Vec`s) give `Vec`s; arrays on the device
//!   ([`Array`], made by [`Context::upload`]) give arrays, and nothing is transferred. Options have
//!   names: [`Sort::descending`], [`Sort::bits`], [`Buckets::range`], [`Bins::layout`].
//! - **Work**: several primitives and shaders of your own, planned together, recorded once and
//!   submitted any number of times ([`Context::work`], [`Frame`]).
//! - **In your engine**: the same work on your buffers, recorded into your command buffers
//!   ([`Work::executable`], [`Context::adopt`], [`embed`]).
//! - **The parts**: [`primitives`] adds passes to a [`graph`], which plans them without a device;
//!   [`Executable`] records a plan.
//!
//! # What safe code can rely on
//!
//! No safe call causes undefined behaviour: types, sizes and limits are checked, plans cannot be
//! changed once they are compiled, your own GLSL is checked and kept inside its bindings, and calls
//! that use the same array are ordered. What cannot be checked (raw handles, SPIR-V from elsewhere,
//! another party's command buffers) is an `unsafe fn` that says what it needs. `docs/safety.md` has
//! the whole list.
//!
//! # Features
//!
//! - `glsl`: bucket functions and passes of your own in GLSL, compiled at run time. It brings shaderc,
//!   a C++ library, into the build; without it, no C++ compiler is needed.
//! - `tuning`: the sizes and thresholds behind a [`Policy`], for measuring. Results never depend on
//!   them.

#[cfg(doctest)]
mod compile_fail;
mod device;
#[cfg(doctest)]
mod docs;
pub mod embed;
mod error;
mod execute;
mod memory;
pub mod network;
mod open;
pub mod primitives;
#[cfg(feature = "tuning")]
pub mod tune;
mod words;
mod work;

pub use ash;
pub use device::adopt::{AdoptedDevice, RawDevice};
pub use device::context::{Config, Context, PipelineCache};
pub use device::hooks::{AdoptOptions, MemoryAllocator, MemoryPiece};
pub use device::observer::{Observer, PassTime, Run};
pub use device::profile_choice::ProfileChoice;
pub use device::properties::DeviceProperties;
pub use device::ranking::{RANKING_VARIABLE, RankingChoice};
pub use device::requirements::{
    Check, FeatureChain, Features, InstanceRequirements, Missing, Requirements, Why,
};
pub use device::selection::{DEVICE_VARIABLE, DeviceChoice, DeviceEntry};
pub use device::validation::{Message, Messages, ValidationConfig};
pub use error::{Error, Result};
pub use execute::executable::{Executable, ExecutableOptions};
pub use execute::import::{Bound, BufferAt, Import};
pub use execute::profiler::{Profiler, TimestampQueries, Timing};
pub use execute::recorder::{PassValue, RecordOptions};
pub use execute::replay::Replay;
pub use execute::statistics::PipelineStatistic;
pub use execute::subgroup_barriers::SubgroupBarriers;
pub use execute::workspace::WorkspaceRequirements;
pub use half;
pub use memory::{Array, Device, Elements, Host, MemoryReport, Place};
pub use multisplit_graph as graph;
pub use multisplit_shaders as shaders;
pub use primitives::histogram::Bins;
pub use primitives::key::{Key, KeyType, Value};
pub use primitives::multisplit::Buckets;
#[cfg(feature = "glsl")]
pub use primitives::multisplit::Glsl;
pub use primitives::operator::AnyOperator;
#[cfg(feature = "glsl")]
pub use primitives::operator::GlslOperator;
pub use primitives::policy::Policy;
pub use primitives::profile::Profile;
pub use primitives::sample::{Sample, SampleType};
pub use primitives::scan::Scan;
pub use primitives::select::Select;
pub use primitives::sort::Sort;
pub use primitives::term::Operator;
pub use primitives::topk::TopK;
pub use work::{First, Frame, Operand, Work, WorkArray, WorkPass, threads};
