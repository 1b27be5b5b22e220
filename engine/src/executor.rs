//! How a plan becomes commands: pipelines, descriptors and workspace when it is instantiated, and
//! after that nothing but recording.

use std::ffi::CString;
use std::sync::Arc;

use ash::vk;
use multisplit_graph::{self as graph, Plan, Work};

use crate::context::Context;
use crate::descriptors::{Descriptors, Places};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::{Buffer, Location};
use crate::pipeline::Pipeline;
use crate::profiler::Profiler;

/// A plan that is ready to be recorded, any number of times.
///
/// Recording takes `&self` and touches no shared state but a counter, so several threads may
/// record one executable into different command buffers. Two recordings that run at the same
/// time must not share a workspace: use one executable (or one caller-supplied workspace) for
/// each frame in flight.
pub struct Executable {
    device: Arc<Device>,
    plan: Plan,
    steps: Vec<Step>,
    exit: Vec<vk::MemoryBarrier2<'static>>,
    workspace: Option<Buffer>,
    descriptors: Descriptors,
}

struct Step {
    barrier: Vec<vk::MemoryBarrier2<'static>>,
    label: CString,
    pipeline: Option<Arc<Pipeline>>,
}

/// How [`Context::instantiate_with`] sets a plan up.
#[derive(Clone, Copy, Debug)]
pub struct ExecutableOptions {
    /// Whether the executable brings its own workspace; otherwise each recording is given one.
    pub own_workspace: bool,
    /// How many recordings may be alive at a time (frames in flight). It matters only on devices
    /// without push descriptors, where each recording needs descriptor sets of its own: the sets
    /// of recording `k` are used again by recording `k + slots`.
    pub slots: usize,
}

impl Default for ExecutableOptions {
    fn default() -> Self {
        Self { own_workspace: true, slots: 2 }
    }
}

/// A Vulkan buffer for an import of a graph.
#[derive(Clone, Copy, Debug)]
pub struct Import {
    /// The import's handle in the graph.
    pub import: graph::Buffer,
    /// The caller's buffer, with storage usage (and indirect usage, where it holds arguments).
    pub buffer: vk::Buffer,
    /// Where in it the import begins.
    pub offset: u64,
}

impl Import {
    /// Binds `import` to a buffer of the caller's, from byte `offset` on.
    pub fn raw(import: graph::Buffer, buffer: vk::Buffer, offset: u64) -> Self {
        Self { import, buffer, offset }
    }
}

/// A buffer of this engine for an import of a graph: `(import, &buffer)`, or
/// `(import, &buffer, offset)` to begin at a byte offset.
#[derive(Clone, Copy)]
pub struct Bound<'b> {
    import: graph::Buffer,
    buffer: &'b Buffer,
    offset: u64,
}

impl<'b> From<(graph::Buffer, &'b Buffer)> for Bound<'b> {
    fn from((import, buffer): (graph::Buffer, &'b Buffer)) -> Self {
        Self { import, buffer, offset: 0 }
    }
}

impl<'b> From<(graph::Buffer, &'b Buffer, u64)> for Bound<'b> {
    fn from((import, buffer, offset): (graph::Buffer, &'b Buffer, u64)) -> Self {
        Self { import, buffer, offset }
    }
}

impl Bound<'_> {
    /// The buffer, to be kept alive by whoever keeps the recording.
    pub(crate) fn buffer(&self) -> Buffer {
        self.buffer.clone()
    }

    fn import(self) -> Result<Import> {
        let needed = self.import.size().saturating_add(self.offset);
        self.buffer.check_size(needed)?;
        Ok(Import::raw(self.import, self.buffer.raw(), self.offset))
    }
}

/// Checks sizes: the imports of safe calls.
pub(crate) fn imports<'b>(buffers: &[impl Into<Bound<'b>> + Copy]) -> Result<Vec<Import>> {
    buffers.iter().map(|&bound| bound.into().import()).collect()
}

/// Memory for a plan's transient buffers, supplied by the caller: at least
/// [`Plan::workspace`] bytes from `offset`, which has its alignment.
#[derive(Clone, Copy, Debug)]
pub struct WorkspaceBinding {
    /// The caller's buffer, with storage, indirect and transfer usage.
    pub buffer: vk::Buffer,
    /// Where in it the workspace begins.
    pub offset: u64,
}

impl Context {
    /// Makes everything that recording `plan` needs.
    pub fn instantiate(&self, plan: Plan) -> Result<Executable> {
        self.instantiate_with(plan, ExecutableOptions::default())
    }

    /// Like [`instantiate`](Self::instantiate), with options.
    pub fn instantiate_with(&self, plan: Plan, options: ExecutableOptions) -> Result<Executable> {
        let _span = tracing::debug_span!("instantiate", plan = %plan.name).entered();
        let device = &self.device;
        let push = device.push_descriptor.is_some();
        let mut steps = Vec::with_capacity(plan.steps.len());
        for step in &plan.steps {
            let pipeline = match &step.pass.kernel {
                Some(pass_kernel) => {
                    let kernel = pass_kernel.kernel().ok_or_else(|| Error::Kernel {
                        kernel: pass_kernel.label().to_owned(),
                        problem: "is described only, there is no SPIR-V to run".to_owned(),
                    })?;
                    let values = &step.pass.specialization;
                    Some(device.pipelines.get(device, kernel, values, push)?)
                }
                None => None,
            };
            steps.push(Step {
                barrier: step.barrier.as_ref().map(memory_barriers).unwrap_or_default(),
                label: CString::new(step.pass.label.as_str()).unwrap_or_default(),
                pipeline,
            });
        }
        let workspace = (options.own_workspace && plan.workspace.size > 0)
            .then(|| {
                let name = format!("{}.workspace", plan.name);
                Buffer::new(device, &name, plan.workspace.size, Location::Device)
            })
            .transpose()?;
        let descriptors = if push {
            Descriptors::Push
        } else {
            let pipelines = steps.iter().map(|s| s.pipeline.as_deref());
            Descriptors::sets(device, &plan, pipelines, options.slots.max(1))?
        };
        let exit = plan.exit.as_ref().map(memory_barriers).unwrap_or_default();
        Ok(Executable { device: device.clone(), plan, steps, exit, workspace, descriptors })
    }
}

