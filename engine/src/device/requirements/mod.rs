//! Device requirements of the engine, in a form that an embedder can merge into its own device creation, and checks
//! whether a device meets them.

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

/// Minimum API version of instance and device.
pub const API_VERSION: u32 = vk::API_VERSION_1_2;

/// Subgroup operations that the kernels use in compute shaders.
pub const SUBGROUP_OPERATIONS: vk::SubgroupFeatureFlags = vk::SubgroupFeatureFlags::from_raw(
    vk::SubgroupFeatureFlags::BASIC.as_raw()
        | vk::SubgroupFeatureFlags::VOTE.as_raw()
        | vk::SubgroupFeatureFlags::BALLOT.as_raw()
        | vk::SubgroupFeatureFlags::ARITHMETIC.as_raw()
        | vk::SubgroupFeatureFlags::SHUFFLE.as_raw(),
);

/// Device features and extensions that are, or will be, enabled on a device. Only `synchronization2` is required; the
/// others are optional.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// `synchronization2` (Vulkan 1.3 or `VK_KHR_synchronization2`); required.
    pub synchronization2: bool,
    /// `subgroupSizeControl` (Vulkan 1.3 or `VK_EXT_subgroup_size_control`).
    pub subgroup_size_control: bool,
    /// `computeFullSubgroups` of the same extension.
    pub compute_full_subgroups: bool,
    /// `VK_KHR_push_descriptor`: binds buffers without descriptor sets.
    pub push_descriptor: bool,
    /// `pipelineExecutableInfo` of `VK_KHR_pipeline_executable_properties`: reports registers and spills of each
    /// pipeline.
    pub pipeline_executable_info: bool,
    /// `shaderInt64`: 64-bit keys.
    pub shader_int64: bool,
    /// `shaderFloat64`: custom bucket functions and histograms of 64-bit float keys.
    pub shader_float64: bool,
    /// `bufferDeviceAddress` (Vulkan 1.2): kernels that access buffers by address.
    pub buffer_device_address: bool,
    /// `shaderMaximalReconvergence` of `VK_KHR_shader_maximal_reconvergence`: guarantees that lanes reconverge as the
    /// source suggests.
    pub shader_maximal_reconvergence: bool,
    /// `shaderSubgroupUniformControlFlow` of `VK_KHR_shader_subgroup_uniform_control_flow`: guarantees reconvergence
    /// after branches that a subgroup entered together. Used if maximal reconvergence is not available.
    pub shader_subgroup_uniform_control_flow: bool,
    /// `VK_KHR_portability_subset`: must be enabled if the device supports it (MoltenVK).
    pub portability_subset: bool,
}

/// A member of [`Features`] with its Vulkan names.
struct Known {
    on: fn(&Features) -> bool,
    /// Names of the feature and its structure; `None` for an extension without a feature.
    feature: Option<(&'static str, &'static str)>,
    extension: Option<Extension>,
}

/// An extension, and whether Vulkan 1.3 made it core.
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
    /// The extension to enable; `None` if core Vulkan includes it.
    fn extension(&self, core13: bool) -> Option<&'static CStr> {
        self.extension.filter(|e| !(core13 && e.core13)).map(|e| e.name)
    }
}

const SIZE_CONTROL: &str = "VkPhysicalDeviceSubgroupSizeControlFeatures";

/// All members of [`Features`], in declaration order.
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

/// Features and extensions to enable on a physical device. Merge them into your own device creation.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let (instance, physical): (ash::Instance, ash::vk::PhysicalDevice) = unimplemented!();
/// let wanted = unsafe { multisplit::Requirements::of(&instance, physical)? };
/// let mut chain = wanted.feature_chain(); // or set `wanted.features` in your own structures
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
    /// Features to enable; the device supports all of them.
    pub features: Features,
}

impl Requirements {
    /// Queries a physical device. Returns the features and extensions to enable, or an error that lists missing
    /// requirements. The instance must use Vulkan 1.3 or later.
    ///
    /// # Safety
    /// `physical` is a physical device of `instance`, which is alive.
    pub unsafe fn of(instance: &ash::Instance, physical: vk::PhysicalDevice) -> Result<Self> {
        // SAFETY: by the caller's contract.
        unsafe { Self::for_version(instance, physical, vk::API_VERSION_1_3) }
    }

    /// Like [`of`](Self::of), for an instance created with this `apiVersion`, at least 1.2. Below 1.3, features that
    /// became core in 1.3 use their extensions, even if the device supports 1.3.
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

    /// Removes the given features and their extensions.
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

    /// Feature structures to chain into `VkDeviceCreateInfo`.
    pub fn feature_chain(&self) -> FeatureChain {
        FeatureChain::new(&self.features)
    }

    /// Appends the required extensions to `own`, without duplicates.
    ///
    /// # Safety
    /// `own` contains valid C strings.
    pub unsafe fn extensions_with(&self, own: &[*const c_char]) -> Vec<*const c_char> {
        // SAFETY: by the caller's contract.
        let has = |name: &CStr| own.iter().any(|&o| unsafe { CStr::from_ptr(o) } == name);
        let more = self.extensions.iter().filter(|e| !has(e)).map(|e| e.as_ptr());
        own.iter().copied().chain(more).collect()
    }
}

/// Features that a physical device supports with an instance of a given version.
struct Offer {
    properties: DeviceProperties,
    features: Features,
    /// Whether both device and instance support Vulkan 1.3.
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

/// Extensions that the features need, without duplicates.
fn extensions(features: &Features, core13: bool) -> Vec<&'static CStr> {
    let mut extensions: Vec<_> =
        KNOWN.iter().filter(|k| (k.on)(features)).filter_map(|k| k.extension(core13)).collect();
    // Both features of subgroup size control need the same extension, and are adjacent in `KNOWN`.
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
    // SAFETY: every chained structure belongs to Vulkan 1.2 or to a version or extension that the device reports; an
    // older device ignores unknown structures.
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
