//! Feature structures for device creation: chained onto a create-info, merged into an engine's own structures, or read
//! from an existing create-info.

use std::ffi::c_void;

use ash::vk;

use super::Features;

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
        let features = vk::PhysicalDeviceFeatures::default()
            .shader_int64(requested.shader_int64)
            .shader_float64(requested.shader_float64);
        Self {
            base: vk::PhysicalDeviceFeatures2::default().features(features),
            synchronization2: vk::PhysicalDeviceSynchronization2Features::default()
                .synchronization2(requested.synchronization2),
            size_control: vk::PhysicalDeviceSubgroupSizeControlFeatures::default()
                .subgroup_size_control(requested.subgroup_size_control)
                .compute_full_subgroups(requested.compute_full_subgroups),
            executables: vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default()
                .pipeline_executable_info(requested.pipeline_executable_info),
            addresses: vk::PhysicalDeviceBufferDeviceAddressFeatures::default()
                .buffer_device_address(requested.buffer_device_address),
            maximal: vk::PhysicalDeviceShaderMaximalReconvergenceFeaturesKHR::default()
                .shader_maximal_reconvergence(requested.shader_maximal_reconvergence),
            uniform: vk::PhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR::default()
                .shader_subgroup_uniform_control_flow(
                    requested.shader_subgroup_uniform_control_flow,
                ),
            requested: *requested,
        }
    }

    /// Chains the structures onto `info`, except those whose extensions are not enabled.
    ///
    /// Do not combine this with your own `VkPhysicalDeviceFeatures2` or `VkPhysicalDeviceVulkan1?Features`, which
    /// contain the same members (VUID-VkDeviceCreateInfo-pNext-06532); use [`merge_into`](Self::merge_into) instead.
    pub fn push_onto<'a>(&'a mut self, info: vk::DeviceCreateInfo<'a>) -> vk::DeviceCreateInfo<'a> {
        self.push_missing(info, Found::default())
    }

    /// Sets the features in structures that `info` already chains, including `VkPhysicalDeviceVulkan1?Features`, and
    /// chains the missing ones. Moves `pEnabledFeatures` into the chain.
    ///
    /// # Safety
    /// The chain of `info` is valid for `vkCreateDevice`. Its structures are modified, so no other code may access them
    /// during the call.
    pub unsafe fn merge_into<'a>(
        &'a mut self,
        mut info: vk::DeviceCreateInfo<'a>,
    ) -> vk::DeviceCreateInfo<'a> {
        let (requested, mut found) = (self.requested, Found::default());
        // SAFETY: by the caller's contract.
        unsafe { walk(&info, |structure| structure.enable(&requested, &mut found)) };
        // Must not be combined with `VkPhysicalDeviceFeatures2` (VUID-VkDeviceCreateInfo-pNext-00373).
        // SAFETY: by the caller's contract.
        if let Some(&own) = unsafe { info.p_enabled_features.as_ref() } {
            self.base.features = own;
            Structure::Base(&mut self.base.features).enable(&requested, &mut Found::default());
            info.p_enabled_features = std::ptr::null();
        }
        self.push_missing(info, found)
    }

    fn push_missing<'a>(
        &'a mut self,
        mut info: vk::DeviceCreateInfo<'a>,
        found: Found,
    ) -> vk::DeviceCreateInfo<'a> {
        let requested = &self.requested;
        if !found.base {
            info = info.push_next(&mut self.base);
        }
        if !found.synchronization2 {
            info = info.push_next(&mut self.synchronization2);
        }
        if !found.size_control
            && (requested.subgroup_size_control || requested.compute_full_subgroups)
        {
            info = info.push_next(&mut self.size_control);
        }
        if !found.executables && requested.pipeline_executable_info {
            info = info.push_next(&mut self.executables);
        }
        if !found.addresses && requested.buffer_device_address {
            info = info.push_next(&mut self.addresses);
        }
        if !found.maximal && requested.shader_maximal_reconvergence {
            info = info.push_next(&mut self.maximal);
        }
        if !found.uniform && requested.shader_subgroup_uniform_control_flow {
            info = info.push_next(&mut self.uniform);
        }
        info
    }
}

/// Structures that a chain already contains.
#[derive(Clone, Copy, Default)]
struct Found {
    base: bool,
    synchronization2: bool,
    size_control: bool,
    executables: bool,
    addresses: bool,
    maximal: bool,
    uniform: bool,
}

