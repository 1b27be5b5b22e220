//! Properties and features of a device, as JSON and as names.

use multisplit::requirements::Features;
use multisplit::{DeviceProperties, ash::vk};
use serde_json::{Value, json};

/// Properties and limits of a device.
pub fn details(properties: &DeviceProperties) -> Value {
    let limits = &properties.limits;
    json!({
        "name": properties.name,
        "type": properties.kind(),
        "driver": properties.driver,
        "driver_version": properties.driver_version,
        "api_version": version(properties.api_version),
        "vendor_id": properties.vendor_id,
        "device_id": properties.device_id,
        "subgroup_size": properties.subgroup_size,
        "subgroup_size_min": properties.subgroup_size_range.0,
        "subgroup_size_max": properties.subgroup_size_range.1,
        "shared_memory": properties.shared_memory,
        "device_memory": properties.device_memory,
        "max_allocation": properties.max_allocation,
        "limits": {
            "max_storage_buffer_range": limits.max_storage_buffer_range,
            "min_storage_buffer_offset_alignment": limits.min_storage_buffer_offset_alignment,
            "max_workgroup_invocations": limits.max_compute_work_group_invocations,
            "max_workgroup_count": limits.max_compute_work_group_count,
            "max_push_constants_size": limits.max_push_constants_size,
            "timestamp_bits": properties.timestamp_bits,
            "timestamp_period": limits.timestamp_period,
        },
    })
}

/// Names of enabled features, as in Vulkan. Not all features are listed.
pub fn enabled_names(features: &Features) -> Vec<&'static str> {
    let all = [
        (features.synchronization2, "synchronization2"),
        (features.subgroup_size_control, "subgroupSizeControl"),
        (features.compute_full_subgroups, "computeFullSubgroups"),
        (features.push_descriptor, "VK_KHR_push_descriptor"),
        (features.shader_int64, "shaderInt64"),
        (features.shader_float64, "shaderFloat64"),
        (features.buffer_device_address, "bufferDeviceAddress"),
        (features.portability_subset, "VK_KHR_portability_subset"),
    ];
    all.into_iter().filter(|(on, _)| *on).map(|(_, name)| name).collect()
}

/// Formats a Vulkan version, such as `1.3.239`.
pub fn version(version: u32) -> String {
    let (major, minor) = (vk::api_version_major(version), vk::api_version_minor(version));
    format!("{major}.{minor}.{}", vk::api_version_patch(version))
}
