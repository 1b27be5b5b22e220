//! Chains of feature structures for device creation. A chain can be appended to a create-info, merged into the
//! structures of an embedding program, or read from an existing create-info.

use std::mem::offset_of;

use ash::vk::{self, TaggedStructure as _};

use super::features::{Features, KNOWN, Known, Member};

/// Header of every structure in a chain.
type Header = vk::BaseOutStructure<'static>;

/// A Vulkan feature structure, with the features in it that the engine uses.
struct Structure {
    s_type: vk::StructureType,
    /// Byte offset of each feature, with the corresponding member of [`Features`].
    bits: &'static [(usize, Member)],
}

/// Declares the structures of a chain. `feature in member` is a field of the nested structure `member`.
macro_rules! structures {
    ($($structure:ident: $($feature:ident $(in $member:ident)?),*;)*) => {
        &[$(Structure {
            s_type: vk::$structure::STRUCTURE_TYPE,
            bits: &[$((
                offset_of!(vk::$structure<'static>, $($member.)? $feature),
                |features| &mut features.$feature,
            )),*],
        }),*]
    };
}

static STRUCTURES: &[Structure] = structures! {
    PhysicalDeviceFeatures2: shader_int64 in features, shader_float64 in features;
    PhysicalDeviceVulkan12Features: buffer_device_address;
    PhysicalDeviceVulkan13Features: synchronization2, subgroup_size_control, compute_full_subgroups;
    PhysicalDeviceSynchronization2Features: synchronization2;
    PhysicalDeviceSubgroupSizeControlFeatures: subgroup_size_control, compute_full_subgroups;
    PhysicalDevicePipelineExecutablePropertiesFeaturesKHR: pipeline_executable_info;
    PhysicalDeviceBufferDeviceAddressFeatures: buffer_device_address;
    PhysicalDeviceShaderMaximalReconvergenceFeaturesKHR: shader_maximal_reconvergence;
    PhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR: shader_subgroup_uniform_control_flow;
};

/// Owns the feature structures for a [`Requirements`](super::Requirements).
pub struct FeatureChain {
    base: vk::PhysicalDeviceFeatures2<'static>,
    synchronization2: vk::PhysicalDeviceSynchronization2Features<'static>,
    size_control: vk::PhysicalDeviceSubgroupSizeControlFeatures<'static>,
    executables: vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR<'static>,
    addresses: vk::PhysicalDeviceBufferDeviceAddressFeatures<'static>,
    maximal: vk::PhysicalDeviceShaderMaximalReconvergenceFeaturesKHR<'static>,
    uniform: vk::PhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR<'static>,
    requested: Features,
}

impl FeatureChain {
    pub(super) fn new(requested: &Features) -> Self {
        Self {
            base: vk::PhysicalDeviceFeatures2::default(),
            synchronization2: vk::PhysicalDeviceSynchronization2Features::default(),
            size_control: vk::PhysicalDeviceSubgroupSizeControlFeatures::default(),
            executables: vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default(),
            addresses: vk::PhysicalDeviceBufferDeviceAddressFeatures::default(),
            maximal: vk::PhysicalDeviceShaderMaximalReconvergenceFeaturesKHR::default(),
            uniform: vk::PhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR::default(),
            requested: *requested,
        }
    }

    /// The structures; `base` is the first.
    fn structures(&mut self) -> [*mut Header; 7] {
        [
            (&raw mut self.base).cast(),
            (&raw mut self.synchronization2).cast(),
            (&raw mut self.size_control).cast(),
            (&raw mut self.executables).cast(),
            (&raw mut self.addresses).cast(),
            (&raw mut self.maximal).cast(),
            (&raw mut self.uniform).cast(),
        ]
    }

    /// Chains `VkPhysicalDeviceFeatures2`, and the other structures that contain a requested feature, onto `info`.
    ///
    /// Do not combine this with your own `VkPhysicalDeviceFeatures2` or `VkPhysicalDeviceVulkan1?Features`, which
    /// contain the same members; use [`merge_into`](Self::merge_into) instead.
    pub fn push_onto<'a>(&'a mut self, info: vk::DeviceCreateInfo<'a>) -> vk::DeviceCreateInfo<'a> {
        self.push_missing(info, &Features::default())
    }

    /// Sets the features in structures that `info` already chains, including `VkPhysicalDeviceVulkan1?Features`, and
    /// chains the structures that are missing. Moves `pEnabledFeatures` into the chain.
    ///
    /// # Safety
    /// The chain of `info` is valid for `vkCreateDevice`. Its structures are modified, so no other code may access them
    /// during the call.
    pub unsafe fn merge_into<'a>(
        &'a mut self,
        mut info: vk::DeviceCreateInfo<'a>,
    ) -> vk::DeviceCreateInfo<'a> {
        let (mut requested, mut found) = (self.requested, Features::default());
        // SAFETY: the caller guarantees a valid chain that no other code accesses during the call.
        unsafe {
            for_each_bit(info.p_next.cast_mut().cast(), |bit, member| {
                *bit |= vk::Bool32::from(*member(&mut requested));
                *member(&mut found) = true;
            });
        }
        // `pEnabledFeatures` must not be combined with `VkPhysicalDeviceFeatures2`
        // (VUID-VkDeviceCreateInfo-pNext-00373).
        // SAFETY: the caller guarantees a valid `info`, so the pointer is null or valid.
        if let Some(&own) = unsafe { info.p_enabled_features.as_ref() } {
            self.base.features = own;
            info.p_enabled_features = std::ptr::null();
        }
        self.push_missing(info, &found)
    }

    /// Chains the structures onto `info`, except those whose features are in `found`, because `info` already chains
    /// such a structure. All structures but `base` are also skipped if they contain no requested feature.
    fn push_missing<'a>(
        &'a mut self,
        mut info: vk::DeviceCreateInfo<'a>,
        found: &Features,
    ) -> vk::DeviceCreateInfo<'a> {
        let (mut requested, mut found) = (self.requested, *found);
        for (index, structure) in self.structures().into_iter().enumerate() {
            let (mut is_found, mut is_needed) = (false, index == 0);
            // SAFETY: a structure of `self`, which is not linked to others yet.
            unsafe {
                (*structure).p_next = std::ptr::null_mut();
                for_each_bit(structure, |bit, member| {
                    *bit |= vk::Bool32::from(*member(&mut requested));
                    is_needed |= *member(&mut requested);
                    is_found |= *member(&mut found);
                });
                if is_needed && !is_found {
                    (*structure).p_next = info.p_next.cast_mut().cast();
                    info.p_next = structure.cast();
                }
            }
        }
        info
    }
}

