//! Records executables into command buffers.

use std::sync::atomic::Ordering;

use ash::vk;
use multisplit_graph::{PlannedPass, Work};
use multisplit_shaders::address::address_offset;

use crate::error::{Error, Result};
use crate::execute::descriptors::with_writes;
use crate::execute::kernel_check::MAX_BINDINGS;
use crate::execute::own_pass::needs_own_push_constants;
use crate::execute::{BufferAt, Executable, Import, Locations, Pipeline, Sets, Timing};

/// Options of [`Executable::record_with`].
#[derive(Clone, Copy, Default)]
pub struct RecordOptions<'r> {
    /// The caller's memory for transient and persistent buffers, which must meet
    /// [`Executable::workspace_requirements`](crate::Executable::workspace_requirements). `None` uses the executable's
    /// own workspace.
    pub workspace: Option<BufferAt>,
    /// The frame in flight, less than [`ExecutableOptions::frames`](crate::ExecutableOptions::frames). `None` uses
    /// the next frame in turn. Threads that record concurrently should set it, because their order is not defined.
    pub frame: Option<usize>,
    /// Push constants and update data that replace those of the plan, in this recording only.
    pub values: &'r [PassValue<'r>],
    /// Timestamps around the passes.
    pub timing: Timing<'r>,
}

/// Bytes that replace bytes of a pass in one recording: its push constants, or the data of an update.
#[derive(Clone, Copy, Debug)]
pub struct PassValue<'r> {
    /// Label of a settable pass ([`Graph::settable`](crate::graph::Graph::settable)).
    pub pass: &'r str,
    /// The new bytes, of the same length as in the plan.
    pub bytes: &'r [u8],
}

struct Recording<'r> {
    executable: &'r Executable,
    commands: vk::CommandBuffer,
    locations: &'r Locations<'r>,
    sets: Option<&'r Sets>,
    values: &'r [PassValue<'r>],
}

