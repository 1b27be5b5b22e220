//! Replays, which record a plan once and submit it any number of times, and calls that record, submit and wait.

use std::sync::Arc;

use ash::vk;

use crate::device::{Commands, Context, run_once};
use crate::error::{Error, Result};
use crate::execute::{Bound, Executable, Prepared, Sets, Timing, imports};
use crate::memory::Buffer;
use crate::memory::status::check_order;

/// A recorded plan. Each submitted run costs one `vkQueueSubmit` and does not allocate memory.
pub struct Replay {
    /// Must be the first field. Dropping it waits for the GPU, before the objects that the GPU uses are dropped.
    commands: Commands,
    _sets: Option<Sets>,
    executable: Arc<Executable>,
    buffers: Vec<Buffer>,
}

impl Replay {
    /// Waits for the runs of earlier calls, then submits the recording `times` times in a row, without waiting for
    /// these runs. The barriers of the plan order each run after the previous one. If an earlier run has found that the
    /// device does not keep lane order, returns [`Error::LaneOrder`] without submitting.
    pub fn submit(&mut self, times: u32) -> Result<()> {
        self.executable.check_lane_order()?;
        let Self { commands, executable, buffers, .. } = self;
        executable.submit_unverified(&buffers.iter(), || commands.submit(times))
    }

    /// Waits for all submitted runs. Returns [`Error::LaneOrder`] if their results may be in the wrong order.
    pub fn wait(&mut self) -> Result<()> {
        self.commands.wait()?;
        self.executable.verify(self.buffers.iter())
    }

    /// The recorded command buffer. It allows simultaneous use.
    pub(crate) fn raw(&self) -> vk::CommandBuffer {
        self.commands.raw()
    }
}

impl Context {
    /// Records `executable` with these buffers. Its plan must be replayable.
    pub fn replay<'b>(
        &self,
        executable: Arc<Executable>,
        buffers: &[impl Into<Bound<'b>> + Copy],
    ) -> Result<Replay> {
        executable.check_replayable()?;
        executable.check_device(&self.device)?;
        let prepared = executable.prepare(&imports(&self.device, buffers)?, None)?;
        let commands = Commands::new(&self.device)?;
        commands.record(vk::CommandBufferUsageFlags::SIMULTANEOUS_USE, |raw| {
            // SAFETY: the command buffer is recording; sizes have been checked, and the replay keeps the referenced
            // objects alive.
            unsafe { prepared.record(raw, Timing::None, &[]) };
            Ok(())
        })?;
        let _sets = prepared.into_sets();
        let buffers = buffers.iter().map(|&bound| bound.into().buffer()).collect();
        Ok(Replay { commands, _sets, executable, buffers })
    }

    /// Records `executable` with these buffers, submits it once and waits.
    pub fn run<'b>(
        &self,
        executable: &Executable,
        buffers: &[impl Into<Bound<'b>> + Copy],
    ) -> Result<()> {
        if self.run_observed(executable, buffers)? {
            return Ok(());
        }
        self.run_repeatedly(executable, buffers, 1)
    }

    /// Like [`run`](Self::run), but records the plan `times` times into one command buffer. If `times` exceeds one, the
    /// plan must be replayable.
    pub fn run_repeatedly<'b>(
        &self,
        executable: &Executable,
        buffers: &[impl Into<Bound<'b>> + Copy],
        times: u32,
    ) -> Result<()> {
        let _span = tracing::debug_span!("run", plan = %executable.plan().name(), times).entered();
        if times > 1 {
            executable.check_replayable()?;
        }
        self.run_prepared(executable, buffers, |raw, prepared| {
            // SAFETY: the command buffer is recording; the referenced objects are kept alive until it has run.
            (0..times).for_each(|_| unsafe { prepared.record(raw, Timing::None, &[]) });
        })
    }

    /// Submits the commands that `body` records, with the executable's own workspace, and waits for them. The prepared
    /// plan is kept alive until they have run.
    pub(crate) fn run_prepared<'b>(
        &self,
        executable: &Executable,
        buffers: &[impl Into<Bound<'b>> + Copy],
        body: impl FnOnce(vk::CommandBuffer, &Prepared<'_>),
    ) -> Result<()> {
        executable.check_device(&self.device)?;
        let errors = self.device.watch_errors();
        let prepared = executable.prepare(&imports(&self.device, buffers)?, None)?;
        // If a plan is not replayable, there are no barriers between its runs, so they must not overlap.
        let _workspace = executable.lock_workspace();
        run_once(&self.device, |raw| {
            // SAFETY: the command buffer is recording. `run_once` waits, and the workspace lock is held.
            unsafe { executable.state.record_first_clear(&self.device, raw, 0) };
            body(raw, &prepared);
            Ok(())
        })?;
        errors.check()?;
        executable.check_lane_order()?;
        // The buffers may contain results of earlier work that have not been verified. If this check fails, the buffers
        // stay marked, so that later calls with them fail too.
        let given = buffers.iter().map(|&bound| bound.into().buffer());
        let unverified = given.filter_map(|buffer| buffer.unverified()).reduce(|first, _| first);
        check_order(&self.device, unverified)
    }
}

impl Executable {
    pub(crate) fn check_replayable(&self) -> Result<()> {
        if self.plan().is_replayable() {
            return Ok(());
        }
        Err(Error::NotReplayable { plan: self.plan().name().to_owned() })
    }
}
