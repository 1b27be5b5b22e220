//! A recording that is made once and submitted any number of times, and the calls that record,
//! submit and wait in one go.

use std::sync::Arc;

use ash::vk;

use crate::device::commands::{Commands, run_once};
use crate::device::context::Context;
use crate::device::observer::PassTime;
use crate::error::{Error, Result};
use crate::execute::descriptors::Sets;
use crate::execute::executable::Executable;
use crate::execute::import::{Bound, imports};
use crate::execute::profiler::{Profiler, Timing};
use crate::execute::recorder::Prepared;
use crate::memory::Buffer;
use crate::memory::status::check_order;

/// A recorded plan. Submitting it again costs one `vkQueueSubmit` and allocates nothing.
pub struct Replay {
    /// Dropped first, and so waited for before anything that it refers to goes.
    commands: Commands,
    _sets: Option<Sets>,
    executable: Arc<Executable>,
    buffers: Vec<Buffer>,
}

impl Replay {
    /// Submits the recording `times` times in a row, and returns without waiting for it. The
    /// plan's own barriers order each run after the one before. Nothing is submitted once a run is
    /// known to have found that the device does not keep lane order ([`Error::LaneOrder`]).
    pub fn submit(&mut self, times: u32) -> Result<()> {
        self.executable.check_lane_order()?;
        let Self { commands, executable, buffers, .. } = self;
        executable.submit_unverified(&buffers.iter(), || commands.submit(times))
    }

    /// Waits until every submitted run is done. An [`Error::LaneOrder`] where one of them may have
    /// given a wrong order.
    pub fn wait(&mut self) -> Result<()> {
        self.commands.wait()?;
        self.executable.verify(self.buffers.iter())
    }

    /// The recorded command buffer, which allows simultaneous use.
    pub(crate) fn raw(&self) -> vk::CommandBuffer {
        self.commands.raw()
    }
}

impl Context {
    /// Records `executable`, whose plan must be replayable, over these buffers.
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
            // SAFETY: recording; sizes were checked, and the replay holds what it refers to.
            unsafe { prepared.record(raw, Timing::None) };
            Ok(())
        })?;
        let _sets = prepared.into_sets();
        let buffers = buffers.iter().map(|&bound| bound.into().buffer()).collect();
        Ok(Replay { commands, _sets, executable, buffers })
    }

    /// Records `executable` over these buffers, submits it once and waits.
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

    /// Like [`run`](Self::run), with the plan recorded `times` times into one command buffer.
    /// More than once is for replayable plans only.
    pub fn run_repeatedly<'b>(
        &self,
        executable: &Executable,
        buffers: &[impl Into<Bound<'b>> + Copy],
        times: u32,
    ) -> Result<()> {
        let _span = tracing::debug_span!("run", plan = %executable.plan().name(), times).entered();
        if times > 1 && !executable.plan().is_replayable() {
            return Err(Error::NotReplayable { plan: executable.plan().name().to_owned() });
        }
        self.run_prepared(executable, buffers, |raw, prepared| {
            // SAFETY: recording; what it refers to is kept until it has run.
            (0..times).for_each(|_| unsafe { prepared.record(raw, Timing::None) });
        })
    }

    /// Like [`run`](Self::run), with the time of each pass.
    pub fn profile<'b>(
        &self,
        executable: &Executable,
        buffers: &[impl Into<Bound<'b>> + Copy],
    ) -> Result<Vec<PassTime>> {
        let profiler = Profiler::new(executable)?;
        self.run_prepared(executable, buffers, |raw, prepared| {
            // SAFETY: recording; what it refers to is kept until it has run.
            unsafe { prepared.record(raw, Timing::Profiler(&profiler)) };
        })?;
        // SAFETY: the recording has run.
        unsafe { profiler.read() }
    }

    /// Runs what `body` records of `executable` over these buffers, with its own workspace, and
    /// waits. What is recorded lives until then.
    pub(crate) fn run_prepared<'b>(
        &self,
        executable: &Executable,
        buffers: &[impl Into<Bound<'b>> + Copy],
        body: impl FnOnce(vk::CommandBuffer, &Prepared<'_>),
    ) -> Result<()> {
        executable.check_device(&self.device)?;
        let errors = self.device.watch_errors();
        let prepared = executable.prepare(&imports(&self.device, buffers)?, None)?;
        // The barriers of a plan that is not replayable do not keep two runs of it apart.
        let _turn = executable.turn();
        run_once(&self.device, |raw| {
            body(raw, &prepared);
            Ok(())
        })?;
        errors.check()?;
        executable.check_lane_order()?;
        // Its buffers may come from work that nobody has waited for. They stay marked, so that the same call
        // fails again.
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