impl Recording<'_> {
    /// Records the plan.
    ///
    /// # Safety
    /// The requirements of [`Executable::record_with`]. The descriptor sets contain the buffers of `locations`.
    unsafe fn record(&self, timing: Timing<'_>) {
        let Executable { device, plan, steps, exit, .. } = self.executable;
        let (raw, commands) = (&device.raw, self.commands);
        // SAFETY: the caller guarantees that the command buffer is recording. All handles belong to this device. The
        // planner has checked offsets and sizes against limits that do not exceed the device's (module `fit`).
        unsafe {
            timing.begin(raw, commands);
            for (index, (step, planned)) in steps.iter().zip(plan.steps()).enumerate() {
                if !step.barrier.is_empty() {
                    device.pipeline_barrier(commands, &step.barrier);
                }
                if let Some(functions) = &device.debug_utils {
                    let info = vk::DebugUtilsLabelEXT::default().label_name(&step.label);
                    functions.cmd_begin_debug_utils_label(commands, &info);
                }
                if let Some(pipeline) = &step.pipeline {
                    self.bind(index, pipeline, &planned.pass);
                }
                self.record_work(&planned.pass);
                if let Some(functions) = &device.debug_utils {
                    functions.cmd_end_debug_utils_label(commands);
                }
                timing.after_pass(raw, commands, index);
            }
            if !exit.is_empty() {
                device.pipeline_barrier(commands, exit);
            }
            timing.end(raw, commands);
        }
    }

    /// Binds the pipeline of a step, its push constants and its buffers. Buffers are bound by address, by the step's
    /// descriptor set, or, if there are no sets, by push descriptors.
    ///
    /// # Safety
    /// The requirements of [`record`](Self::record).
    unsafe fn bind(&self, step: usize, pipeline: &Pipeline, pass: &PlannedPass) {
        let (device, commands) = (&self.executable.device, self.commands);
        let (point, layout) = (vk::PipelineBindPoint::COMPUTE, pipeline.layout);
        let push = |offset: u32, bytes: &[u8]| {
            if !bytes.is_empty() {
                let stage = vk::ShaderStageFlags::COMPUTE;
                // SAFETY: the caller guarantees that the command buffer is recording.
                unsafe { device.raw.cmd_push_constants(commands, layout, stage, offset, bytes) };
            }
        };
        // SAFETY: as above.
        unsafe { device.raw.cmd_bind_pipeline(commands, point, pipeline.raw) };
        match (self.sets, &device.push_descriptor) {
            _ if self.executable.is_by_address() => {
                // Buffer addresses follow the pass's own push constants.
                let mut addresses = [0u64; MAX_BINDINGS];
                for (address, binding) in addresses.iter_mut().zip(&pass.bindings) {
                    *address = self.locations.address(binding.buffer, binding.offset);
                }
                let addresses = addresses.get(..pass.bindings.len()).unwrap_or_default();
                let offset = address_offset(pipeline.kernel.interface());
                push(offset, bytemuck::cast_slice(addresses));
            }
            // Vulkan does not allow pushing zero descriptors
            // (VUID-vkCmdPushDescriptorSetKHR-descriptorWriteCount-arraylength).
            _ if pass.bindings.is_empty() => {}
            (Some(Sets { sets, .. }), _) => {
                let set = &sets[step..=step];
                // SAFETY: the command buffer is recording; the set was allocated with this pipeline's layout.
                unsafe {
                    device.raw.cmd_bind_descriptor_sets(commands, point, layout, 0, set, &[]);
                };
            }
            (None, Some(functions)) => {
                let set = vk::DescriptorSet::null();
                with_writes(set, &pass.bindings, self.locations, |writes| {
                    // SAFETY: the command buffer is recording; the layout was created for push descriptors.
                    unsafe {
                        functions.cmd_push_descriptor_set(commands, point, layout, 0, writes);
                    };
                });
            }
            (None, None) => {}
        }
        push(0, self.bytes(pass, &pass.push));
    }

    /// Records the dispatch or transfer of a pass.
    ///
    /// # Safety
    /// The requirements of [`record`](Self::record).
    unsafe fn record_work(&self, pass: &PlannedPass) {
        let (raw, commands) = (&self.executable.device.raw, self.commands);
        let locations = self.locations;
        // SAFETY: the caller guarantees that the command buffer is recording and that the buffers of imports have the
        // required size and usage.
        unsafe {
            match &pass.work {
                Work::Dispatch([x, y, z]) => raw.cmd_dispatch(commands, *x, *y, *z),
                Work::DispatchIndirect { buffer, offset } => {
                    let (buffer, offset) = locations.at(*buffer, *offset);
                    raw.cmd_dispatch_indirect(commands, buffer, offset);
                }
                Work::Fill { view, value } => {
                    let (buffer, offset) = locations.at(view.buffer, view.offset);
                    raw.cmd_fill_buffer(commands, buffer, offset, view.size, *value);
                }
                Work::Update { view, bytes } => {
                    let (buffer, offset) = locations.at(view.buffer, view.offset);
                    let bytes = self.bytes(pass, bytes);
                    raw.cmd_update_buffer(commands, buffer, offset, bytes);
                }
                Work::Copy { src, dst } => {
                    let (from, src_offset) = locations.at(src.buffer, src.offset);
                    let (to, dst_offset) = locations.at(dst.buffer, dst.offset);
                    let region = vk::BufferCopy { src_offset, dst_offset, size: src.size };
                    raw.cmd_copy_buffer(commands, from, to, &[region]);
                }
            }
        }
    }

    /// The bytes of a pass: those given for this recording, or otherwise those of the plan.
    fn bytes<'b>(&'b self, pass: &PlannedPass, planned: &'b [u8]) -> &'b [u8] {
        let mut values = self.values.iter().filter(|_| pass.settable);
        values.find(|value| value.pass == pass.label).map_or(planned, |value| value.bytes)
    }
}

