//! A recording that is made once and submitted any number of times, and the calls that record,
//! submit and wait in one go.

use std::sync::Arc;

use ash::vk;
use multisplit_graph as graph;

use crate::commands::{Commands, run_once};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::executor::{Executable, imports};
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
    pub fn replay(
        &self,
        executable: Arc<Executable>,
        buffers: &[(graph::Buffer, &Buffer)],
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
        let _buffers = buffers.iter().map(|(_, buffer)| (*buffer).clone()).collect();
        Ok(Replay { commands, _executable: executable, _buffers })
    }

    /// Records `executable` over these buffers, submits it once and waits.
    pub fn run(&self, executable: &Executable, buffers: &[(graph::Buffer, &Buffer)]) -> Result<()> {
        let _span = tracing::debug_span!("run", plan = %executable.plan().name).entered();
        let imports = imports(buffers)?;
        // SAFETY: recording; sizes were checked, and the buffers outlive the wait.
        run_once(&self.device, |raw| unsafe { executable.record(raw, &imports) })
    }

    /// Like [`run`](Self::run), with the time of each pass.
    pub fn profile(
        &self,
        executable: &Executable,
        buffers: &[(graph::Buffer, &Buffer)],
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
