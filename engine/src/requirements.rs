//! What the engine needs of a Vulkan device, in a form that an embedder can merge into its own
//! device creation, and what a given device has.

use std::ffi::CStr;

use ash::vk;

use crate::error::{Error, Result};
use crate::properties::{DeviceProperties, extension_names};

/// The lowest API version, of instance and device.
pub const API_VERSION: u32 = vk::API_VERSION_1_2;

/// Subgroup operations the kernels use, in the compute stage.
pub const SUBGROUP_OPERATIONS: vk::SubgroupFeatureFlags = vk::SubgroupFeatureFlags::from_raw(
    vk::SubgroupFeatureFlags::BASIC.as_raw()
        | vk::SubgroupFeatureFlags::VOTE.as_raw()
        | vk::SubgroupFeatureFlags::BALLOT.as_raw()
        | vk::SubgroupFeatureFlags::ARITHMETIC.as_raw()
        | vk::SubgroupFeatureFlags::SHUFFLE.as_raw(),
);

/// Device features and extensions, as they are enabled (or to be enabled) on a device. Only
/// `synchronization2` is required; the rest is used where it is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// `synchronization2` (Vulkan 1.3 or `VK_KHR_synchronization2`): required.
    pub synchronization2: bool,
    /// `subgroupSizeControl` (Vulkan 1.3 or `VK_EXT_subgroup_size_control`).
    pub subgroup_size_control: bool,
    /// `computeFullSubgroups`, of the same extension.
    pub compute_full_subgroups: bool,
    /// `VK_KHR_push_descriptor`: bindings at record time without descriptor sets.
    pub push_descriptor: bool,
    /// `pipelineExecutableInfo` of `VK_KHR_pipeline_executable_properties`: registers and spills
    /// in the profile.
    pub pipeline_executable_info: bool,
    /// `shaderInt64`: 64-bit keys.
    pub shader_int64: bool,
    /// `shaderFloat64`: bucket functions of the user's for keys of 64-bit floats, and histograms of
    /// them.
    pub shader_float64: bool,
    /// `VK_KHR_portability_subset` exists, and so must be enabled (MoltenVK).
    pub portability_subset: bool,
}

impl Features {
    /// Whether anything of subgroup size control is used.
    fn controls_subgroups(&self) -> bool {
        self.subgroup_size_control || self.compute_full_subgroups
    }
}

/// What to enable on one physical device: merge it into your own device creation.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let (instance, physical): (ash::Instance, ash::vk::PhysicalDevice) = unimplemented!();
/// let wanted = multisplit::Requirements::of(&instance, physical)?;
/// let mut chain = wanted.feature_chain(); // or set `wanted.features` in structures of your own
/// let extensions: Vec<_> = wanted.extensions.iter().map(|e| e.as_ptr()).collect();
/// let info = ash::vk::DeviceCreateInfo::default().enabled_extension_names(&extensions);
/// let info = chain.push_onto(info);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Requirements {
    /// Extensions to enable.
    pub extensions: Vec<&'static CStr>,
    /// Features to enable; all of them exist on the device.
    pub features: Features,
}

impl Requirements {
    /// Looks at a physical device: what to enable on it, or an error that names what it lacks.
    /// The instance is one of Vulkan 1.3 or later.
    pub fn of(instance: &ash::Instance, physical: vk::PhysicalDevice) -> Result<Self> {
        Self::for_version(instance, physical, vk::API_VERSION_1_3)
    }

    /// Like [`of`](Self::of), for an instance that was created with this `apiVersion`, 1.2 or
    /// later. Below 1.3, what that version made core comes from extensions, whatever the device
    /// could do.
    pub fn for_version(
        instance: &ash::Instance,
        physical: vk::PhysicalDevice,
        api_version: u32,
    ) -> Result<Self> {
        if api_version < API_VERSION {
            // Such an instance need not even have the calls that look at the device.
            let (device, missing) = ("instance".to_owned(), vec!["Vulkan 1.2".to_owned()]);
            return Err(Error::MissingRequirements { device, missing });
        }
        let properties = DeviceProperties::query(instance, physical);
        let available = extension_names(instance, physical)?;
        let has = |name: &CStr| available.iter().any(|e| e.as_c_str() == name);
        let core13 = properties.api_version.min(api_version) >= vk::API_VERSION_1_3;
        let features = query_features(instance, physical, core13, &has);
        let missing = missing(&properties, &features);
        if !missing.is_empty() {
            return Err(Error::MissingRequirements { device: properties.name, missing });
        }
        let mut extensions = Vec::new();
        if !core13 {
            extensions.push(ash::khr::synchronization2::NAME);
            if features.controls_subgroups() {
                extensions.push(ash::ext::subgroup_size_control::NAME);
            }
        }
        if features.push_descriptor {
            extensions.push(ash::khr::push_descriptor::NAME);
        }
        if features.pipeline_executable_info {
            extensions.push(ash::khr::pipeline_executable_properties::NAME);
        }
        if features.portability_subset {
            extensions.push(ash::khr::portability_subset::NAME);
        }
        Ok(Self { extensions, features })
    }

