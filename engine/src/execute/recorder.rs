//! How a plan that is ready becomes commands in a command buffer.

use std::ffi::CStr;
use std::sync::atomic::Ordering;

use ash::vk;
use multisplit_graph::{PlannedPass, Work};

use crate::error::{Error, Result};
use crate::execute::descriptors::{Sets, bind, push_addresses};
use crate::execute::executable::Executable;
use crate::execute::import::{BufferAt, Import, Places};
use crate::execute::profiler::Timing;

/// What one recording is given besides the command buffer and the imports.
#[derive(Clone, Copy, Default)]
pub struct RecordOptions<'r> {
    /// The caller's memory for transient buffers, as
    /// [`Executable::workspace_requirements`](crate::Executable::workspace_requirements) says;
    /// `None` for the executable's own.
    pub workspace: Option<BufferAt>,
    /// Which of [`ExecutableOptions::frames`](crate::ExecutableOptions::frames) in flight it is;
    /// `None` for the next in turn. Threads that record at the same time name their frames, since
    /// nobody knows whose turn comes next.
    pub frame: Option<usize>,
    /// What differs from what the plan says.
    pub values: &'r [PassValue<'r>],
    /// Timestamps around the passes.
    pub timing: Timing<'r>,
}

/// Bytes of one pass that are given when it is recorded: its push constants, or what an update
/// writes.
#[derive(Clone, Copy, Debug)]
pub struct PassValue<'r> {
    /// The label of the pass, which is settable ([`Graph::settable`](crate::graph::Graph::settable)).
    pub pass: &'r str,
    /// As many as the plan has there.
    pub bytes: &'r [u8],
}

/// What one recording goes by.
struct Recorded<'r> {
    places: &'r Places<'r>,
    sets: Option<&'r Sets>,
    timing: Timing<'r>,
    values: &'r [PassValue<'r>],
}

impl Recorded<'_> {
    /// The bytes of a pass: those that were given, else the plan's.
    fn bytes<'b>(&'b self, pass: &PlannedPass, planned: &'b [u8]) -> &'b [u8] {
        let mut values = self.values.iter().filter(|_| pass.settable);
        values.find(|value| value.pass == pass.label).map_or(planned, |value| value.bytes)
    }
}

impl Executable {
    /// Makes ready for recordings of the engine's own, which may be alive for as long as they
    /// like: they take no frame.
    pub(crate) fn prepare(
        &self,
        imports: &[Import],
        workspace: Option<BufferAt>,
    ) -> Result<Prepared<'_>> {
        let places = self.places(imports, workspace, 0)?;
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
    /// [`ExecutableOptions::frames`](crate::ExecutableOptions::frames) are recorded and yet to run.
    /// The caller synchronises imports as the plan's contract says
    /// ([`Plan::imports`](crate::graph::Plan::imports)).
    pub unsafe fn record(&self, commands: vk::CommandBuffer, imports: &[Import]) -> Result<()> {
        // SAFETY: by the caller's contract.
        unsafe { self.record_with(commands, imports, &RecordOptions::default()) }
    }

    /// Like [`record`](Self::record), with options.
    ///
    /// # Safety
    /// As for [`record`](Self::record); no other commands use the workspace while these run. No other recording of the frame is yet to run. A
    /// profiler was made for this executable, and lives until the commands have run; queries of
    /// the caller's exist and are reset.
    pub unsafe fn record_with(
        &self,
        commands: vk::CommandBuffer,
        imports: &[Import],
        options: &RecordOptions<'_>,
    ) -> Result<()> {
        let frame = self.frame(options.frame)?;
        self.check_values(options.values)?;
        let places = self.places(imports, options.workspace, frame)?;
        let sets = self.frames.get(frame);
        if let Some(sets) = sets {
            // SAFETY: no other recording of the frame is yet to run, by the caller's contract.
            unsafe { sets.write(&self.plan, &places) };
        }
        let recorded =
            Recorded { places: &places, sets, timing: options.timing, values: options.values };
        // SAFETY: by the caller's contract.
        unsafe { self.record_steps(commands, &recorded) };
        Ok(())
    }

    /// Each value is for a settable pass, and as long as what it replaces. A value for a culled pass has no effect.
    pub(crate) fn check_values(&self, values: &[PassValue<'_>]) -> Result<()> {
        values.iter().try_for_each(|value| {
            let given = value.bytes.len() as u64;
            match self.plan.settable_bytes(value.pass) {
                Some(needed) if needed == given => Ok(()),
                Some(needed) => {
                    Err(Error::ValueOfPass { pass: value.pass.to_owned(), given, needed })
                }
                None => Err(Error::UnknownPass {
                    plan: self.plan.name().to_owned(),
                    pass: value.pass.to_owned(),
                }),
            }
        })
    }

    /// The frame in flight that a recording is, or the next in turn.
    fn frame(&self, wanted: Option<usize>) -> Result<usize> {
        match wanted {
            Some(frame) if frame >= self.frame_count => {
                Err(Error::NoSuchFrame { frame, frames: self.frame_count })
            }
            Some(frame) => Ok(frame),
            None => Ok(self.next_frame.fetch_add(1, Ordering::Relaxed) % self.frame_count),
        }
    }

    /// # Safety
    /// As for [`record_with`](Self::record_with), and the sets were written for these places.
    unsafe fn record_steps(&self, commands: vk::CommandBuffer, recorded: &Recorded<'_>) {
        let raw = &self.device.raw;
        let Recorded { places, sets, timing, .. } = *recorded;
        // SAFETY: recording, by the caller's contract.
        unsafe { timing.begin(raw, commands) };
        for (index, (step, planned)) in self.steps.iter().zip(self.plan.steps()).enumerate() {
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
                        let bytes = recorded.bytes(pass, &pass.push);
                        raw.cmd_push_constants(commands, pipeline.layout, stage, 0, bytes);
                    }
                }
                self.record_work(commands, &planned.pass, recorded);
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

    unsafe fn record_work(
        &self,
        commands: vk::CommandBuffer,
        pass: &PlannedPass,
        recorded: &Recorded<'_>,
    ) {
        let (raw, places) = (&self.device.raw, recorded.places);
        // SAFETY: as in `record_with`.
        unsafe {
            match &pass.work {
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
                    let bytes = recorded.bytes(pass, bytes);
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

    unsafe fn begin_label(&self, commands: vk::CommandBuffer, label: &CStr) {
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
    /// As for [`Executable::record_with`], but for the frames; this lives until the commands have
    /// run, or what [`into_sets`](Self::into_sets) gives does.
    pub unsafe fn record(&self, commands: vk::CommandBuffer, timing: Timing<'_>) {
        // SAFETY: by the caller's contract.
        unsafe { self.record_with(commands, timing, &[]) };
    }

    /// Like [`record`](Self::record), with values that were checked.
    ///
    /// # Safety
    /// That of [`record`](Self::record).
    pub unsafe fn record_with(
        &self,
        commands: vk::CommandBuffer,
        timing: Timing<'_>,
        values: &[PassValue<'_>],
    ) {
        let (places, sets) = (&self.places, self.sets.as_ref());
        let recorded = Recorded { places, sets, timing, values };
        // SAFETY: by the caller's contract; the sets were written by `prepare`.
        unsafe { self.executable.record_steps(commands, &recorded) };
    }

    /// What recordings refer to besides the executable and the buffers.
    pub fn into_sets(self) -> Option<Sets> {
        self.sets
    }
}
