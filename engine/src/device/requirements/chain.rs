//! The feature structures of device creation: chained, merged into an engine's own, and read back
//! from what a device was created with.

use std::ffi::c_void;

use ash::vk;

use super::Features;

/// Owns the feature structures of a [`Requirements`](super::Requirements).
pub struct FeatureChain {
    base: vk::PhysicalDeviceFeatures2<'static>,
    synchronization2: vk::PhysicalDeviceSynchronization2Features<'static>,
    size_control: vk::PhysicalDeviceSubgroupSizeControlFeatures<'static>,
    executables: vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR<'static>,
    addresses: vk::PhysicalDeviceBufferDeviceAddressFeatures<'static>,
    maximal: vk::PhysicalDeviceShaderMaximalReconvergenceFeaturesKHR<'static>,
    uniform: vk::PhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR<'static>,
    wanted: Features,
}

impl FeatureChain {
    pub(super) fn new(wanted: &Features) -> Self {
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
            addresses: vk::PhysicalDeviceBufferDeviceAddressFeatures::default()
                .buffer_device_address(wanted.buffer_device_address),
            maximal: vk::PhysicalDeviceShaderMaximalReconvergenceFeaturesKHR::default()
                .shader_maximal_reconvergence(wanted.shader_maximal_reconvergence),
            uniform: vk::PhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR::default()
                .shader_subgroup_uniform_control_flow(wanted.shader_subgroup_uniform_control_flow),
            wanted: *wanted,
        }
    }

    /// Chains the structures onto `info`. A structure whose extension is not enabled stays out.
    ///
    /// Not beside `VkPhysicalDeviceFeatures2` or `VkPhysicalDeviceVulkan1?Features` of your own,
    /// which have the same members (VUID-VkDeviceCreateInfo-pNext-06532):
    /// [`merge_into`](Self::merge_into) sets them there instead.
    pub fn push_onto<'a>(&'a mut self, info: vk::DeviceCreateInfo<'a>) -> vk::DeviceCreateInfo<'a> {
        self.push_missing(info, Found::default())
    }

    /// Sets the features in structures that `info` already has, those of whole versions included,
    /// and chains the others onto it. `pEnabledFeatures` go into the chain.
    ///
    /// # Safety
    /// The chain of `info` is one that `vkCreateDevice` would accept, and nobody else looks at its
    /// structures meanwhile: they are written to.
    pub unsafe fn merge_into<'a>(
        &'a mut self,
        mut info: vk::DeviceCreateInfo<'a>,
    ) -> vk::DeviceCreateInfo<'a> {
        let (wanted, mut found) = (self.wanted, Found::default());
        // SAFETY: by the caller's contract.
        unsafe { walk(&info, |structure| structure.enable(&wanted, &mut found)) };
        // Not beside `VkPhysicalDeviceFeatures2` (VUID-VkDeviceCreateInfo-pNext-00373).
        // SAFETY: by the caller's contract.
        if let Some(&own) = unsafe { info.p_enabled_features.as_ref() } {
            self.base.features = own;
            Structure::Base(&mut self.base.features).enable(&wanted, &mut Found::default());
            info.p_enabled_features = std::ptr::null();
        }
        self.push_missing(info, found)
    }

    fn push_missing<'a>(
        &'a mut self,
        mut info: vk::DeviceCreateInfo<'a>,
        found: Found,
    ) -> vk::DeviceCreateInfo<'a> {
        let wanted = &self.wanted;
        if !found.base {
            info = info.push_next(&mut self.base);
        }
        if !found.synchronization2 {
            info = info.push_next(&mut self.synchronization2);
        }
        if !found.size_control && (wanted.subgroup_size_control || wanted.compute_full_subgroups) {
            info = info.push_next(&mut self.size_control);
        }
        if !found.executables && wanted.pipeline_executable_info {
            info = info.push_next(&mut self.executables);
        }
        if !found.addresses && wanted.buffer_device_address {
            info = info.push_next(&mut self.addresses);
        }
        if !found.maximal && wanted.shader_maximal_reconvergence {
            info = info.push_next(&mut self.maximal);
        }
        if !found.uniform && wanted.shader_subgroup_uniform_control_flow {
            info = info.push_next(&mut self.uniform);
        }
        info
    }
}

/// Which features have a structure in a chain already.
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

