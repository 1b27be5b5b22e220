//! Device features and extensions that the engine uses, with their Vulkan names.

use std::ffi::CStr;

pub(super) type Member = fn(&mut Features) -> &mut bool;

/// A member of [`Features`] with its Vulkan names.
pub(super) struct Known {
    pub member: Member,
    /// Names of the feature and its structure; `None` for an extension without a feature.
    pub feature: Option<(&'static str, &'static str)>,
    extension: Option<Extension>,
    pub need: Need,
}

/// Condition under which a feature is required.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    Optional,
    /// Vulkan requires it to be enabled if the device supports it.
    IfSupported,
    Always,
}

/// An extension, and whether Vulkan 1.3 made it core.
#[derive(Clone, Copy)]
struct Extension {
    name: &'static CStr,
    core13: bool,
}

impl Known {
    const fn feature(self, name: &'static str, structure: &'static str) -> Self {
        Self { feature: Some((name, structure)), ..self }
    }

    const fn extension(self, name: &'static CStr) -> Self {
        Self { extension: Some(Extension { name, core13: false }), ..self }
    }

    const fn extension_until_1_3(self, name: &'static CStr) -> Self {
        Self { extension: Some(Extension { name, core13: true }), ..self }
    }

    const fn need(self, need: Need) -> Self {
        Self { need, ..self }
    }

    pub fn is_on(&self, features: &Features) -> bool {
        let mut features = *features;
        *(self.member)(&mut features)
    }

    /// The extension to enable; `None` if none is needed. `core13` states whether Vulkan 1.3 is in use.
    pub fn extension_with(&self, core13: bool) -> Option<&'static CStr> {
        self.extension.filter(|extension| !(core13 && extension.core13)).map(|e| e.name)
    }

    pub fn is_in(&self, extension: &CStr) -> bool {
        self.extension_with(false) == Some(extension)
    }
}

/// Declares [`Features`] and the table of their Vulkan names.
macro_rules! features {
    ($($(#[$doc:meta])* $member:ident $(.$method:ident($($argument:expr),*))*;)*) => {
        /// Device features and extensions: those that are enabled on a device, or those to enable. `synchronization2`
        /// is required, except with
        /// [`AdoptOptions::without_synchronization2`](crate::AdoptOptions::without_synchronization2).
        /// `portability_subset` is required if the device supports it. `compute_full_subgroups` is required unless
        /// Vulkan 1.3 guarantees full subgroups without it. The others are optional.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Features {
            $($(#[$doc])* pub $member: bool,)*
        }

        /// All members of [`Features`], in declaration order.
        pub(super) static KNOWN: &[Known] = &[$(
            Known {
                member: |features| &mut features.$member,
                feature: None,
                extension: None,
                need: Need::Optional,
            }
            $(.$method($($argument),*))*
        ),*];
    };
}

pub(super) const SIZE_CONTROL: &str = "VkPhysicalDeviceSubgroupSizeControlFeatures";

features! {
    /// `synchronization2` (Vulkan 1.3 or `VK_KHR_synchronization2`); required.
    synchronization2
        .feature("synchronization2", "VkPhysicalDeviceSynchronization2Features")
        .extension_until_1_3(ash::khr::synchronization2::NAME)
        .need(Need::Always);
    /// `subgroupSizeControl` (Vulkan 1.3 or `VK_EXT_subgroup_size_control`).
    subgroup_size_control
        .feature("subgroupSizeControl", SIZE_CONTROL)
        .extension_until_1_3(ash::ext::subgroup_size_control::NAME);
    /// `computeFullSubgroups` (Vulkan 1.3 or `VK_EXT_subgroup_size_control`).
    compute_full_subgroups
        .feature("computeFullSubgroups", SIZE_CONTROL)
        .extension_until_1_3(ash::ext::subgroup_size_control::NAME);
    /// `VK_KHR_push_descriptor`: binds buffers without descriptor sets.
    push_descriptor.extension(ash::khr::push_descriptor::NAME);
    /// `pipelineExecutableInfo` of `VK_KHR_pipeline_executable_properties`: reports registers and spills of each
    /// pipeline.
    pipeline_executable_info
        .feature("pipelineExecutableInfo", "VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR")
        .extension(ash::khr::pipeline_executable_properties::NAME);
    /// `shaderInt64`: needed for keys of 64 bits, and for most operations on elements of 64 bits.
    shader_int64.feature("shaderInt64", "VkPhysicalDeviceFeatures");
    /// `shaderFloat64`: needed for sums, histograms and custom GLSL functions of 64-bit floats.
    shader_float64.feature("shaderFloat64", "VkPhysicalDeviceFeatures");
    /// `bufferDeviceAddress` (Vulkan 1.2): needed for kernels that access buffers by address.
    buffer_device_address.feature("bufferDeviceAddress", "VkPhysicalDeviceBufferDeviceAddressFeatures");
    /// `shaderMaximalReconvergence` of `VK_KHR_shader_maximal_reconvergence`: guarantees that lanes that diverge at a
    /// branch or loop reconverge at its end.
    shader_maximal_reconvergence
        .feature("shaderMaximalReconvergence", "VkPhysicalDeviceShaderMaximalReconvergenceFeaturesKHR")
        .extension(ash::khr::shader_maximal_reconvergence::NAME);
    /// `shaderSubgroupUniformControlFlow` of `VK_KHR_shader_subgroup_uniform_control_flow`: guarantees that lanes
    /// reconverge after a branch or loop that all lanes of the subgroup reached together. Used if maximal reconvergence
    /// is not available.
    shader_subgroup_uniform_control_flow
        .feature(
            "shaderSubgroupUniformControlFlow",
            "VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR"
        )
        .extension(ash::khr::shader_subgroup_uniform_control_flow::NAME);
    /// `VK_KHR_portability_subset`: must be enabled if the device supports it (MoltenVK).
    portability_subset
        .extension(ash::khr::portability_subset::NAME)
        .need(Need::IfSupported);
}
