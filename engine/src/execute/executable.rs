//! A plan that is ready to be recorded: its pipelines, descriptors, workspace and constants, all made
//! when it is instantiated.

use std::ffi::CString;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ash::vk;
use multisplit_graph::{self as graph, Limits, Plan};

use crate::device::context::Context;
use crate::device::shared::Device;
use crate::error::{Error, Result};
use crate::execute::descriptors::Sets;
use crate::execute::fit;
use crate::execute::import::{BufferAt, Import, InsidePlan, Places};
use crate::execute::layout::BufferAccess;
use crate::execute::own_pass;
use crate::execute::pipeline::{Form, Pipeline};
use crate::execute::pipeline_store::PipelineStore;
use crate::execute::subgroup_barriers::SubgroupBarriers;
use crate::execute::workspace::{self, WorkspaceRequirements};
use crate::memory::status::{StatusWord, check_order};
use crate::memory::{Buffer, Location};

/// A plan that is ready to be recorded, any number of times.
///
/// Recording takes `&self` and touches no shared state but a counter, so several threads may
/// record one executable into different command buffers, each as a frame in flight of its own: a
/// frame has its own workspace and descriptors.
pub struct Executable {
    pub(crate) device: Arc<Device>,
    pub(crate) plan: Plan,
    pub(crate) steps: Vec<Step>,
    access: BufferAccess,
    pub(crate) exit: Vec<vk::MemoryBarrier2<'static>>,
    /// One for each frame in flight, where the executable brings them and the plan needs any.
    workspaces: Vec<Buffer>,
    /// Where the plan has any.
    constants: Option<Buffer>,
    /// For recordings by the caller, in turn; none where descriptors are pushed.
    pub(crate) frames: Vec<Sets>,
    pub(crate) frame_count: usize,
    pub(crate) next_frame: AtomicUsize,
    /// Held while the engine's own calls run with the executable's own workspace.
    turn: Mutex<()>,
    status: Status,
}

/// The device's status word, and whether passes of the plan can set it.
struct Status {
    word: Arc<StatusWord>,
    lane_order: bool,
    /// The name of the plan.
    plan: Arc<str>,
}

/// The status word of passes that rank by lane order: they set it where the order was not kept.
pub(crate) const LANE_ORDER_STATUS: &str = "multisplit.lane_order";

pub(crate) struct Step {
    pub barrier: Vec<vk::MemoryBarrier2<'static>>,
    pub label: CString,
    pub pipeline: Option<Arc<Pipeline>>,
}

/// How [`Context::instantiate_with`] sets a plan up.
#[derive(Clone, Copy, Debug)]
pub struct ExecutableOptions {
    /// Whether the executable brings workspaces, one for each frame in flight; otherwise each
    /// recording is given one.
    pub own_workspace: bool,
    /// Frames in flight: how many recordings by [`Executable::record`] may be recorded and yet to
    /// run. Each has a workspace and, on devices without push descriptors, descriptor sets of its
    /// own; recording `k` and recording `k + frames` share them.
    pub frames: usize,
    /// Whether kernels take the addresses of buffers instead of binding them: no descriptors at
    /// all. It needs [`Features::buffer_device_address`](crate::Features::buffer_device_address),
    /// and validation layers do not see such accesses.
    pub by_address: bool,
}

/// More frames in flight than this are a mistake.
const MAX_FRAMES: usize = 1024;

impl Default for ExecutableOptions {
    fn default() -> Self {
        Self { own_workspace: true, frames: 1, by_address: false }
    }
}

impl ExecutableOptions {
    /// For as many frames in flight.
    #[must_use]
    pub fn frames(self, frames: usize) -> Self {
        Self { frames, ..self }
    }

    /// With workspaces that each recording is given.
    #[must_use]
    pub fn without_workspace(self) -> Self {
        Self { own_workspace: false, ..self }
    }

    /// With kernels that take the addresses of buffers.
    #[must_use]
    pub fn by_address(self) -> Self {
        Self { by_address: true, ..self }
    }
}

