//! Execution of plans: pipelines and their cache, descriptors, recording, replay and timestamps.

#[cfg(feature = "broken-plans")]
mod broken_kernel;
pub(crate) mod descriptors;
pub(crate) mod device_probe;
pub(crate) mod executable;
#[cfg(feature = "broken-plans")]
pub(crate) mod failing_pipelines;
pub(crate) mod fit;
pub(crate) mod import;
pub(crate) mod kernel_check;
pub(crate) mod layout;
pub(crate) mod own_pass;
pub(crate) mod pipeline;
pub(crate) mod pipeline_failures;
pub(crate) mod pipeline_store;
pub(crate) mod recorder;
pub(crate) mod replay;
mod state;
pub(crate) mod subgroup_barriers;
pub(crate) mod timed_runs;
pub(crate) mod timing;
pub(crate) mod workspace;
