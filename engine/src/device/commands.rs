//! Command buffers of the engine. Recordings take them from a list of idle ones and return them after use.

use std::sync::{Arc, Mutex};

use ash::vk;

use crate::device::{Attachment, Device, ErrorWatch, RecordingId};
use crate::error::{Error, Result, VkResultExt};
use crate::lock::lock;

/// A command pool with one command buffer and one fence. The owner must call `release` before the device is
/// destroyed.
#[derive(Debug, Default)]
pub(crate) struct CommandSlot {
    pool: vk::CommandPool,
    pub raw: vk::CommandBuffer,
    fence: vk::Fence,
    state: State,
    /// Collects validation errors while a submission is pending.
    errors: ErrorWatch,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// No submission is pending and the fence is unsignalled.
    #[default]
    Idle,
    /// A submission that will signal the fence is pending.
    Pending,
    /// A Vulkan call failed. Submissions may be pending, and the fence may or may not be signalled.
    Unknown,
}

impl CommandSlot {
    pub fn new(device: &Device) -> Result<Self> {
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(device.queue_family);
        // SAFETY: the device is alive.
        let pool = unsafe { device.raw.create_command_pool(&info, device.callbacks()) };
        let mut this = Self { pool: pool.during("vkCreateCommandPool")?, ..Self::default() };
        let filled = this.fill(device);
        if filled.is_err() {
            // SAFETY: the object is newly created and not in use.
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
        // SAFETY: the device is alive.
        let fence =
            unsafe { device.raw.create_fence(&vk::FenceCreateInfo::default(), device.callbacks()) };
        self.fence = fence.during("vkCreateFence")?;
        Ok(())
    }

    /// Resets the pool so that the buffer can be recorded again. The buffer must not be pending.
    pub fn reset(&self, device: &Device) -> Result<()> {
        let flags = vk::CommandPoolResetFlags::empty();
        // SAFETY: the buffer is not pending: callers wait before they reset.
        unsafe { device.raw.reset_command_pool(self.pool, flags) }.during("vkResetCommandPool")
    }

    /// Records the commands that `body` adds. Also fails if a layer reports an error ([`Device::watch_errors`]).
    pub fn record(
        &self,
        device: &Device,
        usage: vk::CommandBufferUsageFlags,
        body: impl FnOnce(vk::CommandBuffer) -> Result<()>,
    ) -> Result<()> {
        let errors = device.watch_errors();
        let info = vk::CommandBufferBeginInfo::default().flags(usage);
        // SAFETY: the buffer is in the initial state, and no other thread uses the pool.
        unsafe { device.raw.begin_command_buffer(self.raw, &info) }
            .during("vkBeginCommandBuffer")?;
        body(self.raw)?;
        // SAFETY: the command buffer is in the recording state.
        unsafe { device.raw.end_command_buffer(self.raw) }.during("vkEndCommandBuffer")?;
        errors.check()
    }

    /// Waits for earlier submissions, then submits the recorded buffer `times` times in a row. If `times` exceeds one,
    /// the buffer must have been recorded for simultaneous use. `recording` identifies the recorded commands; see
    /// [`Device::submit`].
    pub fn submit(&mut self, device: &Device, recording: RecordingId, times: u32) -> Result<()> {
        self.wait(device)?;
        if times == 0 {
            return Ok(());
        }
        self.errors = device.watch_errors();
        // Only the last submission signals the fence. If an earlier one fails, the fence is never signalled, so the
        // state is unknown until all submissions have succeeded.
        self.state = State::Unknown;
        for left in (0..times).rev() {
            let fence = if left == 0 { self.fence } else { vk::Fence::null() };
            // SAFETY: the buffer is executable, and is not pending unless it was recorded for simultaneous use.
            unsafe { device.submit(recording, self.raw, fence)? };
        }
        self.state = State::Pending;
        Ok(())
    }

    /// Waits for all submissions to complete. Also fails if a layer reported an error ([`Device::watch_errors`]).
    pub fn wait(&mut self, device: &Device) -> Result<()> {
        self.finish(device)?;
        std::mem::take(&mut self.errors).check()
    }

    /// Waits for all submissions to complete.
    fn finish(&mut self, device: &Device) -> Result<()> {
        let fences = [self.fence];
        match self.state {
            State::Idle => return Ok(()),
            // SAFETY: a live fence that a submission signals.
            State::Pending => unsafe { device.raw.wait_for_fences(&fences, true, u64::MAX) }
                .during("vkWaitForFences")?,
            State::Unknown => device.wait_idle()?,
        }
        self.state = State::Unknown;
        // SAFETY: no submission is pending.
        unsafe { device.raw.reset_fences(&fences) }.during("vkResetFences")?;
        self.state = State::Idle;
        Ok(())
    }

    /// Destroys the pool, the buffer and the fence.
    ///
    /// # Safety
    /// Called once; no submission is pending.
    pub unsafe fn release(&self, device: &Device) {
        // SAFETY: the caller guarantees a single call and no pending submission. Destroying a null handle is a no-op.
        unsafe {
            device.raw.destroy_fence(self.fence, device.callbacks());
            device.raw.destroy_command_pool(self.pool, device.callbacks());
        }
    }
}

/// Maximum number of idle slots per device. Programs rarely run work on more threads than this at the same time.
const MAX_IDLE: usize = 64;

/// Idle command slots of a device, reused by later recordings. Creating a pool, a buffer and a fence for each run
/// would take longer than recording a small plan. Reuse also avoids a crash of some validation layers (such as version
/// 1.3.239), which occurs if one thread destroys a command pool while another records a debug label.
#[derive(Default)]
struct IdleSlots(Mutex<Vec<CommandSlot>>);

impl Attachment for IdleSlots {
    unsafe fn release(&self, device: &Device) {
        for slot in lock(&self.0).drain(..) {
            // SAFETY: `drain` releases each slot once; idle slots have no pending submissions.
            unsafe { slot.release(device) };
        }
    }
}

/// A command slot for one recording, with the methods of [`CommandSlot`]. Keeps the device alive.
pub(crate) struct Commands {
    device: Arc<Device>,
    idle: Arc<IdleSlots>,
    slot: CommandSlot,
    recording: RecordingId,
}

impl Commands {
    pub fn new(device: &Arc<Device>) -> Result<Self> {
        let idle = device.attached(|_| Ok(IdleSlots::default()))?;
        let known = lock(&idle.0).pop();
        let slot = match known {
            Some(slot) => slot,
            None => CommandSlot::new(device)?,
        };
        Ok(Self { device: device.clone(), idle, slot, recording: RecordingId::new() })
    }

