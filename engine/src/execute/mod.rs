//! Execution of plans: pipelines and their cache, descriptors, recording, replay and timestamps.

#[cfg(feature = "broken-plans")]
mod broken_kernel;
mod descriptors;
pub(crate) mod device_probe;
pub(crate) mod executable;
#[cfg(feature = "broken-plans")]
pub(crate) mod failing_pipelines;
mod fit;
mod import;
mod instantiate;
mod kernel_check;
mod layout;
pub(crate) mod own_pass;
mod pipeline;
mod pipeline_failures;
mod pipeline_store;
pub(crate) mod recorder;
mod replay;
mod state;
mod subgroup_barriers;
mod timed_runs;
mod timing;
pub(crate) mod workspace;

pub(crate) use descriptors::Sets;
pub use executable::{Executable, ExecutableOptions};
pub use import::{Bound, BufferAt, Import};
pub(crate) use import::{Locations, imports};
pub use kernel_check::SubgroupBarriers;
pub(crate) use layout::BufferAccess;
pub(crate) use own_pass::OwnPasses;
pub(crate) use pipeline::{Adaptation, Pipeline};
pub use pipeline_failures::PipelineFailure;
pub use pipeline_store::PipelineStatistics;
pub(crate) use pipeline_store::PipelineStore;
pub(crate) use recorder::Prepared;
pub use recorder::{PassValue, RecordOptions};
pub use replay::Replay;
pub use timing::{PassTimer, TimestampQueries, Timing};
pub use workspace::WorkspaceRequirements;
