//! How a plan that is ready becomes commands in a command buffer.

use std::ffi::CStr;
use std::sync::atomic::Ordering;

use ash::vk;
use multisplit_graph::Work;

use crate::error::{Error, Result};
use crate::execute::descriptors::{Sets, bind, push_addresses};
use crate::execute::executable::Executable;
use crate::execute::import::{BufferAt, Import, Places};
use crate::execute::profiler::Timing;

/// What one recording is given besides the command buffer and the imports.
#[derive(Clone, Copy, Default)]
pub struct RecordOptions<'r> {
    /// The caller's memory for transient buffers; `None` for the executable's own.
    pub workspace: Option<BufferAt>,
    /// Which of [`ExecutableOptions::frames`](crate::ExecutableOptions::frames) the recording takes;
    /// `None` for the next in turn. Threads that record at the same time name frames, since nobody knows whose turn comes next.
    pub frame: Option<usize>,
    /// Timestamps around the passes.
    pub timing: Timing<'r>,
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

impl Executable {
    /// Makes ready for recordings of the engine's own, which may be alive for as long as they
    /// like: they take no frame.
    pub(crate) fn prepare(
        &self,
        imports: &[Import],
        workspace: Option<BufferAt>,
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
    /// As for [`record`](Self::record); the workspace is as [`WorkspaceBinding`] says, and no
    /// other commands use it while these run. No other recording of the frame is yet to run. A
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
        let sets = self.frame_sets(options.frame)?;
        let places = self.places(imports, options.workspace)?;
        if let Some(sets) = sets {
            // SAFETY: no more recordings are alive than there are frames, so this one is free.
            unsafe { sets.write(&self.plan, &places) };
        }
        let recorded = Recorded { places: &places, sets, timing: options.timing, word };
        // SAFETY: by the caller's contract.
        unsafe { self.record_steps(commands, &recorded) };
        Ok(())
    }

    /// The descriptor sets of a frame, or of the next in turn; none where descriptors are pushed.
    fn frame_sets(&self, wanted: Option<usize>) -> Result<Option<&Sets>> {
        if let Some(frame) = wanted
            && frame >= self.frame_count
        {
            let (asked, limit) = (frame as u64, self.frame_count as u64 - 1);
            return Err(Error::TooLarge { what: "frame in flight", asked, limit });
        }
        let frame = wanted.unwrap_or_else(|| self.next_frame.fetch_add(1, Ordering::Relaxed));
        Ok(frame.checked_rem(self.frames.len()).and_then(|frame| self.frames.get(frame)))
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
