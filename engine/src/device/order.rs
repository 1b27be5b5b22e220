//! Submits command buffers to the queue. Between submissions of different recordings, a barrier makes the writes of
//! the first visible to the second.

use ash::vk::{self, AccessFlags2 as Access, PipelineStageFlags2 as Stage};

use super::commands::CommandSlot;
use super::shared::{Attachment, Device, RecordingId};
use crate::error::{Result, VkResultExt};

/// A command buffer with a single barrier: all earlier memory accesses of the engine happen before all later ones.
pub(crate) struct SubmissionBarrier(CommandSlot);

impl SubmissionBarrier {
    pub fn new(device: &Device) -> Result<Self> {
        let this = Self(CommandSlot::new(device)?);
        device.name_object(this.commands(), "multisplit.barrier");
        let work = Stage::COMPUTE_SHADER | Stage::ALL_TRANSFER;
        let writes = Access::SHADER_WRITE | Access::TRANSFER_WRITE;
        let kernel_reads = Access::SHADER_READ | Access::UNIFORM_READ;
        let reads = kernel_reads | Access::TRANSFER_READ | Access::INDIRECT_COMMAND_READ;
        let barrier = vk::MemoryBarrier2::default()
            .src_stage_mask(work)
            .src_access_mask(writes)
            .dst_stage_mask(work | Stage::DRAW_INDIRECT)
            .dst_access_mask(writes | reads);
        let recorded =
            this.0.record(device, vk::CommandBufferUsageFlags::SIMULTANEOUS_USE, |raw| {
                // SAFETY: the command buffer is in the recording state.
                unsafe { device.pipeline_barrier(raw, &[barrier]) };
                Ok(())
            });
        if recorded.is_err() {
            // SAFETY: the object is newly created and not in use.
            unsafe { this.release(device) };
        }
        recorded.map(|()| this)
    }

    pub fn commands(&self) -> vk::CommandBuffer {
        self.0.raw
    }
}

impl Attachment for SubmissionBarrier {
    unsafe fn release(&self, device: &Device) {
        // SAFETY: the device releases its attachments once, when no submission is pending.
        unsafe { self.0.release(device) };
    }
}

impl Device {
    /// Submits one command buffer, which signals `fence`. If the previous submission came from another recording, a
    /// barrier is submitted before the buffer. Consecutive submissions of the same recording have no barrier in
    /// between; their own commands must synchronize them.
    ///
    /// # Safety
    /// `commands` is executable and not pending (or was recorded for simultaneous use). `fence` is null, or unsignalled
    /// and not in use.
    pub unsafe fn submit(
        &self,
        recording: RecordingId,
        commands: vk::CommandBuffer,
        fence: vk::Fence,
    ) -> Result<()> {
        let barrier = self.attached(SubmissionBarrier::new)?;
        let both = [barrier.commands(), commands];
        let mut queue = self.queue()?;
        let commands = if queue.last == Some(recording) { &both[1..] } else { &both[..] };
        let info = vk::SubmitInfo::default().command_buffers(commands);
        // SAFETY: the caller guarantees that the buffer and the fence can be submitted; the queue's lock is held.
        unsafe { self.raw.queue_submit(queue.raw, &[info], fence) }.during("vkQueueSubmit")?;
        queue.last = Some(recording);
        Ok(())
    }

    /// Submits command buffers of several recordings in one call. Does not add barriers: the caller must insert
    /// [`SubmissionBarrier`]s where command buffers depend on each other.
    ///
    /// # Safety
    /// The requirements of [`submit`](Self::submit), for each command buffer.
    pub unsafe fn submit_together(
        &self,
        commands: &[vk::CommandBuffer],
        fence: vk::Fence,
    ) -> Result<()> {
        let mut queue = self.queue()?;
        let info = vk::SubmitInfo::default().command_buffers(commands);
        // SAFETY: the caller guarantees that the buffers and the fence can be submitted; the queue's lock is held.
        unsafe { self.raw.queue_submit(queue.raw, &[info], fence) }.during("vkQueueSubmit")?;
        queue.last = None;
        Ok(())
    }
}