/// A structure of device creation with features that the engine uses.
enum Structure<'c> {
    Base(&'c mut vk::PhysicalDeviceFeatures),
    Vulkan12(&'c mut vk::PhysicalDeviceVulkan12Features<'static>),
    Vulkan13(&'c mut vk::PhysicalDeviceVulkan13Features<'static>),
    Synchronization2(&'c mut vk::PhysicalDeviceSynchronization2Features<'static>),
    SizeControl(&'c mut vk::PhysicalDeviceSubgroupSizeControlFeatures<'static>),
    Executables(&'c mut vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR<'static>),
    Addresses(&'c mut vk::PhysicalDeviceBufferDeviceAddressFeatures<'static>),
    Maximal(&'c mut vk::PhysicalDeviceShaderMaximalReconvergenceFeaturesKHR<'static>),
    Uniform(&'c mut vk::PhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR<'static>),
}

impl Structure<'_> {
    /// Enables the wanted features; enabled ones stay enabled.
    fn enable(self, requested: &Features, found: &mut Found) {
        let set = |bit: &mut vk::Bool32, on: bool| *bit |= vk::Bool32::from(on);
        match self {
            Self::Base(s) => {
                set(&mut s.shader_int64, requested.shader_int64);
                set(&mut s.shader_float64, requested.shader_float64);
                found.base = true;
            }
            Self::Vulkan12(s) => {
                set(&mut s.buffer_device_address, requested.buffer_device_address);
                found.addresses = true;
            }
            Self::Vulkan13(s) => {
                set(&mut s.synchronization2, requested.synchronization2);
                set(&mut s.subgroup_size_control, requested.subgroup_size_control);
                set(&mut s.compute_full_subgroups, requested.compute_full_subgroups);
                (found.synchronization2, found.size_control) = (true, true);
            }
            Self::Synchronization2(s) => {
                set(&mut s.synchronization2, requested.synchronization2);
                found.synchronization2 = true;
            }
            Self::SizeControl(s) => {
                set(&mut s.subgroup_size_control, requested.subgroup_size_control);
                set(&mut s.compute_full_subgroups, requested.compute_full_subgroups);
                found.size_control = true;
            }
            Self::Executables(s) => {
                set(&mut s.pipeline_executable_info, requested.pipeline_executable_info);
                found.executables = true;
            }
            Self::Addresses(s) => {
                set(&mut s.buffer_device_address, requested.buffer_device_address);
                found.addresses = true;
            }
            Self::Maximal(s) => {
                set(&mut s.shader_maximal_reconvergence, requested.shader_maximal_reconvergence);
                found.maximal = true;
            }
            Self::Uniform(s) => {
                let requested = requested.shader_subgroup_uniform_control_flow;
                set(&mut s.shader_subgroup_uniform_control_flow, requested);
                found.uniform = true;
            }
        }
    }

    /// Adds the enabled features to `features`.
    fn read(self, features: &mut Features) {
        let on = |bit: vk::Bool32| bit != vk::FALSE;
        match self {
            Self::Base(s) => {
                features.shader_int64 |= on(s.shader_int64);
                features.shader_float64 |= on(s.shader_float64);
            }
            Self::Vulkan12(s) => features.buffer_device_address |= on(s.buffer_device_address),
            Self::Vulkan13(s) => {
                features.synchronization2 |= on(s.synchronization2);
                features.subgroup_size_control |= on(s.subgroup_size_control);
                features.compute_full_subgroups |= on(s.compute_full_subgroups);
            }
            Self::Synchronization2(s) => features.synchronization2 |= on(s.synchronization2),
            Self::SizeControl(s) => {
                features.subgroup_size_control |= on(s.subgroup_size_control);
                features.compute_full_subgroups |= on(s.compute_full_subgroups);
            }
            Self::Executables(s) => {
                features.pipeline_executable_info |= on(s.pipeline_executable_info);
            }
            Self::Addresses(s) => features.buffer_device_address |= on(s.buffer_device_address),
            Self::Maximal(s) => {
                features.shader_maximal_reconvergence |= on(s.shader_maximal_reconvergence);
            }
            Self::Uniform(s) => {
                features.shader_subgroup_uniform_control_flow |=
                    on(s.shader_subgroup_uniform_control_flow);
            }
        }
    }
}

