//! How a plan becomes commands: pipelines, descriptors and workspace when it is instantiated, and
//! after that nothing but recording.

use std::ffi::CString;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ash::vk;
use multisplit_graph::{self as graph, Plan, Work};
use multisplit_shaders::address::ADDRESS_ALIGNMENT;

use crate::context::Context;
use crate::descriptors::{Sets, bind, push_addresses};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::fit;
use crate::import::{Import, Places, WorkspaceBinding};
use crate::layout::BufferAccess;
use crate::memory::{Buffer, Location};
use crate::pipeline::Pipeline;
use crate::profiler::Timing;
use crate::workspace::{self, WorkspaceRequirements};

/// A plan that is ready to be recorded, any number of times.
///
/// Recording takes `&self` and touches no shared state but a counter, so several threads may
/// record one executable into different command buffers. Two recordings that run at the same
/// time must not share a workspace: use one executable (or one caller-supplied workspace) for
/// each frame in flight. [`embed::Operation`](crate::embed::Operation) does so by itself.
pub struct Executable {
    device: Arc<Device>,
    plan: Plan,
    steps: Vec<Step>,
    access: BufferAccess,
    exit: Vec<vk::MemoryBarrier2<'static>>,
    workspace: Option<Buffer>,
    /// For recordings by the caller, in turn; none where descriptors are pushed.
    slots: Vec<Sets>,
    slot_count: usize,
    next_slot: AtomicUsize,
    /// Held while the engine's own calls run with the executable's own workspace.
    turn: Mutex<()>,
}

/// What one recording goes by.
struct Recorded<'r> {
    places: &'r Places<'r>,
    sets: Option<&'r Sets>,
    timing: Timing<'r>,
    word: Option<Word>,
}

/// The word that an update writes, where it is known only when the plan is recorded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word {
    /// Which step of the plan is the update.
    pub step: usize,
    /// What it writes.
    pub value: u32,
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
    /// How many recordings by [`Executable::record`] may be alive at a time (frames in flight).
    /// It matters only on devices without push descriptors, where each recording needs descriptor
    /// sets of its own: the sets of recording `k` are used again by recording `k + slots`. Calls
    /// that submit by themselves ([`Context::run`], [`Context::replay`]) take none of them.
    pub slots: usize,
    /// Whether kernels take the addresses of buffers instead of binding them: no descriptors at
    /// all. It needs [`Features::buffer_device_address`](crate::Features::buffer_device_address),
    /// and validation layers do not see such accesses.
    pub by_address: bool,
}

/// What one recording is given besides the command buffer and the imports.
#[derive(Clone, Copy, Default)]
pub struct RecordOptions<'r> {
    /// The caller's memory for transient buffers; `None` for the executable's own.
    pub workspace: Option<WorkspaceBinding>,
    /// Which of [`ExecutableOptions::slots`] the recording takes; `None` for the next in turn.
    /// Threads that record at the same time name slots, since nobody knows whose turn comes next.
    pub slot: Option<usize>,
    /// Timestamps around the passes.
    pub timing: Timing<'r>,
}

/// More frames in flight than this are a mistake.
const MAX_SLOTS: usize = 1024;

impl Default for ExecutableOptions {
    fn default() -> Self {
        Self { own_workspace: true, slots: 2, by_address: false }
    }
}

impl Context {
    /// Makes everything that recording `plan` needs.
    pub fn instantiate(&self, plan: Plan) -> Result<Executable> {
        self.instantiate_with(plan, ExecutableOptions::default())
    }

    /// Like [`instantiate`](Self::instantiate), with options.
    pub fn instantiate_with(&self, plan: Plan, options: ExecutableOptions) -> Result<Executable> {
        let _span = tracing::debug_span!("instantiate", plan = %plan.name).entered();
        if options.slots > MAX_SLOTS {
            let (asked, limit) = (options.slots as u64, MAX_SLOTS as u64);
            return Err(Error::TooLarge { what: "number of slots", asked, limit });
        }
        let device = &self.device;
        let access = self.access(&plan, options.by_address)?;
        fit::check(&plan, &limits(self, access))?;
        let steps = steps(device, &plan, access)?;
        let workspace = (options.own_workspace && plan.workspace.size > 0)
            .then(|| {
                let name = format!("{}.workspace", plan.name);
                Buffer::new(device, &name, plan.workspace.size, Location::Device)
            })
            .transpose()?;
        let exit = plan.exit.as_ref().map(memory_barriers).unwrap_or_default();
        let (slots, next_slot, turn) = (Vec::new(), AtomicUsize::new(0), Mutex::default());
        let device = device.clone();
        let slot_count = options.slots.max(1);
        let mut executable = Executable {
            device,
            plan,
            steps,
            access,
            exit,
            workspace,
            slots,
            slot_count,
            next_slot,
            turn,
        };
        for _ in 0..slot_count {
            let sets = executable.new_sets()?;
            executable.slots.extend(sets);
        }
        Ok(executable)
    }

