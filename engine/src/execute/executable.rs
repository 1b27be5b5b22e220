//! Executables: plans with the Vulkan objects that are needed to record them (pipelines, descriptors, workspace and
//! constants).

use std::ffi::CString;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard};

use ash::vk;
use multisplit_graph::{self as graph, Plan, PlannedPass, Scope};

use crate::device::{Device, memory_barrier};
use crate::error::{Error, Result};
use crate::execute::import::PlanMemory;
use crate::execute::state::State;
use crate::execute::workspace;
use crate::execute::{
    Adaptation, BufferAccess, BufferAt, Import, Locations, Pipeline, PipelineStore, Sets,
    WorkspaceRequirements,
};
use crate::lock::lock;
use crate::memory::status::{StatusWord, check_order};
use crate::memory::{Buffer, Location};

/// A plan that is ready to be recorded any number of times.
///
/// Recording takes `&self`. Several threads can record one executable into different command buffers at the same time,
/// if each uses a different frame in flight. Each frame has its own workspace and descriptors.
pub struct Executable {
    pub(crate) device: Arc<Device>,
    pub(crate) plan: Plan,
    pub(crate) steps: Vec<Step>,
    access: BufferAccess,
    pub(crate) exit: Vec<vk::MemoryBarrier2<'static>>,
    /// Workspaces of the frames in flight, one each. Empty if the caller supplies workspaces or the plan does not
    /// need any.
    workspaces: Vec<Buffer>,
    /// `None` if the plan does not contain constants.
    constants: Option<Buffer>,
    pub(super) state: State,
    /// Descriptor sets for recordings by the caller: one `Sets` per frame in flight. Empty if kernels access buffers by
    /// push descriptors or by address.
    pub(crate) frames: Vec<Sets>,
    pub(crate) frame_count: usize,
    pub(crate) next_frame: AtomicUsize,
    /// Locked while calls of the engine use the executable's workspace.
    workspace_lock: Mutex<()>,
    status: Arc<StatusWord>,
    /// Whether passes of the plan rank by lane order, and may therefore set the status word.
    lane_order: bool,
    /// Name of the plan, for marking buffers as unverified. Shared, so that a submission does not allocate memory.
    name: Arc<str>,
}

/// Name of the buffer for the status word. Passes with lane-order ranking set the word if the device violates lane
/// order.
pub(crate) const LANE_ORDER_STATUS: &str = "multisplit.lane_order";

pub(crate) struct Step {
    pub barrier: Vec<vk::MemoryBarrier2<'static>>,
    pub label: CString,
    pub pipeline: Option<Arc<Pipeline>>,
}

/// Options of [`Context::instantiate_with`](crate::Context::instantiate_with).
#[derive(Clone, Copy, Debug)]
pub struct ExecutableOptions {
    /// Whether the executable allocates a workspace for each frame in flight. Otherwise, each recording must be given
    /// a workspace.
    pub own_workspace: bool,
    /// Number of frames in flight: the maximum number of recordings by [`Executable::record`] that have not completed
    /// yet, whether they were submitted or not. Each frame has its own workspace and, on devices without push
    /// descriptors, its own descriptor sets. Recording `k + frames` reuses those of recording `k`.
    pub frames: usize,
    /// Whether kernels access buffers by address instead of descriptors. Requires
    /// [`Features::buffer_device_address`](crate::requirements::Features::buffer_device_address). Validation layers do
    /// not track such accesses.
    pub by_address: bool,
}

impl Default for ExecutableOptions {
    fn default() -> Self {
        Self { own_workspace: true, frames: 1, by_address: false }
    }
}

impl ExecutableOptions {
    /// Sets the number of frames in flight.
    #[must_use]
    pub fn frames(self, frames: usize) -> Self {
        Self { frames, ..self }
    }

    /// Does not allocate workspaces. Each recording must be given a workspace.
    #[must_use]
    pub fn without_workspace(self) -> Self {
        Self { own_workspace: false, ..self }
    }

    /// Makes kernels access buffers by address.
    #[must_use]
    pub fn by_address(self) -> Self {
        Self { by_address: true, ..self }
    }
}

impl Executable {
    /// Creates all objects except the contents of the state. The plan and the options must have been checked.
    pub(super) fn new(
        device: &Arc<Device>,
        plan: Plan,
        options: ExecutableOptions,
        adaptation: Adaptation,
    ) -> Result<Self> {
        let steps = steps(device, &plan, adaptation)?;
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
        let state = State::new(device, &plan, frame_count)?;
        let mut exit = plan.exit().map(memory_barriers).unwrap_or_default();
        let lane_order = plan.sets_status_word(LANE_ORDER_STATUS);
        if lane_order {
            // Makes the status word that kernels write visible to the host.
            exit.push(memory_barrier(Scope::COMPUTE_WRITE, Scope::HOST_READ));
        }
        let mut executable = Self {
            device: device.clone(),
            name: Arc::from(plan.name()),
            plan,
            steps,
            access: adaptation.access,
            exit,
            workspaces,
            constants,
            state,
            frames: Vec::new(),
            frame_count,
            next_frame: AtomicUsize::new(0),
            workspace_lock: Mutex::default(),
            status: StatusWord::of(device)?,
            lane_order,
        };
        for _ in 0..frame_count {
            let sets = executable.new_sets()?;
            executable.frames.extend(sets);
        }
        Ok(executable)
    }

    pub(crate) fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Checks that the executable belongs to `device`. Using a pipeline of another device is undefined behaviour in
    /// Vulkan.
    pub(crate) fn check_device(&self, device: &Arc<Device>) -> Result<()> {
        if Arc::ptr_eq(&self.device, device) {
            return Ok(());
        }
        Err(Error::OtherContext { name: self.plan.name().to_owned() })
    }