    pub fn reset(&self) -> Result<()> {
        self.slot.reset(&self.device)
    }

    pub fn record(
        &self,
        usage: vk::CommandBufferUsageFlags,
        body: impl FnOnce(vk::CommandBuffer) -> Result<()>,
    ) -> Result<()> {
        self.slot.record(&self.device, usage, body)
    }

    pub fn submit(&mut self, times: u32) -> Result<()> {
        self.slot.submit(&self.device, self.recording, times)
    }

    /// Waits for earlier submissions, then submits the buffers in `before`, followed by the recorded buffer, in one
    /// call.
    ///
    /// # Safety
    /// The buffers in `before` are executable, and are not pending unless recorded for simultaneous use. They remain
    /// valid until the next [`wait`](Self::wait) returns.
    pub unsafe fn submit_after(&mut self, before: &[vk::CommandBuffer]) -> Result<()> {
        self.wait()?;
        let slot = &mut self.slot;
        slot.state = State::Unknown;
        let commands = [before, &[slot.raw]].concat();
        // SAFETY: the caller guarantees that the buffers in `before` can be submitted; the recorded one is executable
        // and not pending, and the fence is unsignalled, because `wait` has returned.
        unsafe { self.device.submit_together(&commands, slot.fence)? };
        slot.state = State::Pending;
        Ok(())
    }

    pub fn raw(&self) -> vk::CommandBuffer {
        self.slot.raw
    }

    pub fn wait(&mut self) -> Result<()> {
        self.slot.wait(&self.device)
    }
}

impl Drop for Commands {
    fn drop(&mut self) {
        let finished = self.slot.finish(&self.device);
        let is_reset = finished.is_ok() && self.reset().is_ok();
        let slot = std::mem::take(&mut self.slot);
        match finished {
            Ok(()) if is_reset => {
                let mut idle = lock(&self.idle.0);
                if idle.len() < MAX_IDLE {
                    idle.push(slot);
                    return;
                }
            }
            // A slot that cannot be reset cannot be reused, but has no pending work.
            Ok(()) => {}
            // Waiting for a lost device fails, but its work is no longer pending.
            Err(Error::Vulkan { result: vk::Result::ERROR_DEVICE_LOST, .. }) => {}
            // The slot may still be in use, so it is never destroyed.
            Err(error) => {
                tracing::warn!(%error, "waiting for a command buffer failed; it may still be in use, so it is leaked");
                return;
            }
        }
        // SAFETY: taken from `self`, so released once; no submission is pending.
        unsafe { slot.release(&self.device) };
    }
}

/// Records the commands that `body` adds, submits them once, and waits for completion.
pub(crate) fn run_once(
    device: &Arc<Device>,
    body: impl FnOnce(vk::CommandBuffer) -> Result<()>,
) -> Result<()> {
    let mut commands = Commands::new(device)?;
    commands.record(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT, body)?;
    commands.submit(1)?;
    commands.wait()
}