impl Executable {
    pub(crate) fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// The plan it executes.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Records the plan into `commands`, with the executable's own workspace. Nothing is
    /// submitted, allocated or created.
    ///
    /// # Safety
    /// `commands` is a recording primary or secondary command buffer of the context's device and
    /// of a family with compute, outside a render pass. Each import's buffer holds at least the
    /// import's size from its offset on, has the usages named at [`Import`], and lives until the
    /// commands have run. The caller synchronises imports as the plan's contract says
    /// ([`Plan::imports`]).
    pub unsafe fn record(&self, commands: vk::CommandBuffer, imports: &[Import]) -> Result<()> {
        // SAFETY: by the caller's contract.
        unsafe { self.record_with(commands, imports, None, None) }
    }

    /// Like [`record`](Self::record), with the caller's workspace and with timestamps around
    /// each pass, where given.
    ///
    /// # Safety
    /// As for [`record`](Self::record); the workspace is as [`WorkspaceBinding`] says, and no
    /// other commands use it while these run.
    pub unsafe fn record_with(
        &self,
        commands: vk::CommandBuffer,
        imports: &[Import],
        workspace: Option<WorkspaceBinding>,
        profiler: Option<&Profiler>,
    ) -> Result<()> {
        let own = self.workspace.as_ref().map(|w| WorkspaceBinding { buffer: w.raw(), offset: 0 });
        let places = Places::resolve(&self.device, &self.plan, imports, workspace.or(own))?;
        let slot = self.descriptors.begin(&self.device, &self.plan, &places);
        let raw = &self.device.raw;
        if let Some(profiler) = profiler {
            // SAFETY: recording, by the caller's contract.
            unsafe { profiler.begin(commands) };
        }
        for (index, (step, planned)) in self.steps.iter().zip(&self.plan.steps).enumerate() {
            // SAFETY: recording, by the caller's contract; every handle was made for this device,
            // and the planner has checked offsets and sizes.
            unsafe {
                if !step.barrier.is_empty() {
                    self.device.pipeline_barrier(commands, &step.barrier);
                }
                self.begin_label(commands, &step.label);
                if let Some(pipeline) = &step.pipeline {
                    let pass = &planned.pass;
                    raw.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, pipeline.raw);
                    let bindings = &pass.bindings;
                    slot.bind(&self.device, commands, index, pipeline, bindings, &places);
                    if !pass.push.is_empty() {
                        let stage = vk::ShaderStageFlags::COMPUTE;
                        raw.cmd_push_constants(commands, pipeline.layout, stage, 0, &pass.push);
                    }
                }
                self.record_work(commands, &planned.pass.work, &places);
                self.end_label(commands);
                if let Some(profiler) = profiler {
                    profiler.after_pass(commands, index);
                }
            }
        }
        if !self.exit.is_empty() {
            // SAFETY: recording, by the caller's contract.
            unsafe { self.device.pipeline_barrier(commands, &self.exit) };
        }
        Ok(())
    }

    unsafe fn record_work(&self, commands: vk::CommandBuffer, work: &Work, places: &Places) {
        let raw = &self.device.raw;
        // SAFETY: as in `record_with`.
        unsafe {
            match work {
                Work::Dispatch([x, y, z]) => raw.cmd_dispatch(commands, *x, *y, *z),
                Work::DispatchIndirect { buffer, offset } => {
                    let (buffer, offset) = places.at(*buffer, *offset);
                    raw.cmd_dispatch_indirect(commands, buffer, offset);
                }
                Work::Fill { view, value } => {
                    let (buffer, offset) = places.at(view.buffer, view.offset);
                    raw.cmd_fill_buffer(commands, buffer, offset, view.size, *value);
                }
                Work::Update { view, bytes } => {
                    let (buffer, offset) = places.at(view.buffer, view.offset);
                    raw.cmd_update_buffer(commands, buffer, offset, bytes);
                }
                Work::Copy { src, dst } => {
                    let (from, src_offset) = places.at(src.buffer, src.offset);
                    let (to, dst_offset) = places.at(dst.buffer, dst.offset);
                    let region = vk::BufferCopy { src_offset, dst_offset, size: src.size };
                    raw.cmd_copy_buffer(commands, from, to, &[region]);
                }
            }
        }
    }

    unsafe fn begin_label(&self, commands: vk::CommandBuffer, label: &CString) {
        if let Some(functions) = &self.device.debug_utils {
            let info = vk::DebugUtilsLabelEXT::default().label_name(label);
            // SAFETY: recording, by the caller's contract.
            unsafe { functions.cmd_begin_debug_utils_label(commands, &info) };
        }
    }

    unsafe fn end_label(&self, commands: vk::CommandBuffer) {
        if let Some(functions) = &self.device.debug_utils {
            // SAFETY: recording, with a label begun.
            unsafe { functions.cmd_end_debug_utils_label(commands) };
        }
    }
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