    /// Does without what `left_out` names, extensions included.
    pub fn leave_out(&mut self, left_out: &Features) {
        let features = &mut self.features;
        let mut drop_extension = |name: &CStr| self.extensions.retain(|e| *e != name);
        if left_out.subgroup_size_control {
            features.subgroup_size_control = false;
            features.compute_full_subgroups = false;
            drop_extension(ash::ext::subgroup_size_control::NAME);
        }
        if left_out.push_descriptor {
            features.push_descriptor = false;
            drop_extension(ash::khr::push_descriptor::NAME);
        }
        if left_out.pipeline_executable_info {
            features.pipeline_executable_info = false;
            drop_extension(ash::khr::pipeline_executable_properties::NAME);
        }
        features.compute_full_subgroups &= !left_out.compute_full_subgroups;
        features.shader_int64 &= !left_out.shader_int64;
        features.shader_float64 &= !left_out.shader_float64;
    }

    /// The feature structures, to be chained into `VkDeviceCreateInfo`.
    pub fn feature_chain(&self) -> FeatureChain {
        FeatureChain::new(&self.features)
    }
}

/// Owns the feature structures of a [`Requirements`].
pub struct FeatureChain {
    base: vk::PhysicalDeviceFeatures2<'static>,
    synchronization2: vk::PhysicalDeviceSynchronization2Features<'static>,
    size_control: vk::PhysicalDeviceSubgroupSizeControlFeatures<'static>,
    executables: vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR<'static>,
    wanted: Features,
}

impl FeatureChain {
    fn new(wanted: &Features) -> Self {
        let features = vk::PhysicalDeviceFeatures::default()
            .shader_int64(wanted.shader_int64)
            .shader_float64(wanted.shader_float64);
        Self {
            base: vk::PhysicalDeviceFeatures2::default().features(features),
            synchronization2: vk::PhysicalDeviceSynchronization2Features::default()
                .synchronization2(wanted.synchronization2),
            size_control: vk::PhysicalDeviceSubgroupSizeControlFeatures::default()
                .subgroup_size_control(wanted.subgroup_size_control)
                .compute_full_subgroups(wanted.compute_full_subgroups),
            executables: vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default()
                .pipeline_executable_info(wanted.pipeline_executable_info),
            wanted: *wanted,
        }
    }

    /// Chains the structures onto `info`. A structure whose extension is not enabled stays out.
    ///
    /// Not beside `VkPhysicalDeviceFeatures2` or `VkPhysicalDeviceVulkan13Features` of your own,
    /// which have the same members (VUID-VkDeviceCreateInfo-pNext-06532): set them there instead.
    pub fn push_onto<'a>(&'a mut self, info: vk::DeviceCreateInfo<'a>) -> vk::DeviceCreateInfo<'a> {
        let mut info = info.push_next(&mut self.base).push_next(&mut self.synchronization2);
        if self.wanted.controls_subgroups() {
            info = info.push_next(&mut self.size_control);
        }
        if self.wanted.pipeline_executable_info {
            info = info.push_next(&mut self.executables);
        }
        info
    }
}

fn query_features(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
    core13: bool,
    has: &dyn Fn(&CStr) -> bool,
) -> Features {
    let mut synchronization2 = vk::PhysicalDeviceSynchronization2Features::default();
    let mut size_control = vk::PhysicalDeviceSubgroupSizeControlFeatures::default();
    let mut executables = vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default();
    let has_size_control = core13 || has(ash::ext::subgroup_size_control::NAME);
    let has_executables = has(ash::khr::pipeline_executable_properties::NAME);
    let mut all = vk::PhysicalDeviceFeatures2::default();
    if core13 || has(ash::khr::synchronization2::NAME) {
        all = all.push_next(&mut synchronization2);
    }
    if has_size_control {
        all = all.push_next(&mut size_control);
    }
    if has_executables {
        all = all.push_next(&mut executables);
    }
    // SAFETY: every chained structure belongs to a version or extension the device reports.
    unsafe { instance.get_physical_device_features2(physical, &mut all) };
    let shader_int64 = all.features.shader_int64 == vk::TRUE;
    let shader_float64 = all.features.shader_float64 == vk::TRUE;
    Features {
        synchronization2: synchronization2.synchronization2 == vk::TRUE,
        subgroup_size_control: size_control.subgroup_size_control == vk::TRUE,
        compute_full_subgroups: size_control.compute_full_subgroups == vk::TRUE,
        push_descriptor: has(ash::khr::push_descriptor::NAME),
        pipeline_executable_info: executables.pipeline_executable_info == vk::TRUE,
        shader_int64,
        shader_float64,
        portability_subset: has(ash::khr::portability_subset::NAME),
    }
}

fn missing(properties: &DeviceProperties, features: &Features) -> Vec<String> {
    let mut missing = Vec::new();
    if properties.api_version < API_VERSION {
        missing.push("Vulkan 1.2".to_owned());
    }
    if !features.synchronization2 {
        missing.push("synchronization2".to_owned());
    }
    let operations = SUBGROUP_OPERATIONS & !properties.subgroup_operations;
    if !operations.is_empty() {
        missing.push(format!("subgroup operations {operations:?}"));
    }
    if !properties.subgroup_stages.contains(vk::ShaderStageFlags::COMPUTE) {
        missing.push("subgroup operations in compute shaders".to_owned());
    }
    if !(4..=128).contains(&properties.subgroup_size) {
        missing.push(format!("a subgroup size from 4 to 128 (it is {})", properties.subgroup_size));
    }
    if properties.compute_family.is_none() {
        missing.push("a compute queue".to_owned());
    }
    missing
}
