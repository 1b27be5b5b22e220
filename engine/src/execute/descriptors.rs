//! Descriptors for the buffers of a plan: preallocated sets for devices without push descriptors, and the descriptor
//! writes.

use std::sync::Arc;

use ash::vk;
use multisplit_graph::{Plan, PlannedBinding};

use crate::device::Device;
use crate::error::{Result, VkResultExt};
use crate::execute::kernel_check::MAX_BINDINGS;
use crate::execute::layout::descriptor_type;
use crate::execute::{Locations, Pipeline};

/// Descriptor sets for the steps of a plan. Once they are written, any number of recordings with the same buffers can
/// use them.
pub(crate) struct Sets {
    device: Arc<Device>,
    pool: vk::DescriptorPool,
    /// One set per step; null for transfers.
    pub sets: Vec<vk::DescriptorSet>,
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
            // Vulkan does not allow pool sizes of zero.
            vk::DescriptorPoolSize::default().ty(kind).descriptor_count(count.max(1) as u32)
        };
        let sizes =
            [size(vk::DescriptorType::STORAGE_BUFFER), size(vk::DescriptorType::UNIFORM_BUFFER)];
        let info = vk::DescriptorPoolCreateInfo::default()
            .max_sets(plan.steps().len().max(1) as u32)
            .pool_sizes(&sizes);
        // SAFETY: the device is alive.
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
    /// Every recording that uses the sets has completed, because writing them invalidates recordings that
    /// have not run yet.
    pub unsafe fn write(&self, plan: &Plan, locations: &Locations<'_>) {
        for (set, step) in self.sets.iter().zip(plan.steps()) {
            with_writes(*set, &step.pass.bindings, locations, |writes| {
                // SAFETY: the caller guarantees that every recording that uses the sets has completed.
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

/// Calls `body` with the descriptor writes of one pass. The writes are on the stack, so they must not be kept.
pub(super) fn with_writes(
    set: vk::DescriptorSet,
    bindings: &[PlannedBinding],
    locations: &Locations<'_>,
    body: impl FnOnce(&[vk::WriteDescriptorSet<'_>]),
) {
    let mut infos = [vk::DescriptorBufferInfo::default(); MAX_BINDINGS];
    for (info, binding) in infos.iter_mut().zip(bindings) {
        let (buffer, offset) = locations.at(binding.buffer, binding.offset);
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
