//! Which sizes and methods suit a device. Kernels know nothing of GPU models; this file does.

use ash::vk;

use crate::requirements::DeviceProperties;

/// How a scan is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScanMethod {
    /// The sum of each tile, a scan of the sums, a scan of each tile: three passes that need
    /// nothing of the device beyond barriers.
    ReduceThenScan,
    /// One pass with decoupled look-back: each element is read once and written once.
    LookBack,
}

/// Sizes and methods for one device. Every field may be set; results never depend on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Threads of a workgroup: a multiple of the subgroup size.
    pub threads: u32,
    /// The scan method; scans that fit one workgroup take a single pass in any case.
    pub scan: ScanMethod,
    /// Largest array, in tiles, that one workgroup scans on its own.
    pub spine_tiles: u32,
    /// How often look-back looks in vain before it adds up a missing tile itself.
    pub spin_limit: u32,
    /// `maxStorageBufferRange`: larger arrays are worked on in pieces.
    pub max_storage_range: u64,
}

impl Policy {
    /// What suits the device.
    pub fn for_device(properties: &DeviceProperties) -> Self {
        let most = properties.limits.max_compute_work_group_invocations;
        let software = properties.device_type == vk::PhysicalDeviceType::CPU;
        Self {
            // 256 is at or near the best for every kernel here on the GPU that was measured
            // (docs/performance.md), and within the guarantees of all but the smallest devices.
            threads: most.min(256) / properties.subgroup_size * properties.subgroup_size,
            // Look-back is right everywhere, because its waiting is bounded. It is fast only
            // where workgroups that have started keep running while others wait, which GPUs with
            // independent progress do and the software drivers, which run workgroups to the end
            // one after another on each thread, do not.
            scan: if software { ScanMethod::ReduceThenScan } else { ScanMethod::LookBack },
            // Loops of software drivers are cut short after 65,535 rounds; and past this size
            // the other workgroups of a GPU idle for longer than another pass costs.
            spine_tiles: 64,
            spin_limit: if software { 32 } else { 1024 },
            max_storage_range: u64::from(properties.limits.max_storage_buffer_range),
        }
    }
}