/// Each kernel of the plan stays within its buffers, whatever they hold, and its dispatches within the limits
/// of the device.
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
    /// Whether no kernel of this context, ranking by lane order, has found that the device does not
    /// keep it: one tile in 256 checks its own order. A look at a word in host memory: nothing is
    /// submitted, and nothing waited for.
    ///
    /// Of a recording it tells once the recording has run, and the host has waited for its fence.
    /// Where it says false, results of what [relies on it](Executable::relies_on_lane_order) may be
    /// in the wrong order; what is built from here on ranks by ballots.
    pub fn keeps_lane_order(&self) -> bool {
        StatusWord::of(&self.device).map_or(true, |word| !word.is_set(&self.device))
    }

    /// Makes everything that recording `plan` needs.
    pub fn instantiate(&self, plan: Plan) -> Result<Executable> {
        self.instantiate_with(plan, ExecutableOptions::default())
    }

    /// Like [`instantiate`](Self::instantiate), with options.
    pub fn instantiate_with(&self, plan: Plan, options: ExecutableOptions) -> Result<Executable> {
        check_sound(&plan, options, &self.limits())?;
        self.instantiate_any(plan, options)
    }

    /// Like [`instantiate_with`](Self::instantiate_with), for plans with kernels that are not known
    /// to stay within their buffers: SPIR-V from elsewhere, and GLSL of a user's that takes buffers
    /// by address.
    ///
    /// # Safety
    /// Whatever the buffers hold that it will be run on, each such kernel is a valid Vulkan shader
    /// for this device, reads and writes its bindings only, within their bounds, and ends.
    pub unsafe fn instantiate_foreign(
        &self,
        plan: Plan,
        options: ExecutableOptions,
    ) -> Result<Executable> {
        self.instantiate_any(plan, options)
    }

    /// Makes the pipeline of one step of `plan`, for a program that compiles on threads of its own: when
    /// those of all [steps](Plan::steps) are there, [`instantiate_with`](Self::instantiate_with) compiles
    /// nothing. Steps that have the same pipeline wait for nobody, and make it twice at worst.
    pub fn prepare_step(&self, plan: &Plan, step: usize, options: ExecutableOptions) -> Result<()> {
        check_sound(plan, options, &self.limits())?;
        self.prepare_any_step(plan, step, options)
    }

    /// Like [`prepare_step`](Self::prepare_step), for plans that
    /// [`instantiate_foreign`](Self::instantiate_foreign) takes.
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
        let Some(step) = plan.steps().get(step) else { return Ok(()) };
        let Some(kernel) = step.pass.kernel.as_ref().and_then(|kernel| kernel.kernel()) else {
            return Ok(());
        };
        let access = self.access_of_fitting(plan, options)?;
        let form = Form { access, barriers: self.subgroup_barriers_of(plan) };
        let pipelines = PipelineStore::of(&self.device)?;
        pipelines.get(&self.device, kernel, &step.pass.specialization, form).map(drop)
    }

    /// Writes the compiled pipelines to the file of the pipeline cache, which is else done when the last
    /// of the context goes. What cannot be written is made again next time.
    pub fn save_pipelines(&self) {
        if let Ok(pipelines) = PipelineStore::of(&self.device) {
            pipelines.save(&self.device);
        }
    }

    /// How kernels find their buffers, in a plan that fits the device.
    fn access_of_fitting(&self, plan: &Plan, options: ExecutableOptions) -> Result<BufferAccess> {
        let access = self.access(plan, options.by_address)?;
        fit::check(plan, &self.limits())?;
        fit::check_stages(plan, self.device.queue_flags)?;
        if access == BufferAccess::Addresses {
            fit::check_addresses(plan)?;
        }
        Ok(access)
    }

    fn instantiate_any(&self, plan: Plan, options: ExecutableOptions) -> Result<Executable> {
        let barriers = self.subgroup_barriers_of(&plan);
        self.instantiate_for(plan, options, barriers)
    }

    /// Instantiates a plan for a device whose subgroup barriers are like this.
    pub(super) fn instantiate_for(
        &self,
        plan: Plan,
        options: ExecutableOptions,
        barriers: SubgroupBarriers,
    ) -> Result<Executable> {
        let _span = tracing::debug_span!("instantiate", plan = %plan.name()).entered();
        if options.frames > MAX_FRAMES {
            let (asked, limit) = (options.frames as u64, MAX_FRAMES as u64);
            return Err(Error::TooLarge { what: "number of frames in flight", asked, limit });
        }
        let device = &self.device;
        let errors = device.watch_errors();
        let access = self.access_of_fitting(&plan, options)?;
        let steps = steps(device, &plan, Form { access, barriers })?;
        let frame_count = options.frames.max(1);
        let own = if options.own_workspace && plan.workspace().size > 0 { frame_count } else { 0 };
        let workspace = |frame| {
            let name = format!("{}.workspace.{frame}", plan.name());
            Buffer::new(device, &name, plan.workspace().size, Location::Device)
        };
        let workspaces = (0..own).map(workspace).collect::<Result<_>>()?;
        let constants = match plan.constants_size() {
            0 => None,
            size => {
                let name = format!("{}.constants", plan.name());
                Some(Buffer::constant(device, &name, size, plan.constants())?)
            }
        };
        let mut exit = plan.exit().map(memory_barriers).unwrap_or_default();
        let lane_order = plan.sets_status_word(LANE_ORDER_STATUS);
        if lane_order {
            exit.push(status_for_host());
        }
        let word = StatusWord::of(device)?;
        let status = Status { word, lane_order, plan: Arc::from(plan.name()) };
        let (frames, next_frame, turn) = (Vec::new(), AtomicUsize::new(0), Mutex::default());
        let device = device.clone();
        let mut executable = Executable {
            device,
            plan,
            steps,
            access,
            exit,
            workspaces,
            constants,
            frames,
            frame_count,
            next_frame,
            turn,
            status,
        };
        for _ in 0..frame_count {
            let sets = executable.new_sets()?;
            executable.frames.extend(sets);
        }
        errors.check()?;
        Ok(executable)
    }

    /// How the kernels of `plan` get at buffers.
    fn access(&self, plan: &Plan, by_address: bool) -> Result<BufferAccess> {
        match (by_address, self.device.push_descriptor.is_some()) {
            (false, true) => Ok(BufferAccess::Pushed),
            (false, false) => Ok(BufferAccess::Sets),
            (true, _) if self.device.features.buffer_device_address => Ok(BufferAccess::Addresses),
            (true, _) => Err(Error::Kernel {
                kernel: plan.name().to_owned(),
                problem: "needs bufferDeviceAddress, which the device lacks or has not enabled"
                    .to_owned(),
            }),
        }
    }
}

