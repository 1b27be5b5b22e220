//! What the engine needs of a Vulkan device, in a form that an embedder can merge into its own
//! device creation, and what a given device has.

mod chain;
mod check;
mod instance;

pub use chain::FeatureChain;
pub use check::{Check, Missing, Why};
pub use instance::InstanceRequirements;

use std::ffi::{CStr, c_char};

use ash::vk;

use crate::device::properties::{DeviceProperties, extension_names};
use crate::error::Result;

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
    /// `shaderFloat64`: bucket functions of the user's for keys of 64-bit floats, and histograms of
    /// them.
    pub shader_float64: bool,
    /// `bufferDeviceAddress` (Vulkan 1.2): kernels that take buffers by address.
    pub buffer_device_address: bool,
    /// `shaderMaximalReconvergence` of `VK_KHR_shader_maximal_reconvergence`: kernels state that lanes
    /// come together again where the source suggests it, and need not hope for it.
    pub shader_maximal_reconvergence: bool,
    /// `shaderSubgroupUniformControlFlow` of `VK_KHR_shader_subgroup_uniform_control_flow`: the same at
    /// the end of branches that a subgroup entered together. Used where the one above is not there.
    pub shader_subgroup_uniform_control_flow: bool,
    /// `VK_KHR_portability_subset` exists, and so must be enabled (MoltenVK).
    pub portability_subset: bool,
}

/// One of [`Features`], with what Vulkan calls it.
struct Known {
    on: fn(&Features) -> bool,
    /// The feature and its structure; `None` for an extension without one.
    feature: Option<(&'static str, &'static str)>,
    extension: Option<Extension>,
}

/// An extension, and whether Vulkan 1.3 does without it.
#[derive(Clone, Copy)]
struct Extension {
    name: &'static CStr,
    core13: bool,
}

impl Extension {
    const fn new(name: &'static CStr) -> Option<Self> {
        Some(Self { name, core13: false })
    }

    const fn until_1_3(name: &'static CStr) -> Option<Self> {
        Some(Self { name, core13: true })
    }
}

impl Known {
    /// The extension that it needs.
    fn extension(&self, core13: bool) -> Option<&'static CStr> {
        self.extension.filter(|e| !(core13 && e.core13)).map(|e| e.name)
    }
}

const SIZE_CONTROL: &str = "VkPhysicalDeviceSubgroupSizeControlFeatures";

/// All of [`Features`].
const KNOWN: [Known; 11] = [
    Known {
        on: |f| f.synchronization2,
        feature: Some(("synchronization2", "VkPhysicalDeviceSynchronization2Features")),
        extension: Extension::until_1_3(ash::khr::synchronization2::NAME),
    },
    Known {
        on: |f| f.subgroup_size_control,
        feature: Some(("subgroupSizeControl", SIZE_CONTROL)),
        extension: Extension::until_1_3(ash::ext::subgroup_size_control::NAME),
    },
    Known {
        on: |f| f.compute_full_subgroups,
        feature: Some(("computeFullSubgroups", SIZE_CONTROL)),
        extension: Extension::until_1_3(ash::ext::subgroup_size_control::NAME),
    },
    Known {
        on: |f| f.push_descriptor,
        feature: None,
        extension: Extension::new(ash::khr::push_descriptor::NAME),
    },
    Known {
        on: |f| f.pipeline_executable_info,
        feature: Some((
            "pipelineExecutableInfo",
            "VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR",
        )),
        extension: Extension::new(ash::khr::pipeline_executable_properties::NAME),
    },
    Known {
        on: |f| f.shader_int64,
        feature: Some(("shaderInt64", "VkPhysicalDeviceFeatures")),
        extension: None,
    },
    Known {
        on: |f| f.shader_float64,
        feature: Some(("shaderFloat64", "VkPhysicalDeviceFeatures")),
        extension: None,
    },
    Known {
        on: |f| f.buffer_device_address,
        feature: Some(("bufferDeviceAddress", "VkPhysicalDeviceBufferDeviceAddressFeatures")),
        extension: None,
    },
    Known {
        on: |f| f.shader_maximal_reconvergence,
        feature: Some((
            "shaderMaximalReconvergence",
            "VkPhysicalDeviceShaderMaximalReconvergenceFeaturesKHR",
        )),
        extension: Extension::new(ash::khr::shader_maximal_reconvergence::NAME),
    },
    Known {
        on: |f| f.shader_subgroup_uniform_control_flow,
        feature: Some((
            "shaderSubgroupUniformControlFlow",
            "VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR",
        )),
        extension: Extension::new(ash::khr::shader_subgroup_uniform_control_flow::NAME),
    },
    Known {
        on: |f| f.portability_subset,
        feature: None,
        extension: Extension::new(ash::khr::portability_subset::NAME),
    },
];