    /// How the kernels of `plan` get at buffers.
    fn access(&self, plan: &Plan, by_address: bool) -> Result<BufferAccess> {
        match (by_address, self.device.push_descriptor.is_some()) {
            (false, true) => Ok(BufferAccess::Pushed),
            (false, false) => Ok(BufferAccess::Sets),
            (true, _) if self.device.features.buffer_device_address => Ok(BufferAccess::Addresses),
            (true, _) => Err(Error::Kernel {
                kernel: plan.name.clone(),
                problem: "needs bufferDeviceAddress, which the device lacks or has not enabled"
                    .to_owned(),
            }),
        }
    }
}

/// What is read 16 bytes at a time is aligned so by its address, where no descriptor sees to it.
fn limits(context: &Context, access: BufferAccess) -> graph::Limits {
    let limits = context.limits();
    match access {
        BufferAccess::Addresses => {
            let storage_alignment = limits.storage_alignment.max(ADDRESS_ALIGNMENT.into());
            graph::Limits { storage_alignment, ..limits }
        }
        BufferAccess::Pushed | BufferAccess::Sets => limits,
    }
}

fn steps(device: &Device, plan: &Plan, access: BufferAccess) -> Result<Vec<Step>> {
    let mut steps = Vec::with_capacity(plan.steps.len());
    for step in &plan.steps {
        let pipeline = match &step.pass.kernel {
            Some(pass_kernel) => {
                let kernel = pass_kernel.kernel().ok_or_else(|| Error::Kernel {
                    kernel: pass_kernel.label().to_owned(),
                    problem: "is described only, there is no SPIR-V to run".to_owned(),
                })?;
                let values = &step.pass.specialization;
                Some(device.pipelines.get(device, kernel, values, access)?)
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
        Err(Error::OtherContext { name: self.plan.name.clone() })
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
    fn new_sets(&self) -> Result<Option<Sets>> {
        if self.access != BufferAccess::Sets {
            return Ok(None);
        }
        let pipelines = self.steps.iter().map(|s| s.pipeline.as_deref());
        Sets::new(&self.device, &self.plan, pipelines).map(Some)
    }

    fn places(
        &self,
        imports: &[Import],
        workspace: Option<WorkspaceBinding>,
    ) -> Result<Places<'_>> {
        let own = self.workspace.as_ref().map(|w| WorkspaceBinding { buffer: w.raw(), offset: 0 });
        Places::resolve(&self.device, &self.plan, imports, workspace.or(own), self.access)
    }

    /// Runs with the executable's own workspace take turns, whichever threads they come from.
    pub(crate) fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes ready for recordings of the engine's own, which may be alive for as long as they
    /// like: they take no slot.
    pub(crate) fn prepare(
        &self,
        imports: &[Import],
        workspace: Option<WorkspaceBinding>,
    ) -> Result<Prepared<'_>> {
        let places = self.places(imports, workspace)?;
        let sets = self.new_sets()?;
        if let Some(sets) = &sets {
            // SAFETY: new sets, which nothing uses.
            unsafe { sets.write(&self.plan, &places) };
        }
        Ok(Prepared { executable: self, places, sets })
    }

    /// Records the plan into `commands`, with the executable's own workspace. Nothing is
    /// submitted, allocated or created.
    ///
    /// # Safety
    /// `commands` is a recording primary or secondary command buffer of the context's device and
    /// of a family with compute, outside a render pass. Each import's buffer holds at least the
    /// import's size from its offset on, has the usages named at [`Import`], and lives until the
    /// commands have run, as does the executable. No more recordings than
    /// [`ExecutableOptions::slots`] are recorded and yet to run. The caller synchronises imports
    /// as the plan's contract says ([`Plan::imports`]).
    pub unsafe fn record(&self, commands: vk::CommandBuffer, imports: &[Import]) -> Result<()> {
        // SAFETY: by the caller's contract.
        unsafe { self.record_with(commands, imports, &RecordOptions::default()) }
    }

    /// Like [`record`](Self::record), with options.
    ///
    /// # Safety
    /// As for [`record`](Self::record); the workspace is as [`WorkspaceBinding`] says, and no
    /// other commands use it while these run. No other recording of the slot is yet to run. A
    /// profiler was made for this executable, and lives until the commands have run; queries of
    /// the caller's exist and are reset.
    pub unsafe fn record_with(
        &self,
        commands: vk::CommandBuffer,
        imports: &[Import],
        options: &RecordOptions<'_>,
    ) -> Result<()> {
        // SAFETY: by the caller's contract.
        unsafe { self.record_counted(commands, imports, options, None) }
    }

    /// Like [`record_with`](Self::record_with), with another word in the update of one pass.
    ///
    /// # Safety
    /// That of [`record_with`](Self::record_with).
    pub(crate) unsafe fn record_counted(
        &self,
        commands: vk::CommandBuffer,
        imports: &[Import],
        options: &RecordOptions<'_>,
        word: Option<Word>,
    ) -> Result<()> {
        let sets = self.slot(options.slot)?;
        let places = self.places(imports, options.workspace)?;
        if let Some(sets) = sets {
            // SAFETY: no more recordings are alive than there are slots, so this one is free.
            unsafe { sets.write(&self.plan, &places) };
        }
        let recorded = Recorded { places: &places, sets, timing: options.timing, word };
        // SAFETY: by the caller's contract.
        unsafe { self.record_steps(commands, &recorded) };
        Ok(())
    }

    /// The descriptor sets of a slot, or of the next in turn; none where descriptors are pushed.
    fn slot(&self, wanted: Option<usize>) -> Result<Option<&Sets>> {
        if let Some(slot) = wanted
            && slot >= self.slot_count
        {
            let (asked, limit) = (slot as u64, self.slot_count as u64 - 1);
            return Err(Error::TooLarge { what: "slot", asked, limit });
        }
        let slot = wanted.unwrap_or_else(|| self.next_slot.fetch_add(1, Ordering::Relaxed));
        Ok(slot.checked_rem(self.slots.len()).and_then(|slot| self.slots.get(slot)))
    }

    /// # Safety
    /// As for [`record_with`](Self::record_with), and the sets were written for these places.
    unsafe fn record_steps(&self, commands: vk::CommandBuffer, recorded: &Recorded<'_>) {
        let raw = &self.device.raw;
        let Recorded { places, sets, timing, .. } = *recorded;
        // SAFETY: recording, by the caller's contract.
        unsafe { timing.begin(raw, commands) };
        for (index, (step, planned)) in self.steps.iter().zip(&self.plan.steps).enumerate() {
            // SAFETY: recording, by the caller's contract; every handle was made for this device,
            // and `fit` has checked offsets and sizes.
            unsafe {
                if !step.barrier.is_empty() {
                    self.device.pipeline_barrier(commands, &step.barrier);
                }
                self.begin_label(commands, &step.label);
                if let Some(pipeline) = &step.pipeline {
                    let pass = &planned.pass;
                    raw.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, pipeline.raw);
                    let at = (index, &**pipeline);
                    if self.is_by_address() {
                        push_addresses(&self.device, commands, pipeline, &pass.bindings, places);
                    } else {
                        bind(&self.device, commands, sets, at, &pass.bindings, places);
                    }
                    if !pass.push.is_empty() {
                        let stage = vk::ShaderStageFlags::COMPUTE;
                        raw.cmd_push_constants(commands, pipeline.layout, stage, 0, &pass.push);
                    }
                }
                match recorded.word.filter(|word| word.step == index) {
                    Some(word) => self.record_word(commands, &planned.pass.work, places, word),
                    None => self.record_work(commands, &planned.pass.work, places),
                }
                self.end_label(commands);
                timing.after_pass(raw, commands, index);
            }
        }
        if !self.exit.is_empty() {
            // SAFETY: recording, by the caller's contract.
            unsafe { self.device.pipeline_barrier(commands, &self.exit) };
        }
        // SAFETY: recording, by the caller's contract.
        unsafe { timing.end(raw, commands) };
    }

    /// # Safety
    /// That of [`record_with`](Self::record_with).
    unsafe fn record_word(
        &self,
        commands: vk::CommandBuffer,
        work: &Work,
        places: &Places<'_>,
        word: Word,
    ) {
        if let Work::Update { view, .. } = work {
            let (buffer, offset) = places.at(view.buffer, view.offset);
            let bytes = word.value.to_ne_bytes();
            // SAFETY: by the caller's contract.
            unsafe { self.device.raw.cmd_update_buffer(commands, buffer, offset, &bytes) };
        }
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

/// A plan bound to buffers. Any number of recordings may be made of it, into one command buffer
/// too: descriptors are written once, so no recording disturbs another.
pub(crate) struct Prepared<'e> {
    executable: &'e Executable,
    places: Places<'e>,
    sets: Option<Sets>,
}

impl Prepared<'_> {
    /// # Safety
    /// As for [`Executable::record_with`], but for the slots; this lives until the commands have
    /// run, or what [`into_sets`](Self::into_sets) gives does.
    pub unsafe fn record(&self, commands: vk::CommandBuffer, timing: Timing<'_>) {
        let (places, sets) = (&self.places, self.sets.as_ref());
        let recorded = Recorded { places, sets, timing, word: None };
        // SAFETY: by the caller's contract; the sets were written by `prepare`.
        unsafe { self.executable.record_steps(commands, &recorded) };
    }

    /// What recordings refer to besides the executable and the buffers.
    pub fn into_sets(self) -> Option<Sets> {
        self.sets
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
