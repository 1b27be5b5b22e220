//! A recording that is made once and submitted any number of times, and the calls that record,
//! submit and wait in one go.

use std::sync::Arc;

use ash::vk;

use crate::commands::{Commands, run_once};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::executor::{Bound, Executable, WorkspaceBinding, imports};
use crate::memory::Buffer;
use crate::profiler::{PassTime, Profiler};

/// A recorded plan. Submitting it again costs one `vkQueueSubmit` and allocates nothing.
pub struct Replay {
    commands: Commands,
    /// What the recording refers to lives as long as it does.
    _executable: Arc<Executable>,
    _buffers: Vec<Buffer>,
}

impl Replay {
    /// Submits the recording `times` times in a row, and returns without waiting for it. The
    /// plan's own barriers order each run after the one before.
    pub fn submit(&mut self, times: u32) -> Result<()> {
        self.commands.submit(times)
    }

    /// Waits until every submitted run is done.
    pub fn wait(&mut self) -> Result<()> {
        self.commands.wait()
    }
}

impl Context {
    /// Records `executable`, whose plan must be replayable, over these buffers.
    pub fn replay<'b>(
        &self,
        executable: Arc<Executable>,
        buffers: &[impl Into<Bound<'b>> + Copy],
    ) -> Result<Replay> {
        if !executable.plan().replayable {
            return Err(Error::NotReplayable { plan: executable.plan().name.clone() });
        }
        let imports = imports(buffers)?;
        let commands = Commands::new(&self.device)?;
        commands.record(vk::CommandBufferUsageFlags::SIMULTANEOUS_USE, |raw| {
            // SAFETY: recording; sizes were checked, and the replay holds the buffers.
            unsafe { executable.record(raw, &imports) }
        })?;
        let _buffers = buffers.iter().map(|&bound| bound.into().buffer()).collect();
        Ok(Replay { commands, _executable: executable, _buffers })
    }

    /// Records `executable` over these buffers, submits it once and waits.
    pub fn run<'b>(
        &self,
        executable: &Executable,
        buffers: &[impl Into<Bound<'b>> + Copy],
    ) -> Result<()> {
        self.run_repeatedly(executable, buffers, 1)
    }

    /// Like [`run`](Self::run), with the plan recorded `times` times into one command buffer.
    /// More than once is for replayable plans.
    pub fn run_repeatedly<'b>(
        &self,
        executable: &Executable,
        buffers: &[impl Into<Bound<'b>> + Copy],
        times: u32,
    ) -> Result<()> {
        let _span = tracing::debug_span!("run", plan = %executable.plan().name, times).entered();
        let imports = imports(buffers)?;
        run_once(&self.device, |raw| {
            // SAFETY: recording; sizes were checked, and the buffers outlive the wait.
            (0..times).try_for_each(|_| unsafe { executable.record(raw, &imports) })
        })
    }

    /// Like [`run`](Self::run), with transient buffers in `workspace` instead of the
    /// executable's own, so that several threads can run one executable at a time.
    pub fn run_in<'b>(
        &self,
        executable: &Executable,
        buffers: &[impl Into<Bound<'b>> + Copy],
        workspace: &Buffer,
    ) -> Result<()> {
        let imports = imports(buffers)?;
        workspace.check_size(executable.plan().workspace.size)?;
        let workspace = WorkspaceBinding { buffer: workspace.raw(), offset: 0 };
        run_once(&self.device, |raw| {
            // SAFETY: recording; sizes were checked, and the buffers outlive the wait.
            unsafe { executable.record_with(raw, &imports, Some(workspace), None) }
        })
    }

    /// Like [`run`](Self::run), with the time of each pass.
    pub fn profile<'b>(
        &self,
        executable: &Executable,
        buffers: &[impl Into<Bound<'b>> + Copy],
    ) -> Result<Vec<PassTime>> {
        let imports = imports(buffers)?;
        let profiler = Profiler::new(executable)?;
        run_once(&self.device, |raw| {
            // SAFETY: recording; sizes were checked, and the buffers outlive the wait.
            unsafe { executable.record_with(raw, &imports, None, Some(&profiler)) }
        })?;
        profiler.read()
    }
}
