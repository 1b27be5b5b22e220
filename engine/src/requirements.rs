//! What the engine needs of a Vulkan device, in a form that an embedder can merge into its own
//! device creation, and what a given device has.

use std::ffi::CStr;

use ash::vk;

use crate::error::{Error, Result};

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
    /// `VK_KHR_portability_subset` exists, and so must be enabled (MoltenVK).
    pub portability_subset: bool,
}

/// What to enable on one physical device: merge it into your own device creation.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let (instance, physical): (ash::Instance, ash::vk::PhysicalDevice) = unimplemented!();
/// let wanted = multisplit::Requirements::of(&instance, physical)?;
/// let mut chain = wanted.feature_chain();
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
    pub fn of(instance: &ash::Instance, physical: vk::PhysicalDevice) -> Result<Self> {
        let properties = DeviceProperties::query(instance, physical);
        let available = extension_names(instance, physical)?;
        let has = |name: &CStr| available.iter().any(|e| e == &name.to_string_lossy());
        let core13 = properties.api_version >= vk::API_VERSION_1_3;
        let features = query_features(instance, physical, core13, &has);
        let missing = missing(&properties, &features);
        if !missing.is_empty() {
            return Err(Error::MissingRequirements { device: properties.name, missing });
        }
        let mut extensions = Vec::new();
        if !core13 {
            extensions.push(ash::khr::synchronization2::NAME);
            if features.subgroup_size_control {
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
        let features = vk::PhysicalDeviceFeatures::default().shader_int64(wanted.shader_int64);
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
    pub fn push_onto<'a>(&'a mut self, info: vk::DeviceCreateInfo<'a>) -> vk::DeviceCreateInfo<'a> {
        let mut info = info.push_next(&mut self.base).push_next(&mut self.synchronization2);
        if self.wanted.subgroup_size_control {
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
    Features {
        synchronization2: synchronization2.synchronization2 == vk::TRUE,
        subgroup_size_control: size_control.subgroup_size_control == vk::TRUE,
        compute_full_subgroups: size_control.compute_full_subgroups == vk::TRUE,
        push_descriptor: has(ash::khr::push_descriptor::NAME),
        pipeline_executable_info: executables.pipeline_executable_info == vk::TRUE,
        shader_int64,
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

fn extension_names(instance: &ash::Instance, physical: vk::PhysicalDevice) -> Result<Vec<String>> {
    // SAFETY: a physical device of this instance.
    let list = unsafe { instance.enumerate_device_extension_properties(physical) };
    let list = list
        .map_err(|result| Error::Vulkan { call: "vkEnumerateDeviceExtensionProperties", result })?;
    let name = |e: &vk::ExtensionProperties| {
        e.extension_name_as_c_str().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
    };
    Ok(list.iter().map(name).collect())
}

/// What a physical device says of itself, as far as it matters here.
#[derive(Clone, Debug)]
pub struct DeviceProperties {
    /// Device name.
    pub name: String,
    /// Discrete, integrated, software (`CPU`), ...
    pub device_type: vk::PhysicalDeviceType,
    /// Driver name and version, in words.
    pub driver: String,
    /// Supported API version.
    pub api_version: u32,
    /// PCI vendor id.
    pub vendor_id: u32,
    /// Device id.
    pub device_id: u32,
    /// Identifies the driver build for pipeline caches.
    pub pipeline_cache_uuid: [u8; 16],
    /// The subgroup size without size control.
    pub subgroup_size: u32,
    /// Sizes that size control offers (equal to `subgroup_size` without it).
    pub subgroup_size_range: (u32, u32),
    /// Stages in which a subgroup size can be required.
    pub required_size_stages: vk::ShaderStageFlags,
    /// Most subgroups of a workgroup whose subgroup size is required.
    pub max_workgroup_subgroups: u32,
    /// Supported subgroup operations.
    pub subgroup_operations: vk::SubgroupFeatureFlags,
    /// Stages that support them.
    pub subgroup_stages: vk::ShaderStageFlags,
    /// Shared memory of one workgroup in bytes.
    pub shared_memory: u32,
    /// The largest device-local heap in bytes.
    pub device_memory: u64,
    /// The largest single allocation in bytes.
    pub max_allocation: u64,
    /// A queue family with compute, preferring one with graphics as well (the universal queue,
    /// which an engine's frame uses).
    pub compute_family: Option<u32>,
    /// Valid bits of a timestamp on that family; 0 means no timestamps.
    pub timestamp_bits: u32,
    /// All the limits.
    pub limits: vk::PhysicalDeviceLimits,
}

impl DeviceProperties {
    /// Reads the properties of `physical`.
    pub fn query(instance: &ash::Instance, physical: vk::PhysicalDevice) -> Self {
        // SAFETY: a physical device of this instance.
        let plain = unsafe { instance.get_physical_device_properties(physical) };
        let mut subgroup = vk::PhysicalDeviceSubgroupProperties::default();
        let mut driver = vk::PhysicalDeviceDriverProperties::default();
        let mut maintenance3 = vk::PhysicalDeviceMaintenance3Properties::default();
        let mut size_control = vk::PhysicalDeviceSubgroupSizeControlProperties::default();
        let mut all = vk::PhysicalDeviceProperties2::default()
            .push_next(&mut subgroup)
            .push_next(&mut maintenance3);
        if plain.api_version >= vk::API_VERSION_1_2 {
            all = all.push_next(&mut driver);
        }
        if plain.api_version >= vk::API_VERSION_1_3 {
            all = all.push_next(&mut size_control);
        }
        // SAFETY: structures are chained only where the reported version has them.
        unsafe { instance.get_physical_device_properties2(physical, &mut all) };
        // SAFETY: a physical device of this instance.
        let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
        let compute_family = best_compute_family(&families);
        // SAFETY: a physical device of this instance.
        let memory = unsafe { instance.get_physical_device_memory_properties(physical) };
        let text = |name: std::result::Result<&CStr, _>| {
            name.map(|n: &CStr| n.to_string_lossy().into_owned()).unwrap_or_default()
        };
        let subgroup_size_range = if size_control.max_subgroup_size > 0 {
            (size_control.min_subgroup_size, size_control.max_subgroup_size)
        } else {
            (subgroup.subgroup_size, subgroup.subgroup_size)
        };
        let driver_text = format!(
            "{} {}",
            text(driver.driver_name_as_c_str()),
            text(driver.driver_info_as_c_str())
        );
        Self {
            name: text(plain.device_name_as_c_str()),
            device_type: plain.device_type,
            driver: driver_text.trim().to_owned(),
            api_version: plain.api_version,
            vendor_id: plain.vendor_id,
            device_id: plain.device_id,
            pipeline_cache_uuid: plain.pipeline_cache_uuid,
            subgroup_size: subgroup.subgroup_size,
            subgroup_size_range,
            required_size_stages: size_control.required_subgroup_size_stages,
            max_workgroup_subgroups: size_control.max_compute_workgroup_subgroups,
            subgroup_operations: subgroup.supported_operations,
            subgroup_stages: subgroup.supported_stages,
            shared_memory: plain.limits.max_compute_shared_memory_size,
            device_memory: memory
                .memory_heaps_as_slice()
                .iter()
                .filter(|h| h.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL))
                .map(|h| h.size)
                .max()
                .unwrap_or(0),
            max_allocation: maintenance3.max_memory_allocation_size,
            timestamp_bits: compute_family
                .and_then(|f| families.get(f as usize))
                .map_or(0, |f| f.timestamp_valid_bits),
            compute_family,
            limits: plain.limits,
        }
    }

    /// The limits that planning respects.
    pub fn graph_limits(&self) -> multisplit_graph::Limits {
        multisplit_graph::Limits {
            max_storage_range: u64::from(self.limits.max_storage_buffer_range),
            max_uniform_range: u64::from(self.limits.max_uniform_buffer_range),
            storage_alignment: self.limits.min_storage_buffer_offset_alignment,
            uniform_alignment: self.limits.min_uniform_buffer_offset_alignment,
            max_workgroup_count: self.limits.max_compute_work_group_count,
            max_workgroup_invocations: self.limits.max_compute_work_group_invocations,
            max_workgroup_size: self.limits.max_compute_work_group_size,
            max_push_bytes: self.limits.max_push_constants_size,
            max_buffer_size: self.max_allocation,
        }
    }

    /// Whether a pipeline with workgroups of `threads` can be made for exactly
    /// [`subgroup_size`](Self::subgroup_size).
    pub(crate) fn can_require_subgroup_size(&self, enabled: &Features, threads: u32) -> bool {
        let (least, most) = self.subgroup_size_range;
        enabled.subgroup_size_control
            // VUID-VkPipelineShaderStageCreateInfo-pNext-02756
            && threads <= self.subgroup_size.saturating_mul(self.max_workgroup_subgroups)
            && self.required_size_stages.contains(vk::ShaderStageFlags::COMPUTE)
            && (least..=most).contains(&self.subgroup_size)
    }

    /// `discrete GPU`, `integrated GPU`, `software`, ...
    pub fn kind(&self) -> &'static str {
        match self.device_type {
            vk::PhysicalDeviceType::DISCRETE_GPU => "discrete GPU",
            vk::PhysicalDeviceType::INTEGRATED_GPU => "integrated GPU",
            vk::PhysicalDeviceType::VIRTUAL_GPU => "virtual GPU",
            vk::PhysicalDeviceType::CPU => "software",
            _ => "other",
        }
    }
}

fn best_compute_family(families: &[vk::QueueFamilyProperties]) -> Option<u32> {
    let with = |flags: vk::QueueFlags| {
        families.iter().position(|f| f.queue_flags.contains(flags)).map(|i| i as u32)
    };
    with(vk::QueueFlags::COMPUTE | vk::QueueFlags::GRAPHICS)
        .or_else(|| with(vk::QueueFlags::COMPUTE))
}
