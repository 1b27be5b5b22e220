//! Command buffers of the engine's own: one that is recorded, submitted and waited for once, the
//! pool-and-buffer pair that a replay keeps, and those that wait for the next recording.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ash::vk;

use crate::device::attach::Attachment;
use crate::device::order::RecordingId;
use crate::device::shared::Device;
use crate::device::validation::ErrorWatch;
use crate::error::{Error, Result, VkResultExt};

/// A command pool with one command buffer and one fence. Whoever holds it releases it before the
/// device ends.
#[derive(Debug, Default)]
pub(crate) struct CommandSlot {
    pool: vk::CommandPool,
    pub raw: vk::CommandBuffer,
    fence: vk::Fence,
    state: State,
    /// Errors of validation layers while something is pending.
    errors: ErrorWatch,
}

/// Whether anything of a slot is on the queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Nothing, and the fence is not signalled.
    #[default]
    Idle,
    /// Something that signals the fence.
    Pending,
    /// What a call that failed has left: anything, and the fence may be signalled or not.
    Unknown,
}

impl CommandSlot {
    pub fn new(device: &Device) -> Result<Self> {
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(device.queue_family);
        // SAFETY: a live device.
        let pool = unsafe { device.raw.create_command_pool(&info, device.callbacks()) };
        let mut this = Self { pool: pool.during("vkCreateCommandPool")?, ..Self::default() };
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

    /// Records the buffer by `body`. Fails if a validation layer reported an error meanwhile.
    pub fn record(
        &self,
        device: &Device,
        usage: vk::CommandBufferUsageFlags,
        body: impl FnOnce(vk::CommandBuffer) -> Result<()>,
    ) -> Result<()> {
        let errors = device.watch_errors();
        let info = vk::CommandBufferBeginInfo::default().flags(usage);
        // SAFETY: a buffer in the initial state; the pool is not shared.
        unsafe { device.raw.begin_command_buffer(self.raw, &info) }
            .during("vkBeginCommandBuffer")?;
        body(self.raw)?;
        // SAFETY: recording.
        unsafe { device.raw.end_command_buffer(self.raw) }.during("vkEndCommandBuffer")?;
        errors.check()
    }

    /// Submits the recorded buffer `times` times in a row, as a part of `recording`. More than once
    /// in a row only for a buffer recorded for simultaneous use.
    pub fn submit(&mut self, device: &Device, recording: RecordingId, times: u32) -> Result<()> {
        self.wait(device)?;
        if times == 0 {
            return Ok(());
        }
        self.errors = device.watch_errors();
        // A row that fails has lost the fence that would have told when its beginning is done.
        self.state = State::Unknown;
        for left in (0..times).rev() {
            let fence = if left == 0 { self.fence } else { vk::Fence::null() };
            // SAFETY: executable; earlier submissions were waited for or may be pending.
            unsafe { device.submit(recording, self.raw, fence)? };
        }
        self.state = State::Pending;
        Ok(())
    }

    /// Waits until everything submitted is done. Fails if a validation layer reported an error meanwhile.
    pub fn wait(&mut self, device: &Device) -> Result<()> {
        self.finish(device)?;
        std::mem::take(&mut self.errors).check()
    }

    /// Waits until everything submitted is done.
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

/// The maximum count of idle slots of a device: more than there are threads that run work at a time.
const MAX_IDLE: usize = 64;

/// The slots of a device that no recording holds, for recordings to come: a pool, a buffer and a
/// fence for each run would take longer than recording a small plan. Also, some validation layers
/// (1.3.239 is one) crash if one thread destroys a command pool while another one records a label.
#[derive(Default)]
struct IdleSlots(Mutex<Vec<CommandSlot>>);

impl IdleSlots {
    fn of(device: &Device) -> Result<Arc<Self>> {
        device.attached(|_| Ok(Self::default()))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<CommandSlot>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps `slot`, which is ready to be recorded; gives it back where there are enough.
    fn keep(&self, slot: CommandSlot) -> Option<CommandSlot> {
        let mut idle = self.lock();
        if idle.len() == MAX_IDLE {
            return Some(slot);
        }
        idle.push(slot);
        None
    }
}

impl Attachment for IdleSlots {
    unsafe fn release(&self, device: &Device) {
        for slot in self.lock().drain(..) {
            // SAFETY: taken out, so that this happens once; idle slots have nothing pending.
            unsafe { slot.release(device) };
        }
    }
}

/// The same for a recording of its own, which keeps the device alive.
pub(crate) struct Commands {
    device: Arc<Device>,
    idle: Arc<IdleSlots>,
    slot: CommandSlot,
    recording: RecordingId,
}

impl Commands {
    pub fn new(device: &Arc<Device>) -> Result<Self> {
        let idle = IdleSlots::of(device)?;
        let known = idle.lock().pop();
        let slot = match known {
            Some(slot) => slot,
            None => CommandSlot::new(device)?,
        };
        Ok(Self { device: device.clone(), idle, slot, recording: RecordingId::new() })
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

    /// Submits `before` and then the recorded buffer, in one call.
    ///
    /// # Safety
    /// `before` are executable, and not pending or recorded for simultaneous use. They live until
    /// this was waited for.
    pub unsafe fn submit_after(&mut self, before: &[vk::CommandBuffer]) -> Result<()> {
        self.wait()?;
        let slot = &mut self.slot;
        slot.state = State::Unknown;
        let commands = [before, &[slot.raw]].concat();
        // SAFETY: by the caller's contract.
        unsafe { self.device.submit_together(&commands, slot.fence)? };
        slot.state = State::Pending;
        Ok(())
    }

    /// The command buffer.
    pub fn raw(&self) -> vk::CommandBuffer {
        self.slot.raw
    }

    /// Waits until everything submitted is done.
    pub fn wait(&mut self) -> Result<()> {
        self.slot.wait(&self.device)
    }
}

impl Drop for Commands {
    fn drop(&mut self) {
        let usable = self.slot.finish(&self.device).and_then(|()| self.reset());
        let slot = std::mem::take(&mut self.slot);
        let spare = match usable {
            Ok(()) => self.idle.keep(slot),
            // A lost device cannot be waited for; then nothing is pending either.
            Err(Error::Vulkan { result: vk::Result::ERROR_DEVICE_LOST, .. }) => Some(slot),
            // What may be in use is left alone.
            Err(error) => {
                tracing::warn!(%error, "a command buffer is lost");
                None
            }
        };
        if let Some(spare) = spare {
            // SAFETY: taken out, so that this happens once; nothing is pending.
            unsafe { spare.release(&self.device) };
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
