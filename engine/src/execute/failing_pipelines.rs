//! Simulates drivers that cannot create some pipelines, for tests of the fallback.

use std::sync::{Arc, Mutex};

use ash::vk;
use multisplit_shaders::Kernel;

use super::kernel_check::value_of;
use super::pipeline_failures::PipelineFailures;
use crate::device::{Attachment, Context, Device};
use crate::error::{Error, Result};
use crate::lock::lock;

/// Environment variable with the initial failing pipelines, as `LABEL>THREADS`.
const VARIABLE: &str = "MULTISPLIT_FAILING_PIPELINES";
/// Label prefix of the kernels that probe the device. These never fail, because the fallback does not change their
/// sizes.
const PROBES: &str = "probe.";

/// Pipelines whose creation fails: those of kernels whose label contains a text, in workgroups of more than this many
/// threads.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailingPipelines {
    pub label: String,
    pub max_threads: u32,
}

impl FailingPipelines {
    fn of_environment() -> Option<Self> {
        let given = std::env::var(VARIABLE).ok()?;
        let (label, max_threads) = given.split_once('>')?;
        Some(Self { label: label.to_owned(), max_threads: max_threads.parse().ok()? })
    }

    fn contains(&self, kernel: &Kernel, specialization: &[(u32, u32)]) -> bool {
        let label = kernel.label();
        let workgroup = kernel.interface().workgroup_size(|id| value_of(specialization, id));
        let threads = workgroup.into_iter().fold(1, u32::saturating_mul);
        !label.starts_with(PROBES) && label.contains(&self.label) && threads > self.max_threads
    }
}

struct Failing(Mutex<Option<FailingPipelines>>);

impl Attachment for Failing {}

impl Failing {
    fn of(device: &Device) -> Result<Arc<Self>> {
        device.attached(|_| Ok(Self(Mutex::new(FailingPipelines::of_environment()))))
    }
}

/// Returns the error of a driver if this is one of the failing pipelines.
pub(super) fn check(device: &Device, kernel: &Kernel, specialization: &[(u32, u32)]) -> Result<()> {
    let failing = Failing::of(device)?;
    let failing = lock(&failing.0);
    match failing.as_ref().is_some_and(|failing| failing.contains(kernel, specialization)) {
        true => Err(Error::pipeline(kernel, vk::Result::ERROR_OUT_OF_DEVICE_MEMORY)),
        false => Ok(()),
    }
}

impl Context {
    /// Sets the pipelines whose creation fails, and forgets all earlier failures.
    #[doc(hidden)]
    pub fn fail_pipelines(&self, failing: Option<FailingPipelines>) -> Result<()> {
        *lock(&Failing::of(&self.device)?.0) = failing;
        lock(&PipelineFailures::of(&self.device)?.0).clear();
        Ok(())
    }
}
