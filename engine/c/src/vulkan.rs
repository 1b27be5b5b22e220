//! Vulkan's types by the names that they have in C, so that the header says what a C programmer
//! expects (they come from `vulkan/vulkan_core.h` there, and are not generated); and its functions,
//! which are looked for before anything calls them.

use std::ffi::CStr;

use multisplit::ash::vk::{self, Handle as _};
use multisplit::ash::{Device, Entry, Instance, StaticFn};

use crate::result::{Failure, MultisplitResult, Outcome};

pub use vk::{
    Buffer as VkBuffer, CommandBuffer as VkCommandBuffer, Device as VkDevice,
    DeviceMemory as VkDeviceMemory, Instance as VkInstance,
    MemoryRequirements as VkMemoryRequirements, PhysicalDevice as VkPhysicalDevice,
    PipelineCache as VkPipelineCache, QueryPool as VkQueryPool, Queue as VkQueue,
};

/// A function that C may leave out.
#[expect(non_camel_case_types, reason = "the name that C has for it")]
pub type PFN_vkGetInstanceProcAddr = Option<vk::PFN_vkGetInstanceProcAddr>;
/// How host memory is allocated.
pub type VkAllocationCallbacks = vk::AllocationCallbacks<'static>;
/// How a device is created.
pub type VkDeviceCreateInfo = vk::DeviceCreateInfo<'static>;
/// `VkMemoryAllocateFlagBits`.
pub type VkMemoryAllocateFlags = u32;
/// What a Vulkan call returns.
pub type VkResult = i32;
/// Not zero means yes.
pub type VkBool32 = u32;
/// Bytes.
pub type VkDeviceSize = u64;
/// An address on the device.
pub type VkDeviceAddress = u64;
/// `VkBufferUsageFlagBits`.
pub type VkBufferUsageFlags = u32;

/// What is called of an instance. `ash` calls what it has not found too, and that ends the process.
const OF_INSTANCE: [&CStr; 7] = [
    c"vkEnumerateDeviceExtensionProperties",
    c"vkGetDeviceProcAddr",
    c"vkGetPhysicalDeviceFeatures2",
    c"vkGetPhysicalDeviceMemoryProperties",
    c"vkGetPhysicalDeviceProperties",
    c"vkGetPhysicalDeviceProperties2",
    c"vkGetPhysicalDeviceQueueFamilyProperties",
];

/// Loads the functions of an instance.
///
/// # Safety
/// Where they are not null, the function is a Vulkan loader's or driver's, and the instance is alive.
pub(crate) unsafe fn instance(
    function: PFN_vkGetInstanceProcAddr,
    instance: VkInstance,
) -> Outcome<(Entry, Instance)> {
    let get = function.ok_or_else(|| Failure::null("get_instance_proc_addr"))?;
    if instance.is_null() {
        return Err(Failure::null("instance"));
    }
    for name in OF_INSTANCE {
        // SAFETY: by the caller's contract.
        if unsafe { get(instance, name.as_ptr()) }.is_none() {
            return Err(absent("get_instance_proc_addr", name));
        }
    }
    let functions = StaticFn { get_instance_proc_addr: get };
    // SAFETY: by the caller's contract.
    Ok(unsafe { (Entry::from_static_fn(functions.clone()), Instance::load(&functions, instance)) })
}

/// Loads the functions of a device. Whether it has them is looked at when it is adopted.
///
/// # Safety
/// Where it is not null, the device is alive and of this instance.
pub(crate) unsafe fn device(instance: &Instance, device: VkDevice) -> Outcome<Device> {
    if device.is_null() {
        return Err(Failure::null("device"));
    }
    // SAFETY: by the caller's contract.
    Ok(unsafe { Device::load(instance.fp_v1_0(), device) })
}

fn absent(of: &str, name: &CStr) -> Failure {
    let text = format!("{of} does not know {}", name.to_string_lossy());
    Failure::new(MultisplitResult::MultisplitErrorUnsupported, text)
}
