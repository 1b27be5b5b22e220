//! Device requirements: queried before a device is created, and checked for a device that was created.

use std::ffi::{c_char, c_void};
use std::mem::offset_of;
use std::sync::{Mutex, PoisonError};

use multisplit::ash::Instance;
use multisplit::ash::vk::{self, Handle as _};
use multisplit::requirements::{FeatureChain, Features, Requirements};

use crate::handle::Registry;
use crate::read::{self, Out, Sized32};
use crate::result::{Failure, MultisplitResult, Outcome, guard};
use crate::version;
use crate::vulkan::{
    self, PFN_vkGetInstanceProcAddr, VkDeviceCreateInfo, VkInstance, VkPhysicalDevice,
};

/// Features and extensions used by the library, one bit each. Those that are not documented as required are used
/// if they are enabled.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultisplitFeature {
    /// `synchronization2`, from Vulkan 1.3 or `VK_KHR_synchronization2`: required.
    Synchronization2 = 1,
    /// `subgroupSizeControl`, from Vulkan 1.3 or `VK_EXT_subgroup_size_control`.
    SubgroupSizeControl = 2,
    /// `computeFullSubgroups`, from Vulkan 1.3 or `VK_EXT_subgroup_size_control`: required, except on Vulkan 1.3 if
    /// `SUBGROUP_SIZE_CONTROL` is enabled or the device has only one subgroup size.
    ComputeFullSubgroups = 4,
    /// `VK_KHR_push_descriptor`.
    PushDescriptor = 8,
    /// `pipelineExecutableInfo`, from `VK_KHR_pipeline_executable_properties`.
    PipelineExecutableInfo = 16,
    /// `shaderInt64`: 64-bit keys and samples, and most operations on other 64-bit elements.
    ShaderInt64 = 32,
    /// `shaderFloat64`: sums, histograms and GLSL functions of 64-bit floats.
    ShaderFloat64 = 64,
    /// `bufferDeviceAddress`, from Vulkan 1.2.
    BufferDeviceAddress = 128,
    /// `VK_KHR_portability_subset`: required if the device has it.
    PortabilitySubset = 256,
    /// `shaderMaximalReconvergence`, from `VK_KHR_shader_maximal_reconvergence`.
    ShaderMaximalReconvergence = 512,
    /// `shaderSubgroupUniformControlFlow`, from `VK_KHR_shader_subgroup_uniform_control_flow`.
    ShaderSubgroupUniformControlFlow = 1024,
}

/// Each feature and the corresponding member of [`Features`].
fn members(features: &mut Features) -> [(MultisplitFeature, &mut bool); 11] {
    [
        (MultisplitFeature::Synchronization2, &mut features.synchronization2),
        (MultisplitFeature::SubgroupSizeControl, &mut features.subgroup_size_control),
        (MultisplitFeature::ComputeFullSubgroups, &mut features.compute_full_subgroups),
        (MultisplitFeature::PushDescriptor, &mut features.push_descriptor),
        (MultisplitFeature::PipelineExecutableInfo, &mut features.pipeline_executable_info),
        (MultisplitFeature::ShaderInt64, &mut features.shader_int64),
        (MultisplitFeature::ShaderFloat64, &mut features.shader_float64),
        (MultisplitFeature::BufferDeviceAddress, &mut features.buffer_device_address),
        (MultisplitFeature::PortabilitySubset, &mut features.portability_subset),
        (MultisplitFeature::ShaderMaximalReconvergence, &mut features.shader_maximal_reconvergence),
        (
            MultisplitFeature::ShaderSubgroupUniformControlFlow,
            &mut features.shader_subgroup_uniform_control_flow,
        ),
    ]
}

/// Converts bits to features. `what` is the name of the bits in messages.
pub(crate) fn features_of(what: &str, bits: u32) -> Outcome<Features> {
    let (mut features, mut left) = (Features::default(), bits);
    for (feature, member) in members(&mut features) {
        *member = bits & feature as u32 != 0;
        left &= !(feature as u32);
    }
    if left != 0 {
        return Err(Failure::invalid(format!(
            "{what} has the bits {left:#x}, which are not in MultisplitFeature; use only its bits"
        )));
    }
    Ok(features)
}

/// The requirements on a physical device, without the optional features of `leave_out`.
///
/// # Safety
/// The physical device is null, or valid and belongs to the instance.
pub(crate) unsafe fn of_device(
    instance: &Instance,
    physical: vk::PhysicalDevice,
    api_version: u32,
    leave_out: u32,
) -> Outcome<Requirements> {
    if physical.is_null() {
        return Err(Failure::null("physical_device"));
    }
    // SAFETY: by the caller's contract.
    let mut wanted = unsafe { Requirements::for_version(instance, physical, api_version)? };
    let features = features_of("leave_out", leave_out)?;
    if features.synchronization2 || features.portability_subset {
        let text =
            "leave_out must not contain SYNCHRONIZATION2 or PORTABILITY_SUBSET, which are required";
        return Err(Failure::invalid(text));
    }
    wanted.leave_out(&features);
    Ok(wanted)
}