    /// The plan that the executable records.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Requirements for a workspace that the caller supplies.
    pub fn workspace_requirements(&self) -> Result<WorkspaceRequirements> {
        workspace::requirements(&self.device, &self.plan, self.is_by_address())
    }

    /// Usage flags that the buffer for this import must have.
    pub fn import_usage(&self, import: graph::Buffer) -> vk::BufferUsageFlags {
        let is_selected = |index| self.plan.index_of(import) == Some(index);
        workspace::usage(&self.plan, self.is_by_address(), is_selected)
    }

    /// Whether kernels access buffers by address.
    pub fn is_by_address(&self) -> bool {
        self.access == BufferAccess::Addresses
    }

    /// Required alignment of the offsets of imports and of the workspace.
    pub fn offset_alignment(&self) -> u64 {
        self.device.properties.graph_limits().heap_alignment()
    }

    /// Number of timestamps that a recording writes with [`TimestampQueries`](crate::TimestampQueries).
    pub fn timestamp_count(&self, each_pass: bool) -> u32 {
        if each_pass { self.steps.len() as u32 + 1 } else { 2 }
    }

    /// Allocates descriptor sets for the plan; `None` if kernels access buffers by push descriptors or by address.
    pub(crate) fn new_sets(&self) -> Result<Option<Sets>> {
        if self.access != BufferAccess::Sets {
            return Ok(None);
        }
        let pipelines = self.steps.iter().map(|s| s.pipeline.as_deref());
        Sets::new(&self.device, &self.plan, pipelines).map(Some)
    }

    pub(crate) fn locations(
        &self,
        imports: &[Import],
        workspace: Option<BufferAt>,
        frame: usize,
    ) -> Result<Locations<'_>> {
        let own = self.workspaces.get(frame).map(|w| BufferAt::new(w.raw(), 0));
        let given = PlanMemory {
            workspace: workspace.or(own),
            constants: self.constants.as_ref().map_or(vk::Buffer::null(), Buffer::raw),
            state: self.state.of(frame),
            status: self.status.buffer(),
        };
        Locations::resolve(&self.device, &self.plan, imports, given, self.access)
    }

    /// Whether the executable ranks by lane order. Vulkan does not guarantee lane order, but the device has passed
    /// the lane-order probe. By default, some tiles of each dispatch check their order
    /// ([`Context::keeps_lane_order`](crate::Context::keeps_lane_order)).
    pub fn relies_on_lane_order(&self) -> bool {
        self.lane_order
    }

    /// Returns an error if the executable relies on lane order and a kernel has found that the device does not keep
    /// it. Must be called after the submitted work has completed.
    pub(crate) fn check_lane_order(&self) -> Result<()> {
        if self.lane_order && self.status.is_set(&self.device) {
            return Err(Error::LaneOrder { plan: self.plan.name().to_owned() });
        }
        Ok(())
    }

    /// Submits work on these buffers without waiting for it. If the work relies on lane order, or reads results of
    /// such work, the buffers are marked as unverified: their contents are valid only if the status word is clear
    /// afterwards. They are marked before and after the submission, because another thread may download them and
    /// remove the mark in between.
    pub(crate) fn submit_unverified<'b>(
        &self,
        buffers: &(impl Iterator<Item = &'b Buffer> + Clone),
        submit: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let earlier = || buffers.clone().find_map(Buffer::unverified);
        let plan = if self.lane_order { Some(self.name.clone()) } else { earlier() };
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

    /// Checks lane order after all work on these buffers has completed. Returns an error if the work relied on lane
    /// order, or read results of such work, and the device does not keep it.
    pub(crate) fn verify<'b>(&self, buffers: impl Iterator<Item = &'b Buffer>) -> Result<()> {
        let unverified = buffers.filter_map(Buffer::take_unverified).reduce(|first, _| first);
        self.check_lane_order()?;
        check_order(&self.device, unverified)
    }

    /// Locks the executable's workspace, so that only one thread at a time runs work that uses it.
    pub(crate) fn lock_workspace(&self) -> MutexGuard<'_, ()> {
        lock(&self.workspace_lock)
    }
}

fn steps(device: &Device, plan: &Plan, adaptation: Adaptation) -> Result<Vec<Step>> {
    let pipelines = PipelineStore::of(device)?;
    let pipeline = |pass: &PlannedPass| -> Result<Option<Arc<Pipeline>>> {
        let Some(pass_kernel) = &pass.kernel else { return Ok(None) };
        let kernel = pass_kernel.kernel().ok_or_else(|| Error::Kernel {
            kernel: pass_kernel.label().to_owned(),
            problem: "has a description but no SPIR-V; create it with Kernel::new".to_owned(),
        })?;
        pipelines.get(device, kernel, &pass.specialization, adaptation).map(Some)
    };
    let step = |step: &graph::Step| -> Result<Step> {
        Ok(Step {
            barrier: step.barrier.as_ref().map(memory_barriers).unwrap_or_default(),
            label: CString::new(step.pass.label.as_str()).unwrap_or_default(),
            pipeline: pipeline(&step.pass)?,
        })
    };
    plan.steps().iter().map(step).collect()
}

fn memory_barriers(barrier: &graph::Barrier) -> Vec<vk::MemoryBarrier2<'static>> {
    let one = |m: &graph::MemoryBarrier| {
        let before = Scope::new(m.src_stages, m.src_access);
        memory_barrier(before, Scope::new(m.dst_stages, m.dst_access))
    };
    barrier.memory.iter().map(one).collect()
}