/// What to enable on one physical device: merge it into your own device creation.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let (instance, physical): (ash::Instance, ash::vk::PhysicalDevice) = unimplemented!();
/// let wanted = unsafe { multisplit::Requirements::of(&instance, physical)? };
/// let mut chain = wanted.feature_chain(); // or set `wanted.features` in structures of your own
/// let own = [ash::khr::swapchain::NAME.as_ptr()];
/// let extensions = unsafe { wanted.extensions_with(&own) };
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
    /// The instance is one of Vulkan 1.3 or later.
    ///
    /// # Safety
    /// `physical` is a physical device of `instance`, which is alive.
    pub unsafe fn of(instance: &ash::Instance, physical: vk::PhysicalDevice) -> Result<Self> {
        // SAFETY: by the caller's contract.
        unsafe { Self::for_version(instance, physical, vk::API_VERSION_1_3) }
    }

    /// Like [`of`](Self::of), for an instance that was created with this `apiVersion`, 1.2 or
    /// later. Below 1.3, what that version made core comes from extensions, whatever the device
    /// could do.
    ///
    /// # Safety
    /// `physical` is a physical device of `instance`, which is alive.
    pub unsafe fn for_version(
        instance: &ash::Instance,
        physical: vk::PhysicalDevice,
        api_version: u32,
    ) -> Result<Self> {
        check::instance_version(api_version)?;
        // SAFETY: by the caller's contract.
        let offer = unsafe { Offer::query(instance, physical, api_version) }?;
        Check::of_device(&offer).into_result()?;
        Ok(Self { extensions: extensions(&offer.features, offer.core13), features: offer.features })
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
        if left_out.shader_maximal_reconvergence {
            features.shader_maximal_reconvergence = false;
            drop_extension(ash::khr::shader_maximal_reconvergence::NAME);
        }
        if left_out.shader_subgroup_uniform_control_flow {
            features.shader_subgroup_uniform_control_flow = false;
            drop_extension(ash::khr::shader_subgroup_uniform_control_flow::NAME);
        }
        features.compute_full_subgroups &= !left_out.compute_full_subgroups;
        features.shader_int64 &= !left_out.shader_int64;
        features.shader_float64 &= !left_out.shader_float64;
        features.buffer_device_address &= !left_out.buffer_device_address;
    }

    /// The feature structures, to be chained into `VkDeviceCreateInfo`.
    pub fn feature_chain(&self) -> FeatureChain {
        FeatureChain::new(&self.features)
    }

    /// The extensions, after those that are enabled anyway, each once.
    ///
    /// # Safety
    /// `own` are C strings, as `VkDeviceCreateInfo` wants them.
    pub unsafe fn extensions_with(&self, own: &[*const c_char]) -> Vec<*const c_char> {
        // SAFETY: by the caller's contract.
        let has = |name: &CStr| own.iter().any(|&o| unsafe { CStr::from_ptr(o) } == name);
        let more = self.extensions.iter().filter(|e| !has(e)).map(|e| e.as_ptr());
        own.iter().copied().chain(more).collect()
    }
}

/// What a physical device offers to an instance of some version.
struct Offer {
    properties: DeviceProperties,
    features: Features,
    /// Whether both are of Vulkan 1.3 or later.
    core13: bool,
}

impl Offer {
    /// # Safety
    /// `physical` is a physical device of `instance`, which is alive.
    unsafe fn query(
        instance: &ash::Instance,
        physical: vk::PhysicalDevice,
        api_version: u32,
    ) -> Result<Self> {
        // SAFETY: by the caller's contract.
        let properties = unsafe { DeviceProperties::query(instance, physical) };
        let available = extension_names(instance, physical)?;
        let has = |name: &CStr| available.iter().any(|e| e.as_c_str() == name);
        let core13 = properties.api_version.min(api_version) >= vk::API_VERSION_1_3;
        let features = query_features(instance, physical, core13, &has);
        Ok(Self { properties, features, core13 })
    }
}

/// The extensions that features need, each once.
fn extensions(features: &Features, core13: bool) -> Vec<&'static CStr> {
    let mut extensions: Vec<_> =
        KNOWN.iter().filter(|k| (k.on)(features)).filter_map(|k| k.extension(core13)).collect();
    // Both features of subgroup size control, which are neighbours, come with one extension.
    extensions.dedup();
    extensions
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
    let mut addresses = vk::PhysicalDeviceBufferDeviceAddressFeatures::default();
    let mut maximal = vk::PhysicalDeviceShaderMaximalReconvergenceFeaturesKHR::default();
    let mut uniform = vk::PhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR::default();
    let has_size_control = core13 || has(ash::ext::subgroup_size_control::NAME);
    let has_executables = has(ash::khr::pipeline_executable_properties::NAME);
    let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut addresses);
    if core13 || has(ash::khr::synchronization2::NAME) {
        all = all.push_next(&mut synchronization2);
    }
    if has_size_control {
        all = all.push_next(&mut size_control);
    }
    if has_executables {
        all = all.push_next(&mut executables);
    }
    if has(ash::khr::shader_maximal_reconvergence::NAME) {
        all = all.push_next(&mut maximal);
    }
    if has(ash::khr::shader_subgroup_uniform_control_flow::NAME) {
        all = all.push_next(&mut uniform);
    }
    // SAFETY: every chained structure belongs to Vulkan 1.2 or to a version or extension that the
    // device reports; a device of an older version leaves what it does not know as it is.
    unsafe { instance.get_physical_device_features2(physical, &mut all) };
    let shader_int64 = all.features.shader_int64 == vk::TRUE;
    let shader_float64 = all.features.shader_float64 == vk::TRUE;
    Features {
        synchronization2: synchronization2.synchronization2 == vk::TRUE,
        subgroup_size_control: size_control.subgroup_size_control == vk::TRUE,
        compute_full_subgroups: size_control.compute_full_subgroups == vk::TRUE,
        push_descriptor: has(ash::khr::push_descriptor::NAME),
        pipeline_executable_info: executables.pipeline_executable_info == vk::TRUE,
        shader_int64,
        shader_float64,
        buffer_device_address: addresses.buffer_device_address == vk::TRUE,
        shader_maximal_reconvergence: maximal.shader_maximal_reconvergence == vk::TRUE,
        shader_subgroup_uniform_control_flow: uniform.shader_subgroup_uniform_control_flow
            == vk::TRUE,
        portability_subset: has(ash::khr::portability_subset::NAME),
    }
}
