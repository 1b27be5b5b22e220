//! Vulkan devices: selection or adoption, requirements, properties, and the handles that all other modules share.
//! This module does not depend on buffers, plans or operations.

mod adopt;
mod barriers;
mod choices;
mod commands;
pub(crate) mod context;
mod files;
mod functions;
mod hooks;
mod instance;
#[cfg(feature = "broken-plans")]
mod lowered_limits;
mod observer;
mod order;
mod profile_choice;
pub(crate) mod properties;
pub mod requirements;
mod selection;
pub(crate) mod shared;
mod validation;
pub(crate) mod verdict;

pub use adopt::{AdoptedDevice, RawDevice};
pub(crate) use barriers::memory_barrier;
pub use choices::{
    FAULTY_DEVICES_VARIABLE, FaultyDevices, PIPELINE_FALLBACK_VARIABLE, PipelineFallback,
    RANKING_VARIABLE, RankingChoice,
};
pub(crate) use commands::{CommandSlot, Commands, run_once};
pub use context::{Config, Context};
pub use files::PipelineCache;
#[cfg(test)]
pub(crate) use files::TestFolder;
pub(crate) use files::{hex, write_whole};
pub use hooks::{AdoptOptions, MemoryAllocator, MemoryPiece};
pub use observer::{Observer, PassTime, Run};
pub(crate) use order::SubmissionBarrier;
pub use profile_choice::ProfileChoice;
pub use properties::DeviceProperties;
pub use selection::{DEVICE_VARIABLE, DeviceChoice, DeviceEntry};
pub(crate) use shared::{Attachment, Device, RecordingId};
pub(crate) use validation::ErrorWatch;
pub use validation::{Message, Messages, ValidationConfig};
pub(crate) use verdict::{ProbeResult, VerdictFile};
