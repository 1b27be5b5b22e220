//! State memory of executables ([`Graph::state`](multisplit_graph::Graph::state)): zero before the first run, and kept
//! from run to run.

use std::sync::Arc;

use ash::vk;
use multisplit_graph::{Plan, Scope};

use crate::device::{Device, memory_barrier, run_once};
use crate::error::Result;
use crate::memory::{Buffer, Location};

pub(super) struct State {
    /// One per frame in flight; empty if the plan does not use state.
    buffers: Vec<Buffer>,
    /// Whether each run first clears its state. Set for executables that run only once, and if the device only
    /// records.
    pub cleared_by_run: bool,
}

impl State {
    pub fn new(device: &Arc<Device>, plan: &Plan, frames: usize) -> Result<Self> {
        let size = plan.state_size();
        let buffer = |frame| {
            let name = format!("{}.state.{frame}", plan.name());
            Buffer::new(device, &name, size, Location::Device)
        };
        let frames = if size > 0 { frames } else { 0 };
        Ok(Self { buffers: (0..frames).map(buffer).collect::<Result<_>>()?, cleared_by_run: false })
    }

    /// The memory of a frame; null if the plan does not use state.
    pub fn of(&self, frame: usize) -> vk::Buffer {
        self.buffers.get(frame).map_or(vk::Buffer::null(), Buffer::raw)
    }

    /// Submits commands that set the state of all frames to zero, and waits.
    pub fn clear(&self, device: &Arc<Device>) -> Result<()> {
        if self.buffers.is_empty() {
            return Ok(());
        }
        run_once(device, |commands| {
            for frame in 0..self.buffers.len() {
                // SAFETY: the command buffer is recording; the buffers outlive the call, which waits.
                unsafe { self.record_clear(device, commands, frame) };
            }
            Ok(())
        })
    }

    /// Records the commands of `record_clear` if `cleared_by_run` is set.
    ///
    /// # Safety
    /// The requirements of `record_clear`.
    pub unsafe fn record_first_clear(
        &self,
        device: &Device,
        commands: vk::CommandBuffer,
        frame: usize,
    ) {
        if self.cleared_by_run {
            // SAFETY: `record_clear` has the same requirements as this function.
            unsafe { self.record_clear(device, commands, frame) };
        }
    }

    /// Records commands that set the state of a frame to zero, after accesses by earlier kernels and before accesses by
    /// later ones. Does nothing if the plan does not use state.
    ///
    /// # Safety
    /// `commands` is recording. The buffer outlives the execution of the commands. No other code uses the state
    /// meanwhile.
    unsafe fn record_clear(&self, device: &Device, commands: vk::CommandBuffer, frame: usize) {
        let Some(buffer) = self.buffers.get(frame) else { return };
        let before = memory_barrier(Scope::COMPUTE_READ_WRITE, Scope::TRANSFER_WRITE);
        let after = memory_barrier(Scope::TRANSFER_WRITE, Scope::COMPUTE_READ_WRITE);
        // SAFETY: the caller guarantees that `commands` is recording and that only these commands use the buffer. The
        // range is the whole buffer, and its usage flags include transfers.
        unsafe {
            device.pipeline_barrier(commands, &[before]);
            device.raw.cmd_fill_buffer(commands, buffer.raw(), 0, vk::WHOLE_SIZE, 0);
            device.pipeline_barrier(commands, &[after]);
        }
    }
}
