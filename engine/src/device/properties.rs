//! Properties of a physical device.

use std::ffi::{CStr, CString};

use ash::vk;

use crate::error::{Result, VkResultExt};

/// Properties of a physical device, as reported by the driver.
#[derive(Clone, Debug, Default)]
pub struct DeviceProperties {
    /// Device name.
    pub name: String,
    /// Device type: discrete, integrated, software (`CPU`), and so on.
    pub device_type: vk::PhysicalDeviceType,
    /// Driver name and version as text.
    pub driver: String,
    /// Supported API version.
    pub api_version: u32,
    /// PCI vendor id.
    pub vendor_id: u32,
    /// Device id.
    pub device_id: u32,
    /// Uniquely identifies the device, even among devices of the same model.
    pub device_uuid: [u8; 16],
    /// Identifies the driver build.
    pub driver_uuid: [u8; 16],
    /// Driver version, in a vendor-specific encoding.
    pub driver_version: u32,
    /// Identifies the driver build for pipeline caches.
    pub pipeline_cache_uuid: [u8; 16],
    /// The subgroup size if a pipeline does not request one.
    pub subgroup_size: u32,
    /// Smallest and largest subgroup size that a pipeline can request (subgroup size control). Both equal
    /// `subgroup_size` if the device does not support requests.
    pub subgroup_size_range: (u32, u32),
    /// Shader stages for which a pipeline can request a subgroup size.
    pub required_size_stages: vk::ShaderStageFlags,
    /// Maximum number of subgroups per workgroup if a pipeline requests a subgroup size.
    pub max_workgroup_subgroups: u32,
    /// Supported subgroup operations.
    pub subgroup_operations: vk::SubgroupFeatureFlags,
    /// Stages that support subgroup operations.
    pub subgroup_stages: vk::ShaderStageFlags,
    /// Number of cores that run workgroups, such as NVIDIA's streaming multiprocessors. 0 if the driver does not
    /// report it.
    pub shader_cores: u32,
    /// Shared memory per workgroup in bytes.
    pub shared_memory: u32,
    /// Size of the largest device-local heap in bytes.
    pub device_memory: u64,
    /// Maximum size of an allocation that the driver guarantees, in bytes. Larger allocations may succeed.
    pub max_allocation: u64,
    /// Maximum buffer size in bytes.
    pub max_buffer_size: u64,
    /// A queue family that supports compute. Families that also support graphics are preferred, because renderers use
    /// them.
    pub compute_family: Option<u32>,
    /// Number of valid timestamp bits on that family; 0 if it does not support timestamps.
    pub timestamp_bits: u32,
    /// All limits that Vulkan reports.
    pub limits: vk::PhysicalDeviceLimits,
}

