//! What a device must have, asked before it is created; and what one that exists has of it.

use std::ffi::{CStr, c_char, c_void};
use std::sync::Mutex;

use multisplit::ash::{self, vk, vk::Handle as _};
use multisplit::{FeatureChain, Features, Requirements};

use crate::handle::Registry;
use crate::read::{self, Out, Sized32};
use crate::result::{Failure, MultisplitResult, Outcome, guard};
use crate::version;
use crate::vulkan::{PFN_vkGetInstanceProcAddr, VkInstance, VkPhysicalDevice};

/// Features and extensions that the library uses, one bit each. Only the first is required; the
/// rest is used where it is there.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultisplitFeature {
    /// `synchronization2`, of Vulkan 1.3 or `VK_KHR_synchronization2`: required.
    Synchronization2 = 1,
    /// `subgroupSizeControl`, of Vulkan 1.3 or `VK_EXT_subgroup_size_control`.
    SubgroupSizeControl = 2,
    /// `computeFullSubgroups`, of the same.
    ComputeFullSubgroups = 4,
    /// `VK_KHR_push_descriptor`.
    PushDescriptor = 8,
    /// `pipelineExecutableInfo`, of `VK_KHR_pipeline_executable_properties`.
    PipelineExecutableInfo = 16,
    /// `shaderInt64`: 64-bit keys and samples.
    ShaderInt64 = 32,
    /// `shaderFloat64`: histograms of 64-bit floats, and functions in GLSL that take them.
    ShaderFloat64 = 64,
    /// `VK_KHR_portability_subset`, which must be enabled where it exists.
    PortabilitySubset = 128,
}

/// What to enable on a device.
pub struct MultisplitRequirements;

/// Which physical device is asked about.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitRequirementsInfo {
    /// `sizeof(MultisplitRequirementsInfo)`.
    pub struct_size: u32,
    /// `MULTISPLIT_VERSION`.
    pub version: u32,
    /// The loader's.
    pub get_instance_proc_addr: PFN_vkGetInstanceProcAddr,
    /// The instance.
    pub instance: VkInstance,
    /// The physical device.
    pub physical_device: VkPhysicalDevice,
    /// The `apiVersion` that the instance was created with: 1.2 or later.
    pub api_version: u32,
    /// 0.
    pub reserved: u32,
}

// SAFETY: as the trait asks.
unsafe impl Sized32 for MultisplitRequirementsInfo {
    const NAME: &'static str = "MultisplitRequirementsInfo";
}

/// What to enable on a device. The pointers are valid until the requirements are destroyed.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitRequirementsList {
    /// Extensions to enable.
    pub extensions: *const *const c_char,
    /// How many they are.
    pub extension_count: u32,
    /// The features to enable, all of which the device has: bits of `MultisplitFeature`.
    pub features: u32,
    /// Structures with these features, the first a `VkPhysicalDeviceFeatures2`: for the `pNext` of a
    /// `VkDeviceCreateInfo` that has no feature structures of its own.
    pub feature_chain: *const c_void,
}
