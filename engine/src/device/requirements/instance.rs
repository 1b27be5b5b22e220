//! What the engine asks of the instance that a device belongs to.

use std::ffi::CStr;

use ash::vk;

use super::check::loader_version;
use crate::error::{Result, VkResultExt};

/// What to create an instance with. Only the version is required; an extension or a flag is named
/// here where the loader has it and something would be lost without.
#[derive(Clone, Debug)]
pub struct InstanceRequirements {
    /// The least `apiVersion`: 1.2. With 1.3, fewer device extensions are needed.
    pub api_version: u32,
    /// Extensions: `VK_KHR_portability_enumeration`, without which MoltenVK's devices are not
    /// listed, and `VK_EXT_debug_utils`, without which nothing has a name in captures.
    pub extensions: Vec<&'static CStr>,
    /// Flags that go with them.
    pub flags: vk::InstanceCreateFlags,
}

impl InstanceRequirements {
    /// Looks at the loader: what to create an instance with, or an error where it is too old.
    pub fn of(entry: &ash::Entry) -> Result<Self> {
        // SAFETY: no preconditions.
        let version = unsafe { entry.try_enumerate_instance_version() };
        let version = version.during("vkEnumerateInstanceVersion")?;
        loader_version(version.unwrap_or(vk::API_VERSION_1_0))?;
        // SAFETY: no preconditions.
        let list = unsafe { entry.enumerate_instance_extension_properties(None) };
        let list = list.during("vkEnumerateInstanceExtensionProperties")?;
        let has = |name: &CStr| list.iter().any(|e| e.extension_name_as_c_str() == Ok(name));
        let names = [ash::ext::debug_utils::NAME, ash::khr::portability_enumeration::NAME];
        let extensions: Vec<_> = names.into_iter().filter(|name| has(name)).collect();
        let flags = if extensions.contains(&ash::khr::portability_enumeration::NAME) {
            vk::InstanceCreateFlags::ENUMERATE_PORTABILITY_KHR
        } else {
            vk::InstanceCreateFlags::empty()
        };
        Ok(Self { api_version: super::API_VERSION, extensions, flags })
    }
}