impl DeviceProperties {
    /// Reads the properties of `physical`.
    ///
    /// # Safety
    /// `physical` is a physical device of `instance`, which is alive.
    pub unsafe fn query(instance: &ash::Instance, physical: vk::PhysicalDevice) -> Self {
        // SAFETY: the physical device belongs to this instance.
        let base = unsafe { instance.get_physical_device_properties(physical) };
        let mut subgroup = vk::PhysicalDeviceSubgroupProperties::default();
        let mut ids = vk::PhysicalDeviceIDProperties::default();
        let mut driver = vk::PhysicalDeviceDriverProperties::default();
        let mut maintenance3 = vk::PhysicalDeviceMaintenance3Properties::default();
        let mut maintenance4 = vk::PhysicalDeviceMaintenance4Properties::default();
        let mut size_control = vk::PhysicalDeviceSubgroupSizeControlProperties::default();
        let mut cores = vk::PhysicalDeviceShaderSMBuiltinsPropertiesNV::default();
        let core13 = base.api_version >= vk::API_VERSION_1_3;
        let size_control_name = ash::ext::subgroup_size_control::NAME;
        let extensions = extension_names(instance, physical).unwrap_or_default();
        let mut all = vk::PhysicalDeviceProperties2::default()
            .push_next(&mut subgroup)
            .push_next(&mut ids)
            .push_next(&mut maintenance3);
        if base.api_version >= vk::API_VERSION_1_2 {
            all = all.push_next(&mut driver);
        }
        if core13 {
            all = all.push_next(&mut maintenance4);
        }
        if core13 || extensions.iter().any(|e| e.as_c_str() == size_control_name) {
            all = all.push_next(&mut size_control);
        }
        if extensions.iter().any(|e| e.as_c_str() == ash::nv::shader_sm_builtins::NAME) {
            all = all.push_next(&mut cores);
        }
        // SAFETY: structures are chained only if the reported version or an extension includes them.
        unsafe { instance.get_physical_device_properties2(physical, &mut all) };
        // SAFETY: the physical device belongs to this instance.
        let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
        let compute_family = best_compute_family(&families);
        // SAFETY: the physical device belongs to this instance.
        let memory = unsafe { instance.get_physical_device_memory_properties(physical) };
        let is_local =
            |heap: &&vk::MemoryHeap| heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL);
        let local_heaps = memory.memory_heaps_as_slice().iter().filter(is_local);
        let text = |name: std::result::Result<&CStr, _>| {
            name.map(|n: &CStr| n.to_string_lossy().into_owned()).unwrap_or_default()
        };
        let subgroup_size_range = match size_control.max_subgroup_size {
            0 => (subgroup.subgroup_size, subgroup.subgroup_size),
            max => (size_control.min_subgroup_size, max),
        };
        let max_allocation = maintenance3.max_memory_allocation_size;
        let max_buffer_size = match maintenance4.max_buffer_size {
            // Devices before Vulkan 1.3 do not report this limit.
            0 => max_allocation,
            // Allocations larger than `max_allocation` may still succeed: NVIDIA's driver (580.159) reports a limit
            // below 4 GiB, but allocated 100 GiB buffers on an H200. Failures are returned as typed errors.
            max => max,
        };
        let driver_text =
            [driver.driver_name_as_c_str(), driver.driver_info_as_c_str()].map(text).join(" ");
        Self {
            name: text(base.device_name_as_c_str()),
            device_type: base.device_type,
            driver: driver_text.trim().to_owned(),
            api_version: base.api_version,
            vendor_id: base.vendor_id,
            device_id: base.device_id,
            device_uuid: ids.device_uuid,
            driver_uuid: ids.driver_uuid,
            driver_version: base.driver_version,
            pipeline_cache_uuid: base.pipeline_cache_uuid,
            subgroup_size: subgroup.subgroup_size,
            subgroup_size_range,
            required_size_stages: size_control.required_subgroup_size_stages,
            max_workgroup_subgroups: size_control.max_compute_workgroup_subgroups,
            subgroup_operations: subgroup.supported_operations,
            subgroup_stages: subgroup.supported_stages,
            shader_cores: cores.shader_sm_count,
            shared_memory: base.limits.max_compute_shared_memory_size,
            device_memory: local_heaps.map(|heap| heap.size).max().unwrap_or(0),
            max_allocation,
            max_buffer_size,
            timestamp_bits: compute_family
                .and_then(|f| families.get(f as usize))
                .map_or(0, |f| f.timestamp_valid_bits),
            compute_family,
            limits: base.limits,
        }
    }

    /// Replaces the queue family by one that the caller chose.
    pub(crate) fn with_family(
        mut self,
        instance: &ash::Instance,
        physical: vk::PhysicalDevice,
        family: u32,
    ) -> Self {
        // SAFETY: the physical device belongs to this instance.
        let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
        self.compute_family = Some(family);
        self.timestamp_bits = families.get(family as usize).map_or(0, |f| f.timestamp_valid_bits);
        self
    }

    /// Number of loop iterations, summed over all loops of one invocation, after which the driver ends every loop.
    /// llvmpipe has this limit; all software drivers are assumed to have it. `None` if there is no limit.
    pub fn loop_limit(&self) -> Option<u32> {
        (self.device_type == vk::PhysicalDeviceType::CPU).then_some(65_535)
    }

    /// The limits that graph compilation respects.
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
            max_buffer_size: self.max_buffer_size,
            max_shared_bytes: self.shared_memory,
            subgroup_size: self.subgroup_size,
        }
    }

    /// The device type as text: `discrete GPU`, `integrated GPU`, `software`, ...
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

/// Names of the device extensions that are available.
pub(crate) fn extension_names(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
) -> Result<Vec<CString>> {
    // SAFETY: the physical device belongs to this instance.
    let list = unsafe { instance.enumerate_device_extension_properties(physical) };
    let list = list.during("vkEnumerateDeviceExtensionProperties")?;
    Ok(list.iter().filter_map(|e| e.extension_name_as_c_str().ok()).map(CStr::to_owned).collect())
}
