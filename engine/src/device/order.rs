//! Ordering of submissions: a barrier between consecutive recordings on the queue makes the writes of the first visible
//! to the second.

use std::sync::atomic::{AtomicU64, Ordering};

use ash::vk;

use super::attach::Attachment;
use super::shared::Device;
use crate::error::{Result, VkResultExt};

/// Identifies a recording. Consecutive submissions of the same recording get no barrier in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RecordingId(u64);

impl RecordingId {
    /// Returns a unique identifier.
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// A command buffer with a single barrier, from all of the engine's earlier memory accesses to all later ones.
pub(crate) struct Order {
    pool: vk::CommandPool,
    commands: vk::CommandBuffer,
}

impl Order {
    pub fn new(device: &Device) -> Result<Self> {
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(device.queue_family);
        // SAFETY: a live device.
        let pool = unsafe { device.raw.create_command_pool(&info, device.callbacks()) };
        let mut this =
            Self { pool: pool.during("vkCreateCommandPool")?, commands: vk::CommandBuffer::null() };
        let recorded = this.record(device);
        if recorded.is_err() {
            // SAFETY: newly created and not in use.
            unsafe { this.release(device) };
        }
        recorded.map(|()| this)
    }

    fn record(&mut self, device: &Device) -> Result<()> {
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.pool)
            .command_buffer_count(1);
        // SAFETY: a live pool.
        let buffers = unsafe { device.raw.allocate_command_buffers(&info) };
        self.commands =
            buffers.during("vkAllocateCommandBuffers")?.first().copied().unwrap_or_default();
        device.name_object(self.commands, "multisplit.order");
        let info = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::SIMULTANEOUS_USE);
        let work = vk::PipelineStageFlags2::COMPUTE_SHADER | vk::PipelineStageFlags2::ALL_TRANSFER;
        let writes = vk::AccessFlags2::SHADER_WRITE | vk::AccessFlags2::TRANSFER_WRITE;
        let barrier = vk::MemoryBarrier2::default()
            .src_stage_mask(work)
            .src_access_mask(writes)
            .dst_stage_mask(work | vk::PipelineStageFlags2::DRAW_INDIRECT)
            .dst_access_mask(
                writes
                    | vk::AccessFlags2::SHADER_READ
                    | vk::AccessFlags2::UNIFORM_READ
                    | vk::AccessFlags2::TRANSFER_READ
                    | vk::AccessFlags2::INDIRECT_COMMAND_READ,
            );
        // SAFETY: a new command buffer, used only by this thread.
        unsafe {
            device.raw.begin_command_buffer(self.commands, &info).during("vkBeginCommandBuffer")?;
            device.pipeline_barrier(self.commands, &[barrier]);
            device.raw.end_command_buffer(self.commands).during("vkEndCommandBuffer")
        }
    }

    pub fn commands(&self) -> vk::CommandBuffer {
        self.commands
    }
}

impl Attachment for Order {
    unsafe fn release(&self, device: &Device) {
        // SAFETY: by the caller's contract.
        unsafe { device.raw.destroy_command_pool(self.pool, device.callbacks()) };
    }
}