fn steps(device: &Device, plan: &Plan, form: Form) -> Result<Vec<Step>> {
    let pipelines = PipelineStore::of(device)?;
    let mut steps = Vec::with_capacity(plan.steps().len());
    for step in plan.steps() {
        let pipeline = match &step.pass.kernel {
            Some(pass_kernel) => {
                let kernel = pass_kernel.kernel().ok_or_else(|| Error::Kernel {
                    kernel: pass_kernel.label().to_owned(),
                    problem: "is described only, there is no SPIR-V to run".to_owned(),
                })?;
                let values = &step.pass.specialization;
                Some(pipelines.get(device, kernel, values, form)?)
            }
            None => None,
        };
        steps.push(Step {
            barrier: step.barrier.as_ref().map(memory_barriers).unwrap_or_default(),
            label: CString::new(step.pass.label.as_str()).unwrap_or_default(),
            pipeline,
        });
    }
    Ok(steps)
}

impl Executable {
    pub(crate) fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Vulkan leaves undefined what a device does with another one's pipelines.
    pub(crate) fn check_device(&self, device: &Arc<Device>) -> Result<()> {
        if Arc::ptr_eq(&self.device, device) {
            return Ok(());
        }
        Err(Error::OtherContext { name: self.plan.name().to_owned() })
    }

    /// The plan it executes.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What a caller has to supply for the plan's transient buffers, where the executable has no
    /// workspace of its own.
    pub fn workspace_requirements(&self) -> Result<WorkspaceRequirements> {
        workspace::requirements(&self.device, &self.plan, self.is_by_address())
    }

    /// The usages that a buffer for this import of the plan is created with.
    pub fn import_usage(&self, import: graph::Buffer) -> vk::BufferUsageFlags {
        let is_meant = |index| self.plan.index_of(import) == Some(index);
        workspace::usage(&self.plan, self.is_by_address(), is_meant)
    }

    /// Whether it takes buffers by address.
    pub fn is_by_address(&self) -> bool {
        self.access == BufferAccess::Addresses
    }

    /// What offsets of imports and of the workspace are multiples of.
    pub fn offset_alignment(&self) -> u64 {
        self.device.properties.graph_limits().heap_alignment()
    }

