//! Records pipeline barriers with `synchronization2` (core or extension) or with Vulkan 1.0.

use ash::vk;
use multisplit_graph::Scope;

/// A memory barrier with `before` as its first and `after` as its second synchronization scope. [`Scope`] stores the
/// bits of Vulkan's stage and access flags.
pub(crate) fn memory_barrier(before: Scope, after: Scope) -> vk::MemoryBarrier2<'static> {
    vk::MemoryBarrier2::default()
        .src_stage_mask(vk::PipelineStageFlags2::from_raw(before.stages.bits()))
        .src_access_mask(vk::AccessFlags2::from_raw(before.access.bits()))
        .dst_stage_mask(vk::PipelineStageFlags2::from_raw(after.stages.bits()))
        .dst_access_mask(vk::AccessFlags2::from_raw(after.access.bits()))
}

/// The Vulkan function that records barriers.
pub(super) enum Barriers {
    /// `vkCmdPipelineBarrier2` of Vulkan 1.3.
    Core,
    /// `vkCmdPipelineBarrier2KHR` of `VK_KHR_synchronization2`.
    Extension(ash::khr::synchronization2::Device),
    /// `vkCmdPipelineBarrier` of Vulkan 1.0, for devices without `synchronization2`.
    Legacy,
}

impl Barriers {
    /// `names` states whether the device provides `vkCmdPipelineBarrier2` under its core name and under its extension
    /// name. If it provides both, Vulkan 1.3 and later use the core name, and earlier versions the extension name.
    pub fn new(
        instance: &ash::Instance,
        device: &ash::Device,
        names: [bool; 2],
        api_version: u32,
    ) -> Self {
        match names {
            [true, extension] if api_version >= vk::API_VERSION_1_3 || !extension => Self::Core,
            [_, true] => Self::Extension(ash::khr::synchronization2::Device::new(instance, device)),
            _ => Self::Legacy,
        }
    }

    /// Records one pipeline barrier.
    ///
    /// # Safety
    /// `commands` is recording.
    pub unsafe fn record(
        &self,
        device: &ash::Device,
        commands: vk::CommandBuffer,
        memory: &[vk::MemoryBarrier2<'_>],
    ) {
        let info = vk::DependencyInfo::default().memory_barriers(memory);
        match self {
            // SAFETY: the caller guarantees that `commands` is recording.
            Self::Core => unsafe { device.cmd_pipeline_barrier2(commands, &info) },
            // SAFETY: as above.
            Self::Extension(functions) => unsafe {
                functions.cmd_pipeline_barrier2(commands, &info);
            },
            Self::Legacy => {
                let (from, to, barrier) = legacy(memory);
                let flags = vk::DependencyFlags::empty();
                // SAFETY: as above.
                unsafe {
                    device.cmd_pipeline_barrier(commands, from, to, flags, &[barrier], &[], &[]);
                }
            }
        }
    }
}

/// Merges the barriers into one Vulkan 1.0 barrier that covers at least the same stages and accesses.
fn legacy(
    memory: &[vk::MemoryBarrier2<'_>],
) -> (vk::PipelineStageFlags, vk::PipelineStageFlags, vk::MemoryBarrier<'static>) {
    let mut from = vk::PipelineStageFlags::empty();
    let mut to = vk::PipelineStageFlags::empty();
    let mut barrier = vk::MemoryBarrier::default();
    for one in memory {
        from |= stages(one.src_stage_mask);
        to |= stages(one.dst_stage_mask);
        barrier.src_access_mask |= accesses(one.src_access_mask);
        barrier.dst_access_mask |= accesses(one.dst_access_mask);
    }
    // Empty stage masks are not allowed (VUID-vkCmdPipelineBarrier-srcStageMask-03937).
    if from.is_empty() {
        from = vk::PipelineStageFlags::TOP_OF_PIPE;
    }
    if to.is_empty() {
        to = vk::PipelineStageFlags::BOTTOM_OF_PIPE;
    }
    (from, to, barrier)
}

/// Converts stages to Vulkan 1.0. The low 32 bits have the same meaning there. Stages in the high bits become
/// `ALL_COMMANDS`.
fn stages(stages: vk::PipelineStageFlags2) -> vk::PipelineStageFlags {
    let bits = stages.as_raw();
    match u32::try_from(bits) {
        Ok(bits) => vk::PipelineStageFlags::from_raw(bits),
        Err(_) => vk::PipelineStageFlags::ALL_COMMANDS,
    }
}

/// Converts accesses to Vulkan 1.0. The low 32 bits have the same meaning there. In the high bits, sampled and storage
/// accesses become `SHADER_READ` or `SHADER_WRITE`, and all others `MEMORY_READ | MEMORY_WRITE`.
fn accesses(access: vk::AccessFlags2) -> vk::AccessFlags {
    use vk::AccessFlags2 as Flag;
    let mut found = vk::AccessFlags::from_raw(access.as_raw() as u32);
    let mut left = Flag::from_raw(access.as_raw() >> u32::BITS << u32::BITS);
    let table = [
        (Flag::SHADER_SAMPLED_READ | Flag::SHADER_STORAGE_READ, vk::AccessFlags::SHADER_READ),
        (Flag::SHADER_STORAGE_WRITE, vk::AccessFlags::SHADER_WRITE),
    ];
    for (new, old) in table {
        if left.intersects(new) {
            found |= old;
        }
        left &= !new;
    }
    if !left.is_empty() {
        found |= vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use vk::AccessFlags2 as A;
    use vk::PipelineStageFlags2 as S;

    fn barrier(from: (S, A), to: (S, A)) -> vk::MemoryBarrier2<'static> {
        vk::MemoryBarrier2::default()
            .src_stage_mask(from.0)
            .src_access_mask(from.1)
            .dst_stage_mask(to.0)
            .dst_access_mask(to.1)
    }

    #[test]
    fn legacy_barriers_cover_at_least_the_same_scopes() {
        let (from, to, memory) = legacy(&[
            barrier(
                (S::COMPUTE_SHADER, A::SHADER_STORAGE_WRITE),
                (S::COMPUTE_SHADER, A::SHADER_STORAGE_READ),
            ),
            barrier((S::COPY, A::TRANSFER_WRITE), (S::DRAW_INDIRECT, A::INDIRECT_COMMAND_READ)),
        ]);
        use vk::{AccessFlags, PipelineStageFlags};
        assert!(from.contains(PipelineStageFlags::COMPUTE_SHADER));
        assert!(
            from.contains(PipelineStageFlags::ALL_COMMANDS),
            "expected ALL_COMMANDS, because Vulkan 1.0 has no COPY stage"
        );
        assert_eq!(to, PipelineStageFlags::COMPUTE_SHADER | PipelineStageFlags::DRAW_INDIRECT);
        assert_eq!(memory.src_access_mask, AccessFlags::SHADER_WRITE | AccessFlags::TRANSFER_WRITE);
        assert_eq!(
            memory.dst_access_mask,
            AccessFlags::SHADER_READ | AccessFlags::INDIRECT_COMMAND_READ
        );
    }

    #[test]
    fn empty_stage_masks_become_top_and_bottom_of_pipe() {
        let (from, to, _) = legacy(&[barrier((S::NONE, A::NONE), (S::NONE, A::NONE))]);
        assert_eq!(from, vk::PipelineStageFlags::TOP_OF_PIPE);
        assert_eq!(to, vk::PipelineStageFlags::BOTTOM_OF_PIPE);
    }
}
