//! Requirements for workspace memory that callers supply.

use std::sync::Arc;

use ash::vk::{self, BufferUsageFlags as Usage};
use multisplit_graph::{Plan, Scope, Work};
use multisplit_shaders::{BindingAccess, BindingKind};

use crate::device::Device;
use crate::error::{Result, VkResultExt};

/// Requirements for the memory of a plan's transient and persistent buffers
/// ([`RecordOptions::workspace`](crate::RecordOptions::workspace)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkspaceRequirements {
    /// Size in bytes. Zero if the plan does not need a workspace.
    pub size: u64,
    /// Required alignment of the offset into the buffer.
    pub alignment: u64,
    /// Required usage flags of the buffer.
    pub usage: vk::BufferUsageFlags,
    /// Bit mask of the memory types that such a buffer can be bound to. Device-local types are the fastest.
    pub memory_type_bits: u32,
    /// The plan's accesses to the workspace. If two recordings share a workspace, they need a barrier with this scope
    /// on both sides between them, or a semaphore or a fence.
    pub scope: Scope,
}

pub(crate) fn requirements(
    device: &Arc<Device>,
    plan: &Plan,
    by_address: bool,
) -> Result<WorkspaceRequirements> {
    let is_inside =
        |index: usize| plan.buffers().get(index).is_some_and(|b| b.workspace_offset().is_some());
    let usage = match usage(plan, by_address, is_inside) {
        // Even if the plan does not use the workspace, Vulkan does not allow buffers without usage flags.
        usage if usage.is_empty() => shader_usage(by_address),
        usage => usage,
    };
    let alignment = device.properties.graph_limits().heap_alignment();
    Ok(WorkspaceRequirements {
        size: plan.workspace().size,
        alignment: alignment.max(plan.workspace().alignment),
        usage,
        memory_type_bits: memory_type_bits(device, usage)?,
        scope: scope(plan, is_inside),
    })
}

/// Usage flags for the selected buffers of the plan.
pub(crate) fn usage(plan: &Plan, by_address: bool, is_selected: impl Fn(usize) -> bool) -> Usage {
    let mut usage = Usage::empty();
    uses(plan, is_selected, |_, flag| {
        usage |= if flag == Usage::STORAGE_BUFFER { shader_usage(by_address) } else { flag };
    });
    usage
}

/// Usage flag for access by kernels.
pub(crate) fn shader_usage(by_address: bool) -> Usage {
    if by_address { Usage::SHADER_DEVICE_ADDRESS } else { Usage::STORAGE_BUFFER }
}

fn scope(plan: &Plan, is_selected: impl Fn(usize) -> bool) -> Scope {
    let mut all = Scope::default();
    uses(plan, is_selected, |scope, _| all = all.union(scope));
    all
}

/// Calls `body` for every use of the selected buffers.
fn uses(plan: &Plan, is_selected: impl Fn(usize) -> bool, mut body: impl FnMut(Scope, Usage)) {
    let mut one = |index: usize, scope: Scope, usage: Usage| {
        if is_selected(index) {
            body(scope, usage);
        }
    };
    for pass in plan.steps().iter().map(|step| &step.pass) {
        for binding in &pass.bindings {
            let (scope, usage) = match (binding.kind, binding.access) {
                (BindingKind::Uniform, _) => (Scope::COMPUTE_UNIFORM_READ, Usage::UNIFORM_BUFFER),
                (_, BindingAccess::Read) => (Scope::COMPUTE_READ, Usage::STORAGE_BUFFER),
                (_, BindingAccess::Write) => (Scope::COMPUTE_WRITE, Usage::STORAGE_BUFFER),
                (_, BindingAccess::ReadWrite) => (Scope::COMPUTE_READ_WRITE, Usage::STORAGE_BUFFER),
            };
            one(binding.buffer, scope, usage);
        }
        let (read, write) = (Scope::TRANSFER_READ, Scope::TRANSFER_WRITE);
        let (src, dst) = (Usage::TRANSFER_SRC, Usage::TRANSFER_DST);
        match &pass.work {
            Work::Dispatch(_) => {}
            Work::DispatchIndirect { buffer, .. } => {
                one(*buffer, Scope::INDIRECT_READ, Usage::INDIRECT_BUFFER);
            }
            Work::Fill { view, .. } | Work::Update { view, .. } => one(view.buffer, write, dst),
            Work::Copy { src: from, dst: to } => {
                one(from.buffer, read, src);
                one(to.buffer, write, dst);
            }
        }
    }
}

/// Memory types that a buffer with this usage can be bound to. Vulkan guarantees that they do not depend on its size.
fn memory_type_bits(device: &Device, usage: Usage) -> Result<u32> {
    const ANY_SIZE: u64 = 256;
    let info = vk::BufferCreateInfo::default().size(ANY_SIZE).usage(usage);
    // SAFETY: the device is alive, and the buffer is destroyed without being used.
    unsafe {
        let buffer =
            device.raw.create_buffer(&info, device.callbacks()).during("vkCreateBuffer")?;
        let requirements = device.raw.get_buffer_memory_requirements(buffer);
        device.raw.destroy_buffer(buffer, device.callbacks());
        Ok(requirements.memory_type_bits)
    }
}