/// The feature bits that `info` sets, regardless of the extensions it enables.
///
/// # Safety
/// The chain of `info` is valid for `vkCreateDevice` and is not modified meanwhile.
pub(super) unsafe fn read(info: &vk::DeviceCreateInfo<'_>) -> Features {
    let mut base = vk::PhysicalDeviceFeatures2::default();
    // SAFETY: the caller guarantees a valid `info`, so the pointer is null or valid.
    if let Some(&own) = unsafe { info.p_enabled_features.as_ref() } {
        base.features = own;
    }
    base.p_next = info.p_next.cast_mut();
    // SAFETY: `base` is followed by the chain of `info`, which the caller guarantees to be valid.
    unsafe { read_chain((&raw mut base).cast()) }
}

/// The features that a device supports. `is_available` returns whether the device has the extension or the Vulkan
/// version that a feature requires.
///
/// # Safety
/// `physical` is a physical device of `instance`, which is alive.
pub(super) unsafe fn query(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
    is_available: impl Fn(&Known) -> bool,
) -> Features {
    let mut available = Features::default();
    for known in KNOWN {
        *(known.member)(&mut available) = is_available(known);
    }
    let mut chain = FeatureChain::new(&Features::default());
    for structure in chain.structures().into_iter().skip(1) {
        let mut is_known = false;
        // SAFETY: a structure of `chain`. It belongs to Vulkan 1.2, or to a version or an extension that the device
        // reports; an older device ignores unknown structures.
        unsafe {
            for_each_bit(structure, |_, member| is_known |= *member(&mut available));
            if is_known {
                (*structure).p_next = chain.base.p_next.cast();
                chain.base.p_next = structure.cast();
            }
        }
    }
    // SAFETY: the caller guarantees that the physical device belongs to the live instance; the chain consists of the
    // structures linked above.
    let mut features = unsafe {
        instance.get_physical_device_features2(physical, &mut chain.base);
        read_chain((&raw mut chain.base).cast())
    };
    for known in KNOWN.iter().filter(|known| known.feature.is_none()) {
        *(known.member)(&mut features) = is_available(known);
    }
    features
}