/// The feature bits that `info` sets, regardless of the extensions it enables.
///
/// # Safety
/// The chain of `info` is valid for `vkCreateDevice` and is not modified meanwhile.
pub(super) unsafe fn read(info: &vk::DeviceCreateInfo<'_>) -> Features {
    let mut features = Features::default();
    // SAFETY: by the caller's contract.
    if let Some(mut base) = unsafe { info.p_enabled_features.as_ref() }.copied() {
        Structure::Base(&mut base).read(&mut features);
    }
    // SAFETY: by the caller's contract; `read` does not modify the structures.
    unsafe { walk(info, |structure| structure.read(&mut features)) };
    features
}

/// Calls `body` for every chained structure with features that the engine uses.
///
/// # Safety
/// The chain is valid, and may be modified if `body` modifies it.
unsafe fn walk(info: &vk::DeviceCreateInfo<'_>, mut body: impl FnMut(Structure<'_>)) {
    let mut next = info.p_next.cast_mut();
    // SAFETY: every structure in a chain begins with this header.
    while let Some(header) = unsafe { next.cast::<vk::BaseOutStructure<'_>>().as_mut() } {
        let at: *mut c_void = next;
        next = header.p_next.cast();
        // SAFETY: `s_type` identifies the structure, and the header is not used any more.
        let structure = unsafe {
            match header.s_type {
                vk::StructureType::PHYSICAL_DEVICE_FEATURES_2 => {
                    let whole = at.cast::<vk::PhysicalDeviceFeatures2<'static>>();
                    Structure::Base(&mut (*whole).features)
                }
                vk::StructureType::PHYSICAL_DEVICE_VULKAN_1_2_FEATURES => {
                    Structure::Vulkan12(&mut *at.cast())
                }
                vk::StructureType::PHYSICAL_DEVICE_VULKAN_1_3_FEATURES => {
                    Structure::Vulkan13(&mut *at.cast())
                }
                vk::StructureType::PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES => {
                    Structure::Synchronization2(&mut *at.cast())
                }
                vk::StructureType::PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES => {
                    Structure::SizeControl(&mut *at.cast())
                }
                vk::StructureType::PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR => {
                    Structure::Executables(&mut *at.cast())
                }
                vk::StructureType::PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES => {
                    Structure::Addresses(&mut *at.cast())
                }
                vk::StructureType::PHYSICAL_DEVICE_SHADER_MAXIMAL_RECONVERGENCE_FEATURES_KHR => {
                    Structure::Maximal(&mut *at.cast())
                }
                vk::StructureType::PHYSICAL_DEVICE_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR => {
                    Structure::Uniform(&mut *at.cast())
                }
                _ => continue,
            }
        };
        body(structure);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Features = Features {
        synchronization2: true,
        subgroup_size_control: true,
        compute_full_subgroups: true,
        push_descriptor: false,
        pipeline_executable_info: true,
        shader_int64: true,
        shader_float64: true,
        buffer_device_address: true,
        shader_maximal_reconvergence: true,
        shader_subgroup_uniform_control_flow: true,
        portability_subset: false,
    };

    #[test]
    fn chained_features_are_read_back() {
        let mut chain = FeatureChain::new(&ALL);
        let info = chain.push_onto(vk::DeviceCreateInfo::default());
        // SAFETY: a valid chain.
        assert_eq!(unsafe { read(&info) }, ALL);
    }

    /// `VkPhysicalDeviceVulkan1?Features` replace the individual structures and keep their other members.
    #[test]
    fn features_are_merged_into_existing_structures() {
        let mut chain = FeatureChain::new(&ALL);
        let mut vulkan12 = vk::PhysicalDeviceVulkan12Features::default().timeline_semaphore(true);
        let mut vulkan13 = vk::PhysicalDeviceVulkan13Features::default().maintenance4(true);
        let own = vk::PhysicalDeviceFeatures::default().wide_lines(true);
        let info = vk::DeviceCreateInfo::default()
            .enabled_features(&own)
            .push_next(&mut vulkan12)
            .push_next(&mut vulkan13);
        // SAFETY: a valid chain, not accessed by other code.
        let (features, types) = unsafe {
            let info = chain.merge_into(info);
            (read(&info), types(&info))
        };
        assert_eq!(features, ALL);
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
        // SAFETY: by the caller's contract.
        while let Some(header) = unsafe { next.as_ref() } {
            types.push(header.s_type);
            next = header.p_next;
        }
        types
    }
}
