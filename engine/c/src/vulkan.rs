//! Vulkan types under their C names, which the header takes from `vulkan/vulkan_core.h`, and loading of Vulkan
//! functions.

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

/// The loader function; `None` if C passes `NULL`.
#[expect(non_camel_case_types, reason = "the name in C")]
pub type PFN_vkGetInstanceProcAddr = Option<vk::PFN_vkGetInstanceProcAddr>;
/// Host memory allocation callbacks.
pub type VkAllocationCallbacks = vk::AllocationCallbacks<'static>;
/// Device creation parameters.
pub type VkDeviceCreateInfo = vk::DeviceCreateInfo<'static>;
/// `VkMemoryAllocateFlagBits`.
pub type VkMemoryAllocateFlags = u32;
/// Result code of a Vulkan call.
pub type VkResult = i32;
/// Boolean; non-zero means true.
pub type VkBool32 = u32;
/// A size in bytes.
pub type VkDeviceSize = u64;
/// A device address.
pub type VkDeviceAddress = u64;
/// `VkBufferUsageFlagBits`.
pub type VkBufferUsageFlags = u32;

/// Instance functions that the library calls. Their presence is checked first, because `ash` aborts when a missing
/// function is called.
const OF_INSTANCE: [&CStr; 8] = [
    c"vkCreateDevice",
    c"vkEnumerateDeviceExtensionProperties",
    c"vkGetDeviceProcAddr",
    c"vkGetPhysicalDeviceFeatures2",
    c"vkGetPhysicalDeviceMemoryProperties",
    c"vkGetPhysicalDeviceProperties",
    c"vkGetPhysicalDeviceProperties2",
    c"vkGetPhysicalDeviceQueueFamilyProperties",
];

/// Loads the instance functions.
///
/// # Safety
/// If not null, the function belongs to a Vulkan loader or driver, and the instance is valid.
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

/// The caller's host memory allocation callbacks; `None` if `callbacks` is null. Rejects callbacks that Vulkan
/// requires and that are null, because drivers call them unchecked.
///
/// # Safety
/// If not null, the pointer is valid.
pub(crate) unsafe fn callbacks<'a>(
    callbacks: *const VkAllocationCallbacks,
) -> Outcome<Option<&'a VkAllocationCallbacks>> {
    // SAFETY: by the caller's contract.
    let Some(given) = (unsafe { callbacks.as_ref() }) else { return Ok(None) };
    for (name, is_missing) in [
        ("pfnAllocation", given.pfn_allocation.is_none()),
        ("pfnReallocation", given.pfn_reallocation.is_none()),
        ("pfnFree", given.pfn_free.is_none()),
    ] {
        if is_missing {
            return Err(Failure::null(&format!("allocation_callbacks.{name}")));
        }
    }
    if given.pfn_internal_allocation.is_some() != given.pfn_internal_free.is_some() {
        let text = "allocation_callbacks has one of pfnInternalAllocation and pfnInternalFree; set both or none";
        return Err(Failure::invalid(text));
    }
    Ok(Some(given))
}

/// Loads the device functions. Their presence is checked when the device is adopted.
///
/// # Safety
/// If not null, the device is valid and was created from this instance.
pub(crate) unsafe fn device(instance: &Instance, device: VkDevice) -> Outcome<Device> {
    if device.is_null() {
        return Err(Failure::null("device"));
    }
    // SAFETY: by the caller's contract.
    Ok(unsafe { Device::load(instance.fp_v1_0(), device) })
}

fn absent(of: &str, name: &CStr) -> Failure {
    let text = format!("{of} does not provide {}", name.to_string_lossy());
    Failure::new(MultisplitResult::MultisplitErrorUnsupported, text)
}