/// The extensions that the library requires, and those that the caller enables.
///
/// # Safety
/// The extension names of `info` are valid.
pub(crate) unsafe fn extensions_with(
    wanted: &Requirements,
    info: &vk::DeviceCreateInfo<'_>,
) -> Outcome<Vec<*const c_char>> {
    let (what, count) = ("ppEnabledExtensionNames", info.enabled_extension_count.into());
    // SAFETY: by the caller's contract.
    let own = unsafe { read::slice(what, info.pp_enabled_extension_names, count)? };
    if own.iter().any(|name| name.is_null()) {
        return Err(Failure::null("one of ppEnabledExtensionNames"));
    }
    // SAFETY: C strings, by the caller's contract, and not null.
    Ok(unsafe { wanted.extensions_with(own) })
}

/// Converts features to bits.
pub(crate) fn bits_of(mut features: Features) -> u32 {
    let on =
        |(feature, member): (MultisplitFeature, &mut bool)| u32::from(*member) * feature as u32;
    members(&mut features).map(on).iter().sum()
}

/// Features and extensions to enable on a device.
pub struct MultisplitRequirements;

/// The physical device to query.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitRequirementsInfo {
    /// `sizeof(MultisplitRequirementsInfo)`.
    pub struct_size: u32,
    /// `MULTISPLIT_VERSION`.
    pub version: u32,
    /// The Vulkan loader's `vkGetInstanceProcAddr`.
    pub get_instance_proc_addr: PFN_vkGetInstanceProcAddr,
    /// The instance.
    pub instance: VkInstance,
    /// The physical device.
    pub physical_device: VkPhysicalDevice,
    /// The `apiVersion` that the instance was created with: 1.2 or later.
    pub api_version: u32,
    /// Features not to enable even if the device supports them: bits of `MultisplitFeature`, except
    /// `SYNCHRONIZATION2` and `PORTABILITY_SUBSET`. 0: use everything that the device supports.
    pub leave_out: u32,
}

// SAFETY: satisfies the requirements of the trait.
unsafe impl Sized32 for MultisplitRequirementsInfo {
    const NAME: &'static str = "MultisplitRequirementsInfo";
    const REQUIRED: usize = offset_of!(Self, leave_out);
}

/// Features and extensions to enable on a device. The pointers are valid until the requirements are
/// destroyed.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MultisplitRequirementsList {
    /// Extensions to enable.
    pub extensions: *const *const c_char,
    /// Number of extensions.
    pub extension_count: u32,
    /// The features to enable, all supported by the device: bits of `MultisplitFeature`.
    pub features: u32,
    /// Structures with these features, including a `VkPhysicalDeviceFeatures2`: for the `pNext` of a
    /// `VkDeviceCreateInfo` that has no other feature structures.
    pub feature_chain: *const c_void,
}

static REQUIREMENTS: Registry<MultisplitRequirements, Object> = Registry::new("requirements");

/// The object behind a requirements handle.
struct Object {
    instance: Instance,
    physical: vk::PhysicalDevice,
    api_version: u32,
    wanted: Requirements,
    extensions: Names,
    /// Feature chains to which C programs have pointers. Each call creates a new chain, because the caller may
    /// link it into a chain of its own.
    #[expect(clippy::vec_box, reason = "C has pointers to them, so they must not move")]
    chains: Mutex<Vec<Box<FeatureChain>>>,
    /// Arrays of extension names to which `merge` has set pointers in the caller's structures.
    merged: Mutex<Vec<Names>>,
}

/// Extension names. The strings belong to the library or the caller, and are not freed.
struct Names(Vec<*const c_char>);

// SAFETY: the strings are not written to, by the contract of the calls that take them.
unsafe impl Send for Names {}
// SAFETY: as above.
unsafe impl Sync for Names {}

impl Object {
    /// # Safety
    /// The handles of `info`, unless null, are valid and belong together.
    unsafe fn new(info: &MultisplitRequirementsInfo) -> Outcome<Self> {
        version::check(info.version)?;
        // SAFETY: by the caller's contract.
        let (_, instance) =
            unsafe { vulkan::instance(info.get_instance_proc_addr, info.instance)? };
        let (physical, api_version) = (info.physical_device, info.api_version);
        // SAFETY: by the caller's contract.
        let wanted = unsafe { of_device(&instance, physical, api_version, info.leave_out)? };
        let extensions = Names(wanted.extensions.iter().map(|name| name.as_ptr()).collect());
        let (chains, merged) = (Mutex::default(), Mutex::default());
        Ok(Self { instance, physical, api_version, wanted, extensions, chains, merged })
    }

    /// Creates a chain that lives as long as this object, and passes it to `with`.
    fn with_chain<T>(&self, with: impl FnOnce(&mut FeatureChain) -> T) -> T {
        let mut chains = self.chains.lock().unwrap_or_else(PoisonError::into_inner);
        let mut chain = Box::new(self.wanted.feature_chain());
        let made = with(&mut chain);
        chains.push(chain);
        made
    }

