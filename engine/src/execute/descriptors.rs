//! Binding of a plan's buffers to its kernels: by push descriptors, by preallocated descriptor sets on devices without
//! them, or by addresses in the push constants.

use std::sync::Arc;

use ash::vk;
use multisplit_graph::{Plan, PlannedBinding};
use multisplit_shaders::address::address_offset;

use crate::device::shared::Device;
use crate::error::{Result, VkResultExt};
use crate::execute::import::Places;
use crate::execute::kernel_check::MAX_BINDINGS;
use crate::execute::layout::descriptor_type;
use crate::execute::pipeline::Pipeline;

/// Descriptor sets for the steps of a plan. Once written, they can be used by any number of recordings over the same
/// buffers.
pub(crate) struct Sets {
    device: Arc<Device>,
    pool: vk::DescriptorPool,
    /// One set per step; null for transfers.
    sets: Vec<vk::DescriptorSet>,
}

impl Sets {
    /// Allocates sets for the steps of `plan`, which use these pipelines.
    pub fn new<'s>(
        device: &Arc<Device>,
        plan: &Plan,
        pipelines: impl Iterator<Item = Option<&'s Pipeline>>,
    ) -> Result<Self> {
        let size = |kind: vk::DescriptorType| {
            let bindings = plan.steps().iter().flat_map(|s| &s.pass.bindings);
            let count = bindings.filter(|b| descriptor_type(b.kind) == kind).count();
            // Pool sizes must not be zero.
            vk::DescriptorPoolSize::default().ty(kind).descriptor_count(count.max(1) as u32)
        };
        let sizes =
            [size(vk::DescriptorType::STORAGE_BUFFER), size(vk::DescriptorType::UNIFORM_BUFFER)];
        let info = vk::DescriptorPoolCreateInfo::default()
            .max_sets(plan.steps().len().max(1) as u32)
            .pool_sizes(&sizes);
        // SAFETY: a live device.
        let pool = unsafe { device.raw.create_descriptor_pool(&info, device.callbacks()) };
        let pool = pool.during("vkCreateDescriptorPool")?;
        device.name_object(pool, plan.name());
        // From here on, dropping `this` destroys the pool.
        let mut this = Self { device: device.clone(), pool, sets: Vec::new() };
        for pipeline in pipelines {
            let set = pipeline.map(|p| this.allocate(p)).transpose()?;
            this.sets.push(set.unwrap_or_default());
        }
        Ok(this)
    }

    fn allocate(&self, pipeline: &Pipeline) -> Result<vk::DescriptorSet> {
        let layouts = [pipeline.set_layout];
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(self.pool)
            .set_layouts(&layouts);
        // SAFETY: the pool was sized for all sets.
        let sets = unsafe { self.device.raw.allocate_descriptor_sets(&info) };
        Ok(sets.during("vkAllocateDescriptorSets")?.first().copied().unwrap_or_default())
    }

    /// Writes the locations of the plan's buffers into the sets.
    ///
    /// # Safety
    /// Every recording that uses the sets has completed: writing them invalidates recordings that have yet to run.
    pub unsafe fn write(&self, plan: &Plan, places: &Places<'_>) {
        for (set, step) in self.sets.iter().zip(plan.steps()) {
            with_writes(*set, &step.pass.bindings, places, |writes| {
                // SAFETY: by the caller's contract.
                unsafe { self.device.raw.update_descriptor_sets(writes, &[]) };
            });
        }
    }
}

impl Drop for Sets {
    fn drop(&mut self) {
        // SAFETY: the owner keeps the sets until recordings that use them have completed.
        unsafe { self.device.raw.destroy_descriptor_pool(self.pool, self.device.callbacks()) };
    }
}

/// Binds the buffers of step `step` with its descriptor set, or with push descriptors if there are no sets.
///
/// # Safety
/// `commands` is recording. The sets were written for these places and outlive its execution.
pub(crate) unsafe fn bind(
    device: &Device,
    commands: vk::CommandBuffer,
    sets: Option<&Sets>,
    (step, pipeline): (usize, &Pipeline),
    bindings: &[PlannedBinding],
    places: &Places<'_>,
) {
    // A push of zero writes is not allowed (VUID-vkCmdPushDescriptorSetKHR-descriptorWriteCount-arraylength).
    if bindings.is_empty() {
        return;
    }
    let (point, layout) = (vk::PipelineBindPoint::COMPUTE, pipeline.layout);
    match (sets, &device.push_descriptor) {
        // SAFETY: recording; the set was allocated with this pipeline's layout.
        (Some(sets), _) => unsafe {
            let set = &sets.sets[step..=step];
            device.raw.cmd_bind_descriptor_sets(commands, point, layout, 0, set, &[]);
        },
        (None, Some(functions)) => {
            with_writes(vk::DescriptorSet::null(), bindings, places, |writes| {
                // SAFETY: recording; the layout was created for push descriptors.
                unsafe { functions.cmd_push_descriptor_set(commands, point, layout, 0, writes) };
            });
        }
        (None, None) => {}
    }
}

/// Pushes the addresses of a step's buffers, after its own push constants.
///
/// # Safety
/// `commands` is recording, and the pipeline was created for buffer addresses.
pub(crate) unsafe fn push_addresses(
    device: &Device,
    commands: vk::CommandBuffer,
    pipeline: &Pipeline,
    bindings: &[PlannedBinding],
    places: &Places<'_>,
) {
    let mut addresses = [0u64; MAX_BINDINGS];
    for (address, binding) in addresses.iter_mut().zip(bindings) {
        *address = places.address(binding.buffer, binding.offset);
    }
    let addresses = addresses.get(..bindings.len()).unwrap_or_default();
    if addresses.is_empty() {
        return;
    }
    let (stage, at) = (vk::ShaderStageFlags::COMPUTE, address_offset(pipeline.kernel.interface()));
    let bytes = bytemuck::cast_slice(addresses);
    // SAFETY: by the caller's contract.
    unsafe { device.raw.cmd_push_constants(commands, pipeline.layout, stage, at, bytes) };
}

/// Calls `body` with the descriptor writes of one pass, which are kept on the stack.
fn with_writes(
    set: vk::DescriptorSet,
    bindings: &[PlannedBinding],
    places: &Places<'_>,
    body: impl FnOnce(&[vk::WriteDescriptorSet<'_>]),
) {
    let mut infos = [vk::DescriptorBufferInfo::default(); MAX_BINDINGS];
    for (info, binding) in infos.iter_mut().zip(bindings) {
        let (buffer, offset) = places.at(binding.buffer, binding.offset);
        *info = vk::DescriptorBufferInfo { buffer, offset, range: binding.size };
    }
    let mut writes = [vk::WriteDescriptorSet::default(); MAX_BINDINGS];
    for ((write, info), binding) in writes.iter_mut().zip(infos.chunks(1)).zip(bindings) {
        *write = vk::WriteDescriptorSet::default()
            .dst_set(set)
            .dst_binding(binding.binding)
            .descriptor_type(descriptor_type(binding.kind))
            .buffer_info(info);
    }
    body(&writes[..bindings.len().min(MAX_BINDINGS)]);
}
