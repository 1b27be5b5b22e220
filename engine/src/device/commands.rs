//! Command buffers of the engine's own: one that is recorded, submitted and waited for once, and
//! the pool-and-buffer pair that a replay keeps.

use std::sync::Arc;

use ash::vk;

use crate::device::order::RecordingId;
use crate::device::shared::Device;
use crate::error::{Result, VkResultExt};

/// A command pool with one command buffer and one fence. Whoever holds it releases it before the
/// device ends.
#[derive(Debug)]
pub(crate) struct CommandSlot {
    pool: vk::CommandPool,
    pub raw: vk::CommandBuffer,
    fence: vk::Fence,
    pending: bool,
}

impl CommandSlot {
    pub fn new(device: &Device) -> Result<Self> {
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(device.queue_family);
        // SAFETY: a live device.
        let pool = unsafe { device.raw.create_command_pool(&info, device.callbacks()) };
        let mut this = Self {
            pool: pool.during("vkCreateCommandPool")?,
            raw: vk::CommandBuffer::null(),
            fence: vk::Fence::null(),
            pending: false,
        };
        let filled = this.fill(device);
        if filled.is_err() {
            // SAFETY: just made, used by nothing.
            unsafe { this.release(device) };
        }
        filled.map(|()| this)
    }

    fn fill(&mut self, device: &Device) -> Result<()> {
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.pool)
            .command_buffer_count(1);
        device.name_object(self.pool, "multisplit.commands");
        // SAFETY: a live pool.
        let buffers = unsafe { device.raw.allocate_command_buffers(&info) };
        self.raw = buffers.during("vkAllocateCommandBuffers")?.first().copied().unwrap_or_default();
        // SAFETY: a live device.
        let fence =
            unsafe { device.raw.create_fence(&vk::FenceCreateInfo::default(), device.callbacks()) };
        self.fence = fence.during("vkCreateFence")?;
        Ok(())
    }

    /// Makes the buffer ready to be recorded again. Nothing of it is pending.
    pub fn reset(&self, device: &Device) -> Result<()> {
        let flags = vk::CommandPoolResetFlags::empty();
        // SAFETY: nothing of the pool is pending: whoever resets has waited.
        unsafe { device.raw.reset_command_pool(self.pool, flags) }.during("vkResetCommandPool")
    }

    /// Records the buffer by `body`.
    pub fn record(
        &self,
        device: &Device,
        usage: vk::CommandBufferUsageFlags,
        body: impl FnOnce(vk::CommandBuffer) -> Result<()>,
    ) -> Result<()> {
        let info = vk::CommandBufferBeginInfo::default().flags(usage);
        // SAFETY: a buffer in the initial state; the pool is not shared.
        unsafe { device.raw.begin_command_buffer(self.raw, &info) }
            .during("vkBeginCommandBuffer")?;
        body(self.raw)?;
        // SAFETY: recording.
        unsafe { device.raw.end_command_buffer(self.raw) }.during("vkEndCommandBuffer")
    }

    /// Submits the recorded buffer `times` times in a row, as a part of `recording`. More than once
    /// in a row only for a buffer recorded for simultaneous use.
    pub fn submit(&mut self, device: &Device, recording: RecordingId, times: u32) -> Result<()> {
        self.wait(device)?;
        for left in (0..times).rev() {
            let fence = if left == 0 { self.fence } else { vk::Fence::null() };
            // SAFETY: executable; earlier submissions were waited for or may be pending.
            if let Err(error) = unsafe { device.submit(recording, self.raw, fence) } {
                // The row has lost the fence that would have told when its beginning is done.
                device.wait_idle()?;
                return Err(error);
            }
        }
        self.pending = times > 0;
        Ok(())
    }

    /// Waits until everything submitted is done.
    pub fn wait(&mut self, device: &Device) -> Result<()> {
        if !self.pending {
            return Ok(());
        }
        let fences = [self.fence];
        // SAFETY: a live fence that a submission signals.
        unsafe { device.raw.wait_for_fences(&fences, true, u64::MAX) }.during("vkWaitForFences")?;
        self.pending = false;
        // SAFETY: no submission is pending.
        unsafe { device.raw.reset_fences(&fences) }.during("vkResetFences")
    }

    /// Destroys it.
    ///
    /// # Safety
    /// Called once; nothing is pending.
    pub unsafe fn release(&self, device: &Device) {
        // SAFETY: by the caller's contract. Destroying a null handle does nothing.
        unsafe {
            device.raw.destroy_fence(self.fence, device.callbacks());
            device.raw.destroy_command_pool(self.pool, device.callbacks());
        }
    }
}

/// The same for a recording of its own, which keeps the device alive.
pub(crate) struct Commands {
    device: Arc<Device>,
    slot: CommandSlot,
    recording: RecordingId,
}

impl Commands {
    pub fn new(device: &Arc<Device>) -> Result<Self> {
        let slot = CommandSlot::new(device)?;
        Ok(Self { device: device.clone(), slot, recording: RecordingId::new() })
    }

    /// Makes the buffer ready to be recorded again. Nothing of it is pending.
    pub fn reset(&self) -> Result<()> {
        self.slot.reset(&self.device)
    }

    /// Records the buffer by `body`.
    pub fn record(
        &self,
        usage: vk::CommandBufferUsageFlags,
        body: impl FnOnce(vk::CommandBuffer) -> Result<()>,
    ) -> Result<()> {
        self.slot.record(&self.device, usage, body)
    }

    /// Submits the recorded buffer `times` times in a row. More than once in a row only for a
    /// buffer recorded for simultaneous use.
    pub fn submit(&mut self, times: u32) -> Result<()> {
        self.slot.submit(&self.device, self.recording, times)
    }

    /// Waits until everything submitted is done.
    pub fn wait(&mut self) -> Result<()> {
        self.slot.wait(&self.device)
    }
}

impl Drop for Commands {
    fn drop(&mut self) {
        // A lost device cannot be waited for; then nothing is pending either.
        let _ = self.wait();
        // SAFETY: dropped once, and nothing is pending.
        unsafe { self.slot.release(&self.device) };
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
