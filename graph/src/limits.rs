//! Which limits of the device a plan has to respect.

/// The limits of a device that planning needs, under Vulkan's names where it has them.
///
/// [`Limits::default`] is what every Vulkan 1.3 device guarantees, so a plan made with it runs
/// anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// `maxStorageBufferRange`: the largest view that a storage binding may have.
    pub max_storage_range: u64,
    /// `maxUniformBufferRange`: the largest view that a uniform binding may have.
    pub max_uniform_range: u64,
    /// `minStorageBufferOffsetAlignment`: what the offset of a storage view is a multiple of.
    pub storage_alignment: u64,
    /// `minUniformBufferOffsetAlignment`: what the offset of a uniform view is a multiple of.
    pub uniform_alignment: u64,
    /// `maxComputeWorkGroupCount`.
    pub max_workgroup_count: [u32; 3],
    /// `maxComputeWorkGroupInvocations`.
    pub max_workgroup_invocations: u32,
    /// `maxComputeWorkGroupSize`.
    pub max_workgroup_size: [u32; 3],
    /// `maxPushConstantsSize`.
    pub max_push_bytes: u32,
    /// `maxBufferSize`: the largest buffer, and so the largest workspace.
    pub max_buffer_size: u64,
    /// `maxComputeSharedMemorySize`.
    pub max_shared_bytes: u32,
    /// `subgroupSize`; 0 where it is not known, which suits passes that do not depend on it.
    pub subgroup_size: u32,
}

impl Limits {
    /// What the heap aligns every buffer to when the device asks for less: a `vec4`, so that a
    /// kernel may always see its buffer as `uvec4`.
    pub const MIN_HEAP_ALIGNMENT: u64 = 16;

    /// The first limit by which a plan made with these could break on a device with `device`: a
    /// limit that is wider here, or an alignment or subgroup size that differs.
    pub fn exceeded_on(&self, device: &Self) -> Option<&'static str> {
        let wider = |mine: &[u32; 3], other: &[u32; 3]| mine.iter().zip(other).any(|(m, o)| m > o);
        let checks = [
            ("maxStorageBufferRange", self.max_storage_range > device.max_storage_range),
            ("maxUniformBufferRange", self.max_uniform_range > device.max_uniform_range),
            (
                "minStorageBufferOffsetAlignment",
                !self.storage_alignment.max(1).is_multiple_of(device.storage_alignment.max(1)),
            ),
            (
                "minUniformBufferOffsetAlignment",
                !self.uniform_alignment.max(1).is_multiple_of(device.uniform_alignment.max(1)),
            ),
            (
                "maxComputeWorkGroupCount",
                wider(&self.max_workgroup_count, &device.max_workgroup_count),
            ),
            (
                "maxComputeWorkGroupInvocations",
                self.max_workgroup_invocations > device.max_workgroup_invocations,
            ),
            (
                "maxComputeWorkGroupSize",
                wider(&self.max_workgroup_size, &device.max_workgroup_size),
            ),
            ("maxPushConstantsSize", self.max_push_bytes > device.max_push_bytes),
            ("maxBufferSize", self.max_buffer_size > device.max_buffer_size),
            ("maxComputeSharedMemorySize", self.max_shared_bytes > device.max_shared_bytes),
            (
                "subgroupSize",
                ![0, device.subgroup_size].contains(&self.subgroup_size)
                    && device.subgroup_size != 0,
            ),
        ];
        checks.into_iter().find(|(_, exceeded)| *exceeded).map(|(name, _)| name)
    }

    /// The alignment of buffers in the heap.
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
