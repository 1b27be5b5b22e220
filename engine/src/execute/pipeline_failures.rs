//! Pipelines that the driver could not create, and the fallback to simpler plans.

use std::sync::{Arc, Mutex};

use ash::vk;

use crate::device::{Attachment, Context, Device};
use crate::error::{Error, Result};
use crate::fallback::PlanForm;
use crate::lock::lock;

/// A pipeline that the driver could not create, after which a context changed the [form](PlanForm) of its plans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PipelineFailure {
    /// Label of the kernel.
    pub kernel: String,
    /// Result that the driver returned.
    pub result: vk::Result,
    /// Form of plans after the failure.
    pub form: PlanForm,
}

/// The failures of a device that changed the form of its plans.
#[derive(Default)]
pub(super) struct PipelineFailures(pub Mutex<Vec<PipelineFailure>>);

impl Attachment for PipelineFailures {}

impl PipelineFailures {
    pub(super) fn of(device: &Device) -> Result<Arc<Self>> {
        device.attached(|_| Ok(Self::default()))
    }
}

impl Context {
    /// The pipelines that the driver could not create, after which the context changed the form of its plans; at most
    /// one for each form.
    pub fn pipeline_failures(&self) -> Vec<PipelineFailure> {
        PipelineFailures::of(&self.device).map_or_else(|_| Vec::new(), |all| lock(&all.0).clone())
    }

    /// Form of the plans that the context makes now. It changes if the driver cannot create a pipeline.
    pub fn plan_form(&self) -> PlanForm {
        let failures = PipelineFailures::of(&self.device).ok();
        failures.and_then(|all| lock(&all.0).last().map(|last| last.form)).unwrap_or_default()
    }

    /// Calls `prepare`, which plans and instantiates. Calls it again if it fails and the form of plans has changed
    /// meanwhile, because the driver could not create a pipeline.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// # let keys = gpu.upload(&[3u32, 1, 2])?;
    /// use multisplit::Sort;
    /// let mut frame = gpu.with_fallback(|| {
    ///     let mut work = gpu.work("frame");
    ///     work.sort(&keys, &Sort::ascending())?;
    ///     work.record()
    /// })?;
    /// # frame.submit()?;
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn with_fallback<T, E>(&self, prepare: impl Fn() -> Result<T, E>) -> Result<T, E> {
        loop {
            let form = self.plan_form();
            let prepared = prepare();
            if prepared.is_ok() || self.plan_form() == form {
                return prepared;
            }
        }
    }

    /// Changes the form of later plans if `error` reports that the pipeline of a built-in kernel could not be created for
    /// a plan of this form. Returns the error with the form that plans have from now on.
    pub(super) fn fall_back(&self, form: Option<PlanForm>, error: Error) -> Error {
        let Error::Pipeline { kernel, result, is_callers: false, .. } = error else { return error };
        let mut next = form.and_then(PlanForm::next).filter(|_| self.device.pipeline_fallback);
        if let (Some(after), Ok(failures)) = (next, PipelineFailures::of(&self.device)) {
            let mut failures = lock(&failures.0);
            match failures.last() {
                // Another plan of the same form has failed before.
                Some(last) if last.form >= after => next = Some(last.form),
                _ => {
                    tracing::warn!(kernel, %result, "the driver cannot create a pipeline; from now on, plans have {after}");
                    failures.push(PipelineFailure { kernel: kernel.clone(), result, form: after });
                }
            }
        }
        Error::Pipeline { kernel, result, next, is_callers: false }
    }
}