/// Returns the features whose bits are set in a chain.
///
/// # Safety
/// `first` is a valid chain.
unsafe fn read_chain(first: *mut Header) -> Features {
    let mut features = Features::default();
    // SAFETY: the caller guarantees a valid chain; its structures are not modified.
    unsafe { for_each_bit(first, |bit, member| *member(&mut features) |= *bit != vk::FALSE) };
    features
}

/// Calls `body` for each feature bit of a chain that has a corresponding member of [`Features`], with this member.
///
/// # Safety
/// `first` is a valid chain, which may be modified if `body` modifies it.
unsafe fn for_each_bit(first: *mut Header, mut body: impl FnMut(*mut vk::Bool32, Member)) {
    let mut next = first;
    while !next.is_null() {
        // SAFETY: every structure in a chain begins with this header, whose type implies the offsets.
        unsafe {
            let s_type = (*next).s_type;
            for structure in STRUCTURES.iter().filter(|structure| structure.s_type == s_type) {
                for &(offset, member) in structure.bits {
                    body(next.byte_add(offset).cast(), member);
                }
            }
            next = (*next).p_next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All features, except extensions without a feature bit.
    fn all() -> Features {
        let mut features = Features::default();
        for known in KNOWN.iter().filter(|known| known.feature.is_some()) {
            *(known.member)(&mut features) = true;
        }
        features
    }

    #[test]
    fn chained_features_are_read_back() {
        let mut chain = FeatureChain::new(&all());
        let info = chain.push_onto(vk::DeviceCreateInfo::default());
        // SAFETY: `info` has a valid chain.
        assert_eq!(unsafe { read(&info) }, all());
    }

    /// If `VkPhysicalDeviceVulkan1?Features` are already chained, features are set there instead of in individual
    /// structures, and their other members do not change.
    #[test]
    fn features_are_merged_into_existing_structures() {
        let mut chain = FeatureChain::new(&all());
        let mut vulkan12 = vk::PhysicalDeviceVulkan12Features::default().timeline_semaphore(true);
        let mut vulkan13 = vk::PhysicalDeviceVulkan13Features::default().maintenance4(true);
        let own = vk::PhysicalDeviceFeatures::default().wide_lines(true);
        let info = vk::DeviceCreateInfo::default()
            .enabled_features(&own)
            .push_next(&mut vulkan12)
            .push_next(&mut vulkan13);
        // SAFETY: `info` has a valid chain, which is not accessed by other code.
        let (features, types) = unsafe {
            let info = chain.merge_into(info);
            (read(&info), types(&info))
        };
        assert_eq!(features, all());
        assert_eq!(
            types,
            [
                vk::StructureType::PHYSICAL_DEVICE_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR,
                vk::StructureType::PHYSICAL_DEVICE_SHADER_MAXIMAL_RECONVERGENCE_FEATURES_KHR,
                vk::StructureType::PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR,
                vk::StructureType::PHYSICAL_DEVICE_FEATURES_2,
                vk::StructureType::PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                vk::StructureType::PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
            ]
        );
        assert_eq!(chain.base.features.wide_lines, vk::TRUE);
        assert_eq!((vulkan12.timeline_semaphore, vulkan13.maintenance4), (vk::TRUE, vk::TRUE));
    }

    unsafe fn types(info: &vk::DeviceCreateInfo<'_>) -> Vec<vk::StructureType> {
        let (mut types, mut next) = (Vec::new(), info.p_next.cast::<vk::BaseInStructure<'_>>());
        // SAFETY: the test passes a valid chain.
        while let Some(header) = unsafe { next.as_ref() } {
            types.push(header.s_type);
            next = header.p_next;
        }
        types
    }
}