    /// How many [`TimestampQueries`](crate::TimestampQueries) a recording writes.
    pub fn timestamp_count(&self, each_pass: bool) -> u32 {
        if each_pass { self.steps.len() as u32 + 1 } else { 2 }
    }

    /// New descriptor sets for the plan; none where descriptors are pushed.
    pub(crate) fn new_sets(&self) -> Result<Option<Sets>> {
        if self.access != BufferAccess::Sets {
            return Ok(None);
        }
        let pipelines = self.steps.iter().map(|s| s.pipeline.as_deref());
        Sets::new(&self.device, &self.plan, pipelines).map(Some)
    }

    pub(crate) fn places(
        &self,
        imports: &[Import],
        workspace: Option<BufferAt>,
        frame: usize,
    ) -> Result<Places<'_>> {
        let own = self.workspaces.get(frame).map(|w| BufferAt::new(w.raw(), 0));
        let given = InsidePlan {
            workspace: workspace.or(own),
            constants: self.constants.as_ref().map_or(vk::Buffer::null(), Buffer::raw),
            status: self.status.word.buffer(),
        };
        Places::resolve(&self.device, &self.plan, imports, given, self.access)
    }

    /// Whether it ranks by lane order, which Vulkan does not promise, and a device was seen to keep.
    /// Where the policy asks for it, some tiles of each dispatch then check themselves
    /// ([`Context::keeps_lane_order`]).
    pub fn relies_on_lane_order(&self) -> bool {
        self.status.lane_order
    }

    /// An error where it relies on lane order, and a kernel has found that the device does not keep
    /// it. To be asked when what was submitted is done.
    pub(crate) fn check_lane_order(&self) -> Result<()> {
        if self.status.lane_order && self.status.word.is_set(&self.device) {
            return Err(Error::LaneOrder { plan: self.plan.name().to_owned() });
        }
        Ok(())
    }

    /// Submits work with these buffers, for which nobody waits. If it relies on lane order, or reads what
    /// such work has written, only the status word says whether the buffers are in order: they are marked.
    /// Before and after, since another thread may download them at any time, and takes the mark.
    pub(crate) fn submit_unverified<'b>(
        &self,
        buffers: &(impl Iterator<Item = &'b Buffer> + Clone),
        submit: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let earlier = || buffers.clone().find_map(Buffer::unverified);
        let own = || self.status.plan.clone();
        let plan = if self.status.lane_order { Some(own()) } else { earlier() };
        let mark = || {
            if let Some(plan) = &plan {
                buffers.clone().for_each(|buffer| buffer.set_unverified(plan));
            }
        };
        mark();
        submit()?;
        mark();
        Ok(())
    }

    /// Everything with these buffers has been waited for: an error if it relies on lane order, or reads what
    /// such work has written, and the device does not keep it.
    pub(crate) fn verify<'b>(&self, buffers: impl Iterator<Item = &'b Buffer>) -> Result<()> {
        let unverified = buffers.filter_map(Buffer::take_unverified).reduce(|first, _| first);
        self.check_lane_order()?;
        check_order(&self.device, unverified)
    }

    /// Runs with the executable's own workspace take turns, whichever threads they come from.
    pub(crate) fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes what kernels have written to the status word visible to the host.
fn status_for_host() -> vk::MemoryBarrier2<'static> {
    vk::MemoryBarrier2::default()
        .src_stage_mask(vk::PipelineStageFlags2::COMPUTE_SHADER)
        .src_access_mask(vk::AccessFlags2::SHADER_STORAGE_WRITE)
        .dst_stage_mask(vk::PipelineStageFlags2::HOST)
        .dst_access_mask(vk::AccessFlags2::HOST_READ)
}

fn memory_barriers(barrier: &graph::Barrier) -> Vec<vk::MemoryBarrier2<'static>> {
    barrier
        .memory
        .iter()
        .map(|m| {
            // The graph's masks have Vulkan's own values.
            vk::MemoryBarrier2::default()
                .src_stage_mask(vk::PipelineStageFlags2::from_raw(m.src_stages.bits()))
                .src_access_mask(vk::AccessFlags2::from_raw(m.src_access.bits()))
                .dst_stage_mask(vk::PipelineStageFlags2::from_raw(m.dst_stages.bits()))
                .dst_access_mask(vk::AccessFlags2::from_raw(m.dst_access.bits()))
        })
        .collect()
}
