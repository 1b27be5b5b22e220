//! Requirements that an instance must meet.

use std::ffi::CStr;

use ash::vk;

use super::check::{API_VERSION, check_version};
use crate::error::{Result, VkResultExt};

/// Parameters for creating an instance. Only the version is required. The extensions and flags contain only those
/// that the loader supports.
#[derive(Clone, Debug)]
pub struct InstanceRequirements {
    /// Minimum `apiVersion`: 1.2. Version 1.3 needs fewer device extensions.
    pub api_version: u32,
    /// Extensions: `VK_KHR_portability_enumeration`, required to list MoltenVK devices, and `VK_EXT_debug_utils`, for
    /// object names in captures.
    pub extensions: Vec<&'static CStr>,
    /// Flags that the extensions need.
    pub flags: vk::InstanceCreateFlags,
}

impl InstanceRequirements {
    /// Queries the loader. Fails if it is too old.
    pub fn of(entry: &ash::Entry) -> Result<Self> {
        // SAFETY: the function has no preconditions.
        let version = unsafe { entry.try_enumerate_instance_version() };
        let version = version.during("vkEnumerateInstanceVersion")?;
        check_version("loader", version.unwrap_or(vk::API_VERSION_1_0))?;
        // SAFETY: the function has no preconditions.
        let list = unsafe { entry.enumerate_instance_extension_properties(None) };
        let list = list.during("vkEnumerateInstanceExtensionProperties")?;
        let has = |name: &CStr| list.iter().any(|e| e.extension_name_as_c_str() == Ok(name));
        let names = [ash::ext::debug_utils::NAME, ash::khr::portability_enumeration::NAME];
        let extensions: Vec<_> = names.into_iter().filter(|name| has(name)).collect();
        let flags = match extensions.contains(&ash::khr::portability_enumeration::NAME) {
            true => vk::InstanceCreateFlags::ENUMERATE_PORTABILITY_KHR,
            false => vk::InstanceCreateFlags::empty(),
        };
        Ok(Self { api_version: API_VERSION, extensions, flags })
    }
}
