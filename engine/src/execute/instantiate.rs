//! Creation of executables, and checks of the plans and options that they are created from.

use multisplit_graph::{Limits, Plan};

use crate::device::Context;
use crate::error::{Error, Result};
use crate::execute::kernel_check::check_kernel;
use crate::execute::{
    Adaptation, BufferAccess, Executable, ExecutableOptions, PipelineStore, SubgroupBarriers,
    WorkspaceRequirements,
};
use crate::execute::{fit, own_pass, workspace};
use crate::fallback::PlanForm;

/// Maximum number of frames in flight; larger numbers are probably mistakes.
const MAX_FRAMES: usize = 1024;

/// Rejects a plan with a kernel that is not known to stay within its buffers, whatever they contain, or with an
/// indirect dispatch that may exceed the device limits.
fn check_sound(plan: &Plan, options: ExecutableOptions, device: &Limits) -> Result<()> {
    let mut passes = plan.steps().iter().map(|step| &step.pass);
    if let Some(pass) = passes.find(|pass| !own_pass::is_sound(pass, options.by_address)) {
        let kernel = pass.kernel.as_ref().map_or("", |kernel| kernel.label()).to_owned();
        return Err(Error::ForeignKernel { kernel });
    }
    match own_pass::unbounded_dispatch(plan, device) {
        None => Ok(()),
        Some(pass) => Err(Error::UnboundedGroups { pass: pass.label.clone() }),
    }
}

impl Context {
    /// Creates all objects needed to record `plan`. If the driver cannot create a pipeline, returns
    /// [`Error::Pipeline`]. Unless the kernel is the caller's own, the
    /// [fallback](crate::Config::pipeline_fallback) is off or no form is left, the context plans in the form after that
    /// of `plan` from then on ([`PlanForm`](crate::PlanForm)). If the plan has [state](multisplit_graph::Graph::state),
    /// the call submits commands that clear it, and waits for them, unless the context [only
    /// records](crate::AdoptOptions::record_only).
    pub fn instantiate(&self, plan: Plan) -> Result<Executable> {
        self.instantiate_with(plan, ExecutableOptions::default())
    }

    /// Like [`instantiate`](Self::instantiate), with options.
    pub fn instantiate_with(&self, plan: Plan, options: ExecutableOptions) -> Result<Executable> {
        check_sound(&plan, options, &self.limits())?;
        self.instantiate_any(plan, options)
    }

    /// Like [`instantiate`](Self::instantiate), for a plan that [`run`](Self::run) runs once: the run clears the state,
    /// which saves a submission.
    pub(crate) fn instantiate_for_one_run(&self, plan: Plan) -> Result<Executable> {
        let options = ExecutableOptions::default();
        check_sound(&plan, options, &self.limits())?;
        self.refuse_faulty_device(&plan)?;
        let (form, barriers) = (PlanForm::of(&plan), self.subgroup_barriers_of(&plan));
        let made = self.instantiate_for(plan, options, barriers);
        let mut executable = made.map_err(|error| self.fall_back(form, error))?;
        executable.state.cleared_by_run = true;
        Ok(executable)
    }

    /// Like [`instantiate`](Self::instantiate), for plans with sizes that the context would not choose itself. If the
    /// driver cannot create a pipeline, other plans are not affected.
    pub(crate) fn instantiate_trial(&self, plan: Plan) -> Result<Executable> {
        let options = ExecutableOptions::default();
        check_sound(&plan, options, &self.limits())?;
        self.instantiate_once(plan, options)
    }

    /// Like [`instantiate_with`](Self::instantiate_with), for plans with kernels that are not known to stay within
    /// their buffers: external SPIR-V, user-written GLSL that accesses buffers by address, and built-in kernels in
    /// passes of the caller.
    ///
    /// # Safety
    /// For all possible buffer contents, each such kernel is a valid Vulkan shader for this device, accesses only its
    /// bindings and only within their bounds, and terminates.
    pub unsafe fn instantiate_foreign(
        &self,
        plan: Plan,
        options: ExecutableOptions,
    ) -> Result<Executable> {
        self.instantiate_any(plan, options)
    }

    /// Creates the pipeline of one step of `plan`, for programs that compile on their own threads. After this has
    /// been called for all [steps](Plan::steps), [`instantiate_with`](Self::instantiate_with) does not compile their
    /// kernels. Concurrent calls for steps with the same pipeline do not wait for each other; they may compile it
    /// twice. If the driver cannot create the pipeline, the form of later plans changes, as with
    /// [`instantiate`](Self::instantiate).
    pub fn prepare_step(&self, plan: &Plan, step: usize, options: ExecutableOptions) -> Result<()> {
        let kernel = plan.steps().get(step).and_then(|step| own_pass::kernel_of(&step.pass));
        // Compiling a built-in kernel is safe, even if the pass that uses it is not.
        if !kernel.is_some_and(|kernel| kernel.is_built_in()) {
            check_sound(plan, options, &self.limits())?;
        }
        self.prepare_any_step(plan, step, options)
    }

