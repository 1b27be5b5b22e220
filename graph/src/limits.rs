//! Device limits that a plan must respect.

/// The device limits that a plan is compiled for.
///
/// [`Limits::default`] contains the limits that every Vulkan 1.3 device guarantees, so a plan
/// compiled with it is compatible with all of them ([`exceeded_on`](Self::exceeded_on)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// `maxStorageBufferRange`: maximum size of a storage binding, in bytes.
    pub max_storage_range: u64,
    /// `maxUniformBufferRange`: maximum size of a uniform binding, in bytes.
    pub max_uniform_range: u64,
    /// `minStorageBufferOffsetAlignment`: offset alignment of storage bindings, in bytes.
    pub storage_alignment: u64,
    /// `minUniformBufferOffsetAlignment`: offset alignment of uniform bindings, in bytes.
    pub uniform_alignment: u64,
    /// `maxComputeWorkGroupCount`.
    pub max_workgroup_count: [u32; 3],
    /// `maxComputeWorkGroupInvocations`.
    pub max_workgroup_invocations: u32,
    /// `maxComputeWorkGroupSize`.
    pub max_workgroup_size: [u32; 3],
    /// `maxPushConstantsSize`.
    pub max_push_bytes: u32,
    /// `maxBufferSize`: maximum size of a buffer, and therefore of the workspace, in bytes.
    pub max_buffer_size: u64,
    /// `maxComputeSharedMemorySize`.
    pub max_shared_bytes: u32,
    /// `subgroupSize`; 0 if unknown. Passes that do not depend on the subgroup size can be planned
    /// without it.
    pub subgroup_size: u32,
}

impl Limits {
    /// Minimum of [`heap_alignment`](Self::heap_alignment), even if the device allows less. It is
    /// the size of a `uvec4`, so that kernels can access these buffers as arrays of `uvec4`.
    pub const MIN_HEAP_ALIGNMENT: u64 = 16;

    /// Returns the name of the first limit that a plan compiled for `self` may violate on a device
    /// with the limits `device`. Returns `None` if the plan is compatible with the device: no
    /// maximum is higher than the device's, each alignment is a multiple of the device's, and the
    /// subgroup sizes are equal unless one of them is unknown.
    pub fn exceeded_on(&self, device: &Self) -> Option<&'static str> {
        let wider = |mine: &[u32; 3], other: &[u32; 3]| mine.iter().zip(other).any(|(m, o)| m > o);
        let unaligned = |mine: u64, other: u64| !mine.max(1).is_multiple_of(other.max(1));
        let storage_offset = unaligned(self.storage_alignment, device.storage_alignment);
        let uniform_offset = unaligned(self.uniform_alignment, device.uniform_alignment);
        let group_count = wider(&self.max_workgroup_count, &device.max_workgroup_count);
        let group_size = wider(&self.max_workgroup_size, &device.max_workgroup_size);
        let invocations = self.max_workgroup_invocations > device.max_workgroup_invocations;
        let subgroup_size =
            ![0, device.subgroup_size].contains(&self.subgroup_size) && device.subgroup_size != 0;
        let checks = [
            ("maxStorageBufferRange", self.max_storage_range > device.max_storage_range),
            ("maxUniformBufferRange", self.max_uniform_range > device.max_uniform_range),
            ("minStorageBufferOffsetAlignment", storage_offset),
            ("minUniformBufferOffsetAlignment", uniform_offset),
            ("maxComputeWorkGroupCount", group_count),
            ("maxComputeWorkGroupInvocations", invocations),
            ("maxComputeWorkGroupSize", group_size),
            ("maxPushConstantsSize", self.max_push_bytes > device.max_push_bytes),
            ("maxBufferSize", self.max_buffer_size > device.max_buffer_size),
            ("maxComputeSharedMemorySize", self.max_shared_bytes > device.max_shared_bytes),
            ("subgroupSize", subgroup_size),
        ];
        checks.into_iter().find(|(_, exceeded)| *exceeded).map(|(name, _)| name)
    }

    /// The alignment of workspace buffers, constants and state, in bytes.
    pub fn heap_alignment(&self) -> u64 {
        Self::MIN_HEAP_ALIGNMENT.max(self.storage_alignment).max(self.uniform_alignment)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_storage_range: 1 << 27,
            max_uniform_range: 16384,
            storage_alignment: 256,
            uniform_alignment: 256,
            max_workgroup_count: [65535; 3],
            max_workgroup_invocations: 128,
            max_workgroup_size: [128, 128, 64],
            max_push_bytes: 128,
            max_buffer_size: 1 << 30,
            max_shared_bytes: 16 << 10,
            subgroup_size: 0,
        }
    }
}