impl Executable {
    /// Prepares recordings that the engine itself submits. They do not use a frame in flight, so their number and
    /// lifetime are not limited.
    pub(crate) fn prepare(
        &self,
        imports: &[Import],
        workspace: Option<BufferAt>,
    ) -> Result<Prepared<'_>> {
        let locations = self.locations(imports, workspace, 0)?;
        let sets = self.new_sets()?;
        if let Some(sets) = &sets {
            // SAFETY: the sets are new and not in use.
            unsafe { sets.write(&self.plan, &locations) };
        }
        Ok(Prepared { executable: self, locations, sets })
    }

    /// Records the plan into `commands`, with the executable's own workspace. Does not submit work or create objects,
    /// and does not allocate memory unless the plan has more than 32 imports.
    ///
    /// # Safety
    /// `commands` is a primary or secondary command buffer of the context's device in the recording state, of a queue
    /// family that supports compute, and outside a render pass. The buffer of each import has at least the import's
    /// size from its offset on, has the usage flags of [`import_usage`](Self::import_usage), and outlives the execution
    /// of the commands, as does the executable. Fewer than
    /// [`ExecutableOptions::frames`](crate::ExecutableOptions::frames) earlier recordings are incomplete: not yet
    /// submitted, or still running. The caller synchronizes imports as specified by the plan's contract
    /// ([`Plan::imports`](crate::graph::Plan::imports)).
    pub unsafe fn record(&self, commands: vk::CommandBuffer, imports: &[Import]) -> Result<()> {
        // SAFETY: the caller guarantees that fewer than `frames` earlier recordings are incomplete, so those of the next
        // frame have completed, and nothing else uses its workspace. The other requirements are the same.
        unsafe { self.record_with(commands, imports, &RecordOptions::default()) }
    }

    /// Like [`record`](Self::record), with options.
    ///
    /// # Safety
    /// The requirements of [`record`](Self::record). No other commands use the workspace while the recorded commands
    /// run, and all earlier recordings of the frame have completed. If `options` contains a timer, it was created for
    /// this executable and outlives the execution of the commands. If `options` contains queries, they exist and are
    /// reset. The values of passes of operations differ from those of the plan only in limits, edges or parameters that
    /// the library computed for the same operation.
    pub unsafe fn record_with(
        &self,
        commands: vk::CommandBuffer,
        imports: &[Import],
        options: &RecordOptions<'_>,
    ) -> Result<()> {
        let frame = self.frame(options.frame)?;
        self.check_values(options.values)?;
        let locations = self.locations(imports, options.workspace, frame)?;
        let sets = self.frames.get(frame);
        if let Some(sets) = sets {
            // SAFETY: the caller guarantees that all earlier recordings of the frame have completed.
            unsafe { sets.write(&self.plan, &locations) };
        }
        let values = options.values;
        let recording =
            Recording { executable: self, commands, locations: &locations, sets, values };
        // SAFETY: the caller guarantees the requirements of this function; the sets contain the buffers of `locations`.
        unsafe {
            self.state.record_first_clear(&self.device, commands, frame);
            recording.record(options.timing);
        }
        Ok(())
    }

    /// Checks that each value belongs to a settable pass and has the length of the bytes that it replaces. A value
    /// for a culled pass has no effect.
    pub(crate) fn check_values(&self, values: &[PassValue<'_>]) -> Result<()> {
        values.iter().try_for_each(|value| {
            let given = value.bytes.len() as u64;
            match self.plan.settable_bytes(value.pass) {
                Some(needed) if needed == given => Ok(()),
                Some(needed) => {
                    Err(Error::ValueOfPass { pass: value.pass.to_owned(), given, needed })
                }
                None => Err(self.unknown_pass(value.pass)),
            }
        })
    }

    /// Like [`check_values`](Self::check_values), for callers that give no guarantees: also rejects push constants of
    /// operations.
    pub(crate) fn check_value_of_user(&self, value: PassValue<'_>) -> Result<()> {
        let takes_it = |pass: &PlannedPass| pass.settable && pass.label == value.pass;
        let mut passes = self.plan.steps().iter().map(|step| &step.pass);
        if passes.any(|pass| takes_it(pass) && needs_own_push_constants(pass)) {
            return Err(self.unknown_pass(value.pass));
        }
        self.check_values(&[value])
    }

    fn unknown_pass(&self, pass: &str) -> Error {
        Error::UnknownPass { plan: self.plan.name().to_owned(), pass: pass.to_owned() }
    }

    /// The requested frame in flight, or the next one in turn.
    fn frame(&self, chosen: Option<usize>) -> Result<usize> {
        match chosen {
            Some(frame) if frame >= self.frame_count => {
                Err(Error::NoSuchFrame { frame, frames: self.frame_count })
            }
            Some(frame) => Ok(frame),
            None => Ok(self.next_frame.fetch_add(1, Ordering::Relaxed) % self.frame_count),
        }
    }
}

/// A plan that is bound to buffers. It can be recorded any number of times, even into one command buffer, because its
/// descriptors are written only once.
pub(crate) struct Prepared<'e> {
    executable: &'e Executable,
    locations: Locations<'e>,
    sets: Option<Sets>,
}

impl Prepared<'_> {
    /// Records the plan, with values that have been checked.
    ///
    /// # Safety
    /// The requirements of [`Executable::record_with`], except those on frames. `self`, or the result of
    /// [`into_sets`](Self::into_sets), outlives the execution of the commands.
    pub unsafe fn record(
        &self,
        commands: vk::CommandBuffer,
        timing: Timing<'_>,
        values: &[PassValue<'_>],
    ) {
        let Self { executable, locations, sets } = self;
        let recording = Recording { executable, commands, locations, sets: sets.as_ref(), values };
        // SAFETY: the caller guarantees the requirements of this function; the sets were written by `prepare`.
        unsafe { recording.record(timing) };
    }

    /// The descriptor sets, which must outlive the recordings.
    pub fn into_sets(self) -> Option<Sets> {
        self.sets
    }
}