/// A structure of device creation with features that matter here.
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
    /// Turns on what is wanted; what is on stays on.
    fn enable(self, wanted: &Features, found: &mut Found) {
        let set = |bit: &mut vk::Bool32, on: bool| *bit |= vk::Bool32::from(on);
        match self {
            Self::Base(s) => {
                set(&mut s.shader_int64, wanted.shader_int64);
                set(&mut s.shader_float64, wanted.shader_float64);
                found.base = true;
            }
            Self::Vulkan12(s) => {
                set(&mut s.buffer_device_address, wanted.buffer_device_address);
                found.addresses = true;
            }
            Self::Vulkan13(s) => {
                set(&mut s.synchronization2, wanted.synchronization2);
                set(&mut s.subgroup_size_control, wanted.subgroup_size_control);
                set(&mut s.compute_full_subgroups, wanted.compute_full_subgroups);
                (found.synchronization2, found.size_control) = (true, true);
            }
            Self::Synchronization2(s) => {
                set(&mut s.synchronization2, wanted.synchronization2);
                found.synchronization2 = true;
            }
            Self::SizeControl(s) => {
                set(&mut s.subgroup_size_control, wanted.subgroup_size_control);
                set(&mut s.compute_full_subgroups, wanted.compute_full_subgroups);
                found.size_control = true;
            }
            Self::Executables(s) => {
                set(&mut s.pipeline_executable_info, wanted.pipeline_executable_info);
                found.executables = true;
            }
            Self::Addresses(s) => {
                set(&mut s.buffer_device_address, wanted.buffer_device_address);
                found.addresses = true;
            }
            Self::Maximal(s) => {
                set(&mut s.shader_maximal_reconvergence, wanted.shader_maximal_reconvergence);
                found.maximal = true;
            }
            Self::Uniform(s) => {
                let wanted = wanted.shader_subgroup_uniform_control_flow;
                set(&mut s.shader_subgroup_uniform_control_flow, wanted);
                found.uniform = true;
            }
        }
    }

    /// Notes what is on.
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

/// The feature bits that `info` sets, whatever extensions it enables.
///
/// # Safety
/// The chain of `info` is one that `vkCreateDevice` would accept, and nobody writes to it.
pub(super) unsafe fn read(info: &vk::DeviceCreateInfo<'_>) -> Features {
    let mut features = Features::default();
    // SAFETY: by the caller's contract.
    if let Some(mut base) = unsafe { info.p_enabled_features.as_ref() }.copied() {
        Structure::Base(&mut base).read(&mut features);
    }
    // SAFETY: by the caller's contract; reading changes nothing.
    unsafe { walk(info, |structure| structure.read(&mut features)) };
    features
}

/// Calls `body` with every chained structure that matters here.
///
/// # Safety
/// The chain is valid, and may be written to by `body` if it does.
unsafe fn walk(info: &vk::DeviceCreateInfo<'_>, mut body: impl FnMut(Structure<'_>)) {
    let mut next = info.p_next.cast_mut();
    // SAFETY: every structure of a chain begins like this.
    while let Some(header) = unsafe { next.cast::<vk::BaseOutStructure<'_>>().as_mut() } {
        let at: *mut c_void = next;
        next = header.p_next.cast();
        // SAFETY: the type says what the structure is, and the header is used no longer.
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
    fn what_is_chained_is_read_back() {
        let mut chain = FeatureChain::new(&ALL);
        let info = chain.push_onto(vk::DeviceCreateInfo::default());
        // SAFETY: a valid chain.
        assert_eq!(unsafe { read(&info) }, ALL);
    }

    /// Structures of whole versions take the place of small ones, and keep what they had.
    #[test]
    fn features_are_merged_into_structures_that_are_there() {
        let mut chain = FeatureChain::new(&ALL);
        let mut vulkan12 = vk::PhysicalDeviceVulkan12Features::default().timeline_semaphore(true);
        let mut vulkan13 = vk::PhysicalDeviceVulkan13Features::default().maintenance4(true);
        let own = vk::PhysicalDeviceFeatures::default().wide_lines(true);
        let info = vk::DeviceCreateInfo::default()
            .enabled_features(&own)
            .push_next(&mut vulkan12)
            .push_next(&mut vulkan13);
        // SAFETY: a valid chain; nothing else looks at it.
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
