//! Checks that a device provides the functions that the engine calls between opening and destroying it. If such a
//! function is missing, the call through `ash` panics inside an `extern` function, which aborts the process.

use std::ffi::CStr;

use ash::vk;

use crate::device::requirements::{Features, Missing};

/// Functions that the engine and its allocator require on every device.
#[rustfmt::skip]
const ALWAYS: [&CStr; 48] = [
    c"vkAllocateCommandBuffers", c"vkAllocateDescriptorSets", c"vkAllocateMemory",
    c"vkBeginCommandBuffer", c"vkBindBufferMemory", c"vkCmdBindDescriptorSets",
    c"vkCmdBindPipeline", c"vkCmdCopyBuffer", c"vkCmdDispatch", c"vkCmdDispatchIndirect",
    c"vkCmdFillBuffer", c"vkCmdPushConstants", c"vkCmdResetQueryPool", c"vkCmdUpdateBuffer",
    c"vkCmdWriteTimestamp", c"vkCreateBuffer", c"vkCreateCommandPool", c"vkCreateComputePipelines",
    c"vkCreateDescriptorPool", c"vkCreateDescriptorSetLayout", c"vkCreateFence",
    c"vkCreatePipelineCache", c"vkCreatePipelineLayout", c"vkCreateQueryPool",
    c"vkCreateShaderModule", c"vkDestroyBuffer", c"vkDestroyCommandPool",
    c"vkDestroyDescriptorPool", c"vkDestroyDescriptorSetLayout", c"vkDestroyFence",
    c"vkDestroyPipeline", c"vkDestroyPipelineCache", c"vkDestroyPipelineLayout",
    c"vkDestroyQueryPool", c"vkDestroyShaderModule", c"vkEndCommandBuffer", c"vkFreeMemory",
    c"vkGetBufferMemoryRequirements", c"vkGetPipelineCacheData", c"vkGetQueryPoolResults",
    c"vkMapMemory", c"vkQueueSubmit", c"vkQueueWaitIdle", c"vkResetCommandPool", c"vkResetFences",
    c"vkUnmapMemory", c"vkUpdateDescriptorSets", c"vkWaitForFences",
];

pub(super) struct Functions<'d> {
    instance: &'d ash::Instance,
    device: vk::Device,
}

impl<'d> Functions<'d> {
    pub fn new(instance: &'d ash::Instance, device: vk::Device) -> Self {
        Self { instance, device }
    }

    fn has(&self, name: &CStr) -> bool {
        // SAFETY: a live device of the instance, whose functions were loaded.
        unsafe { self.instance.get_device_proc_addr(self.device, name.as_ptr()) }.is_some()
    }

    /// Whether the device provides `vkCmdPipelineBarrier2` under its core name, and whether it does so under the name
    /// from `VK_KHR_synchronization2`. Looks the names up, because the caller's description of an adopted device may
    /// be wrong.
    pub fn barrier2(&self) -> [bool; 2] {
        [c"vkCmdPipelineBarrier2", c"vkCmdPipelineBarrier2KHR"].map(|name| self.has(name))
    }

    /// Functions that the engine calls if these features are enabled, but that the device does not provide.
    pub fn missing(&self, features: &Features, debug_utils: bool) -> Vec<Missing> {
        let conditional: [(bool, &[&CStr]); 4] = [
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
        let called = conditional.iter().filter(|(on, _)| *on).flat_map(|(_, names)| *names);
        let called = ALWAYS.iter().chain(called);
        let absent = called.filter(|name| !self.has(name));
        let mut missing: Vec<_> = absent.map(|&name| Missing::Function { name }).collect();
        if features.synchronization2 && self.barrier2() == [false; 2] {
            missing.push(Missing::Function { name: c"vkCmdPipelineBarrier2" });
        }
        if !features.synchronization2 && !self.has(c"vkCmdPipelineBarrier") {
            missing.push(Missing::Function { name: c"vkCmdPipelineBarrier" });
        }
        missing
    }
}