    /// Like [`prepare_step`](Self::prepare_step), for plans that need
    /// [`instantiate_foreign`](Self::instantiate_foreign).
    ///
    /// # Safety
    /// Each kernel of the plan is a valid Vulkan shader for this device.
    pub unsafe fn prepare_foreign_step(
        &self,
        plan: &Plan,
        step: usize,
        options: ExecutableOptions,
    ) -> Result<()> {
        self.prepare_any_step(plan, step, options)
    }

    fn prepare_any_step(&self, plan: &Plan, step: usize, options: ExecutableOptions) -> Result<()> {
        let Some(pass) = plan.steps().get(step).map(|step| &step.pass) else { return Ok(()) };
        let Some(kernel) = own_pass::kernel_of(pass) else { return Ok(()) };
        let access = self.checked_access(plan, options)?;
        let adaptation = Adaptation { access, barriers: self.subgroup_barriers_of(plan) };
        let pipelines = PipelineStore::of(&self.device)?;
        let made = pipelines.get(&self.device, kernel, &pass.specialization, adaptation);
        made.map(drop).map_err(|error| self.fall_back(PlanForm::of(plan), error))
    }

    /// Checks that the device can run `plan` with these options: limits, features of each kernel, and frames in
    /// flight. Does not create pipelines, so the driver may still reject one of them.
    pub fn check_plan(&self, plan: &Plan, options: ExecutableOptions) -> Result<()> {
        self.checked_access(plan, options)?;
        for pass in plan.steps().iter().map(|step| &step.pass) {
            if let Some(kernel) = own_pass::kernel_of(pass) {
                check_kernel(&self.device, kernel, &pass.specialization, SubgroupBarriers::Kept)?;
            }
        }
        Ok(())
    }

    /// Requirements for the memory of the transient and persistent buffers of `plan`. Does not create pipelines.
    pub fn workspace_requirements(&self, plan: &Plan) -> Result<WorkspaceRequirements> {
        self.workspace_requirements_with(plan, ExecutableOptions::default())
    }

    /// Like [`workspace_requirements`](Self::workspace_requirements), for a plan instantiated with these options.
    pub fn workspace_requirements_with(
        &self,
        plan: &Plan,
        options: ExecutableOptions,
    ) -> Result<WorkspaceRequirements> {
        workspace::requirements(&self.device, plan, options.by_address)
    }

    /// Writes the compiled pipelines to the cache file now. Otherwise, they are written when the context is
    /// destroyed. Pipelines that cannot be written are compiled again in the next process.
    pub fn save_pipelines(&self) {
        if let Ok(pipelines) = PipelineStore::of(&self.device) {
            pipelines.save(&self.device);
        }
    }

    /// Checks the plan and the options against the device limits. Returns the method by which kernels access buffers.
    fn checked_access(&self, plan: &Plan, options: ExecutableOptions) -> Result<BufferAccess> {
        if options.frames > MAX_FRAMES {
            let (asked, limit) = (options.frames as u64, MAX_FRAMES as u64);
            return Err(Error::TooLarge { what: "number of frames in flight", asked, limit });
        }
        let access = match (options.by_address, self.device.push_descriptor.is_some()) {
            (false, true) => BufferAccess::Pushed,
            (false, false) => BufferAccess::Sets,
            (true, _) if self.device.features.buffer_device_address => BufferAccess::Addresses,
            (true, _) => {
                let operation = format!("`{}` with buffer addresses", plan.name());
                let feature = "bufferDeviceAddress".to_owned();
                return Err(self.device.missing_feature(operation, feature));
            }
        };
        fit::check(plan, &self.limits())?;
        fit::check_stages(plan, self.device.queue_flags)?;
        if access == BufferAccess::Addresses {
            fit::check_addresses(plan)?;
        }
        Ok(access)
    }

    fn instantiate_any(&self, plan: Plan, options: ExecutableOptions) -> Result<Executable> {
        let form = PlanForm::of(&plan);
        self.instantiate_once(plan, options).map_err(|error| self.fall_back(form, error))
    }

    fn instantiate_once(&self, plan: Plan, options: ExecutableOptions) -> Result<Executable> {
        self.refuse_faulty_device(&plan)?;
        let barriers = self.subgroup_barriers_of(&plan);
        let mut executable = self.instantiate_for(plan, options, barriers)?;
        if self.device.record_only {
            executable.state.cleared_by_run = true;
        } else {
            executable.state.clear(&self.device)?;
        }
        Ok(executable)
    }

    /// Instantiates a plan. `barriers` is the behaviour of `subgroupBarrier()` on the device. Does not clear the
    /// state.
    pub(super) fn instantiate_for(
        &self,
        plan: Plan,
        options: ExecutableOptions,
        barriers: SubgroupBarriers,
    ) -> Result<Executable> {
        let _span = tracing::debug_span!("instantiate", plan = %plan.name()).entered();
        let errors = self.device.watch_errors();
        let access = self.checked_access(&plan, options)?;
        let executable =
            Executable::new(&self.device, plan, options, Adaptation { access, barriers })?;
        errors.check()?;
        Ok(executable)
    }
}