    fn list(&self) -> MultisplitRequirementsList {
        let whole =
            |chain: &mut FeatureChain| chain.push_onto(vk::DeviceCreateInfo::default()).p_next;
        MultisplitRequirementsList {
            extensions: self.extensions.0.as_ptr(),
            extension_count: self.extensions.0.len() as u32,
            features: bits_of(self.wanted.features),
            feature_chain: self.with_chain(whole),
        }
    }

    /// # Safety
    /// As for [`multisplit_requirements_merge`].
    unsafe fn merge(&self, create_info: *mut VkDeviceCreateInfo) -> Outcome {
        // SAFETY: by the caller's contract.
        let info = unsafe { create_info.as_mut() };
        let info = info.ok_or_else(|| Failure::null("create_info"))?;
        // SAFETY: by the caller's contract.
        let names = unsafe { extensions_with(&self.wanted, info)? };
        info.enabled_extension_count = names.len() as u32;
        info.pp_enabled_extension_names = names.as_ptr();
        self.merged.lock().unwrap_or_else(PoisonError::into_inner).push(Names(names));
        // Features in `pEnabledFeatures` move into the chain, and the pointer becomes null.
        (info.p_next, info.p_enabled_features) = self.with_chain(|chain| {
            // SAFETY: by the caller's contract.
            let merged = unsafe { chain.merge_into(*info) };
            (merged.p_next, merged.p_enabled_features)
        });
        Ok(())
    }

    /// # Safety
    /// As for [`multisplit_requirements_check`].
    unsafe fn check(&self, create_info: *const VkDeviceCreateInfo) -> Outcome<u32> {
        // SAFETY: by the caller's contract.
        let info = unsafe { create_info.as_ref() };
        let info = info.ok_or_else(|| Failure::null("create_info"))?;
        let (instance, physical) = (&self.instance, self.physical);
        // SAFETY: by the caller's contract.
        let check =
            unsafe { Requirements::check_create_info(instance, physical, self.api_version, info)? };
        Ok(bits_of(check.into_result()?))
    }
}

/// Determines the features and extensions to enable on a physical device. An error lists everything that the
/// device lacks.
///
/// # Safety
/// `info` is `NULL` or points to a `MultisplitRequirementsInfo`. Its handles are `NULL` or valid, and belong
/// together; the instance outlives the requirements. `requirements` is `NULL` or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_requirements_create(
    info: *const MultisplitRequirementsInfo,
    requirements: *mut *mut MultisplitRequirements,
) -> MultisplitResult {
    guard(|| {
        // SAFETY: by the caller's contract.
        unsafe {
            let out = Out::handle("requirements", requirements)?;
            out.set(REQUIREMENTS.insert(Object::new(&read::info(info)?)?)?);
        }
        Ok(())
    })
}

/// Lists the features and extensions to enable, for callers that fill in their own structures.
///
/// # Safety
/// `list` is `NULL` or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_requirements_list(
    requirements: *const MultisplitRequirements,
    list: *mut MultisplitRequirementsList,
) -> MultisplitResult {
    // SAFETY: by the caller's contract.
    unsafe {
        REQUIREMENTS.query(requirements, "list", list, |requirements| Ok(requirements.list()))
    }
}

/// Adds the required features and extensions to the caller's device creation parameters: sets features in
/// existing structures of the chain, links missing structures, and adds the extensions. The additions are
/// valid until the requirements are destroyed.
///
/// # Safety
/// `create_info` is `NULL` or acceptable to `vkCreateDevice`; it and its chain are writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_requirements_merge(
    requirements: *const MultisplitRequirements,
    create_info: *mut VkDeviceCreateInfo,
) -> MultisplitResult {
    // SAFETY: by the caller's contract.
    guard(|| unsafe { REQUIREMENTS.get(requirements)?.merge(create_info) })
}

/// Determines which features a device is created with, for `features` of `MultisplitContextInfo`. An error
/// lists everything that is missing.
///
/// # Safety
/// `create_info` is `NULL` or was accepted by `vkCreateDevice`. `features` is `NULL` or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_requirements_check(
    requirements: *const MultisplitRequirements,
    create_info: *const VkDeviceCreateInfo,
    features: *mut u32,
) -> MultisplitResult {
    // SAFETY: by the caller's contract.
    unsafe {
        REQUIREMENTS.query(requirements, "features", features, |requirements| {
            requirements.check(create_info)
        })
    }
}

/// Destroys requirements. `NULL` is allowed and ignored.
///
/// # Safety
/// Pointers that were obtained from these requirements are not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn multisplit_requirements_destroy(
    requirements: *mut MultisplitRequirements,
) -> MultisplitResult {
    guard(|| REQUIREMENTS.remove(requirements, |_| Ok(())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feature_bits_round_trip() {
        for bits in [0, 1, 0b1_0000_0001, 0x7FF] {
            assert_eq!(bits_of(features_of("features", bits).expect("known features")), bits);
        }
        assert!(features_of("features", 0x800).is_err());
    }
}
