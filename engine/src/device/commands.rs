//! Command buffers of the engine's own: one that is recorded, submitted and waited for once, and
//! the pool-and-buffer pair that a replay keeps.

use std::sync::Arc;

use ash::vk;

use crate::device::order::RecordingId;
use crate::device::shared::Device;
use crate::error::{Result, VkResultExt};

/// A command pool with one command buffer and one fence.
pub(crate) struct Commands {
    device: Arc<Device>,
    pool: vk::CommandPool,
    pub raw: vk::CommandBuffer,
    recording: RecordingId,
    fence: vk::Fence,
    pending: bool,
}

impl Commands {
    pub fn new(device: &Arc<Device>) -> Result<Self> {
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(device.queue_family);
        // SAFETY: a live device.
        let pool = unsafe { device.raw.create_command_pool(&info, None) };
        // From here on, dropping `this` destroys what was made.
        let mut this = Self {
            device: device.clone(),
            pool: pool.during("vkCreateCommandPool")?,
            raw: vk::CommandBuffer::null(),
            recording: RecordingId::new(),
            fence: vk::Fence::null(),
            pending: false,
        };
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(this.pool)
            .command_buffer_count(1);
        device.name_object(this.pool, "multisplit.commands");
        // SAFETY: a live pool.
        let buffers = unsafe { device.raw.allocate_command_buffers(&info) };
        this.raw = buffers.during("vkAllocateCommandBuffers")?.first().copied().unwrap_or_default();
        // SAFETY: a live device.
        let fence = unsafe { device.raw.create_fence(&vk::FenceCreateInfo::default(), None) };
        this.fence = fence.during("vkCreateFence")?;
        Ok(this)
    }

    /// Makes the buffer ready to be recorded again. Nothing of it is pending.
    pub fn reset(&self) -> Result<()> {
        let flags = vk::CommandPoolResetFlags::empty();
        // SAFETY: nothing of the pool is pending: whoever resets has waited.
        unsafe { self.device.raw.reset_command_pool(self.pool, flags) }.during("vkResetCommandPool")
    }

    /// Records the buffer by `body`.
    pub fn record(
        &self,
        usage: vk::CommandBufferUsageFlags,
        body: impl FnOnce(vk::CommandBuffer) -> Result<()>,
    ) -> Result<()> {
        let info = vk::CommandBufferBeginInfo::default().flags(usage);
        // SAFETY: a buffer in the initial state; the pool is not shared.
        unsafe { self.device.raw.begin_command_buffer(self.raw, &info) }
            .during("vkBeginCommandBuffer")?;
        body(self.raw)?;
        // SAFETY: recording.
        unsafe { self.device.raw.end_command_buffer(self.raw) }.during("vkEndCommandBuffer")
    }

    /// Submits the recorded buffer `times` times in a row. More than once in a row only for a
    /// buffer recorded for simultaneous use.
    pub fn submit(&mut self, times: u32) -> Result<()> {
        self.wait()?;
        for left in (0..times).rev() {
            let fence = if left == 0 { self.fence } else { vk::Fence::null() };
            // SAFETY: executable; earlier submissions were waited for or may be pending.
            if let Err(error) = unsafe { self.device.submit(self.recording, self.raw, fence) } {
                // The row has lost the fence that would have told when its beginning is done.
                self.device.wait_idle()?;
                return Err(error);
            }
        }
        self.pending = times > 0;
        Ok(())
    }

    /// Waits until everything submitted is done.
    pub fn wait(&mut self) -> Result<()> {
        if !self.pending {
            return Ok(());
        }
        let fences = [self.fence];
        // SAFETY: a live fence that a submission signals.
        unsafe { self.device.raw.wait_for_fences(&fences, true, u64::MAX) }
            .during("vkWaitForFences")?;
        self.pending = false;
        // SAFETY: no submission is pending.
        unsafe { self.device.raw.reset_fences(&fences) }.during("vkResetFences")
    }
}

impl Drop for Commands {
    fn drop(&mut self) {
        // A lost device cannot be waited for; then nothing is pending either.
        let _ = self.wait();
        // SAFETY: nothing is pending. Destroying a null handle does nothing.
        unsafe {
            self.device.raw.destroy_fence(self.fence, None);
            self.device.raw.destroy_command_pool(self.pool, None);
        }
    }
}

/// Records by `body`, submits once and waits.
pub(crate) fn run_once(
    device: &Arc<Device>,
    body: impl FnOnce(vk::CommandBuffer) -> Result<()>,
) -> Result<()> {
    let mut commands = Commands::new(device)?;
    commands.record(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT, body)?;
    commands.submit(1)?;
    commands.wait()
}
