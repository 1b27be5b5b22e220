//! Does a device have the functions that the engine calls? `ash` calls what it has not found too, and
//! that ends the process, so they are looked for before anything is made.

use std::ffi::CStr;

use ash::vk;

use crate::device::requirements::{Features, Missing};

/// What is called of any device, by the engine and by its allocator.
const ALWAYS: [&CStr; 48] = [
    c"vkAllocateCommandBuffers",
    c"vkAllocateDescriptorSets",
    c"vkAllocateMemory",
    c"vkBeginCommandBuffer",
    c"vkBindBufferMemory",
    c"vkCmdBindDescriptorSets",
    c"vkCmdBindPipeline",
    c"vkCmdCopyBuffer",
    c"vkCmdDispatch",
    c"vkCmdDispatchIndirect",
    c"vkCmdFillBuffer",
    c"vkCmdPushConstants",
    c"vkCmdResetQueryPool",
    c"vkCmdUpdateBuffer",
    c"vkCmdWriteTimestamp",
    c"vkCreateBuffer",
    c"vkCreateCommandPool",
    c"vkCreateComputePipelines",
    c"vkCreateDescriptorPool",
    c"vkCreateDescriptorSetLayout",
    c"vkCreateFence",
    c"vkCreatePipelineCache",
    c"vkCreatePipelineLayout",
    c"vkCreateQueryPool",
    c"vkCreateShaderModule",
    c"vkDestroyBuffer",
    c"vkDestroyCommandPool",
    c"vkDestroyDescriptorPool",
    c"vkDestroyDescriptorSetLayout",
    c"vkDestroyFence",
    c"vkDestroyPipeline",
    c"vkDestroyPipelineCache",
    c"vkDestroyPipelineLayout",
    c"vkDestroyQueryPool",
    c"vkDestroyShaderModule",
    c"vkEndCommandBuffer",
    c"vkFreeMemory",
    c"vkGetBufferMemoryRequirements",
    c"vkGetPipelineCacheData",
    c"vkGetQueryPoolResults",
    c"vkMapMemory",
    c"vkQueueSubmit",
    c"vkQueueWaitIdle",
    c"vkResetCommandPool",
    c"vkResetFences",
    c"vkUnmapMemory",
    c"vkUpdateDescriptorSets",
    c"vkWaitForFences",
];

/// The functions of a device, as its driver knows them.
pub(super) struct Functions<'d> {
    instance: &'d ash::Instance,
    device: vk::Device,
}

/// Under which name a device has `vkCmdPipelineBarrier2`. What instance and device were created with
/// decides it, and what a caller says of that may be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Barrier {
    /// That of Vulkan 1.3.
    Core,
    /// That of `VK_KHR_synchronization2`.
    Extension,
}

impl<'d> Functions<'d> {
    pub fn new(instance: &'d ash::Instance, device: vk::Device) -> Self {
        Self { instance, device }
    }

    fn has(&self, name: &CStr) -> bool {
        // SAFETY: a live device of the instance, whose functions were loaded.
        unsafe { self.instance.get_device_proc_addr(self.device, name.as_ptr()) }.is_some()
    }

    /// The name under which barriers are recorded: first that of `api_version`.
    pub fn barrier(&self, api_version: u32) -> Option<Barrier> {
        let names = [
            (Barrier::Core, c"vkCmdPipelineBarrier2"),
            (Barrier::Extension, c"vkCmdPipelineBarrier2KHR"),
        ];
        let mut found = names.into_iter().filter(|(_, name)| self.has(name));
        match api_version >= vk::API_VERSION_1_3 {
            true => found.next(),
            false => found.next_back(),
        }
        .map(|(barrier, _)| barrier)
    }

    /// Those that are called and are not there.
    pub fn missing(&self, features: &Features, debug_utils: bool) -> Vec<Missing> {
        let sometimes: [(bool, &[&CStr]); 4] = [
            (features.push_descriptor, &[c"vkCmdPushDescriptorSetKHR"]),
            (features.buffer_device_address, &[c"vkGetBufferDeviceAddress"]),
            (
                features.pipeline_executable_info,
                &[c"vkGetPipelineExecutablePropertiesKHR", c"vkGetPipelineExecutableStatisticsKHR"],
            ),
            (
                debug_utils,
                &[
                    c"vkCmdBeginDebugUtilsLabelEXT",
                    c"vkCmdEndDebugUtilsLabelEXT",
                    c"vkSetDebugUtilsObjectNameEXT",
                ],
            ),
        ];
        let called = sometimes.iter().filter(|(on, _)| *on).flat_map(|(_, names)| *names);
        let called = ALWAYS.iter().chain(called);
        let absent = called.filter(|name| !self.has(name));
        let mut missing: Vec<_> = absent.map(|&name| Missing::Function { name }).collect();
        if features.synchronization2 && self.barrier(vk::API_VERSION_1_3).is_none() {
            missing.push(Missing::Function { name: c"vkCmdPipelineBarrier2" });
        }
        if !features.synchronization2 && !self.has(c"vkCmdPipelineBarrier") {
            missing.push(Missing::Function { name: c"vkCmdPipelineBarrier" });
        }
        missing
    }
}
