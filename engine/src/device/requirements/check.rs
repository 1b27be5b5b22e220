//! Checks whether the engine can run on a device, before its creation or as another engine created it, and lists the
//! missing requirements.

use std::ffi::CStr;
use std::fmt;

use ash::vk;

use super::{API_VERSION, Features, KNOWN, Known, Offer, Requirements, SUBGROUP_OPERATIONS, chain};
use crate::error::{Error, Result};

/// Reason why a requirement is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The device does not support it.
    NotSupported,
    /// The device supports it, but was created without it.
    NotEnabled,
}

/// A requirement that a device does not meet. `Display` formats it as a phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Missing {
    /// A newer Vulkan version.
    Version {
        /// The component: `loader`, `instance` or `device`.
        of: &'static str,
        /// The required version.
        needed: u32,
        /// The available version.
        found: u32,
    },
    /// A device extension.
    Extension {
        /// Name of the extension.
        name: &'static CStr,
        /// Reason why it is missing.
        why: Why,
    },
    /// A device feature.
    Feature {
        /// Name of the feature in the Vulkan specification.
        name: &'static str,
        /// The structure that contains it. Features that became core are also members of
        /// `VkPhysicalDeviceVulkan12Features` and `VkPhysicalDeviceVulkan13Features`.
        structure: &'static str,
        /// Reason why it is missing.
        why: Why,
    },
    /// Subgroup operations.
    SubgroupOperations(vk::SubgroupFeatureFlags),
    /// Subgroup operations in compute shaders.
    SubgroupsInCompute,
    /// A subgroup size between 4 and 128. Contains the actual subgroup size of the device.
    SubgroupSize(u32),
    /// A queue family that supports compute: any, or the given one.
    Compute(Option<u32>),
    /// A function that the engine calls, but `vkGetDeviceProcAddr` does not return.
    Function {
        /// Name of the function.
        name: &'static CStr,
    },
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = |why: Why| match why {
            Why::NotSupported => "",
            Why::NotEnabled => " (not enabled on the device)",
        };
        match *self {
            Self::Version { of, needed, found } => {
                let number = |v| (vk::api_version_major(v), vk::api_version_minor(v));
                let ((major, minor), (a, b)) = (number(needed), number(found));
                write!(f, "Vulkan {major}.{minor} (the {of} has {a}.{b})")
            }
            Self::Extension { name, why: reason } => {
                write!(f, "{}{}", name.to_string_lossy(), why(reason))
            }
            Self::Feature { name, structure, why: reason } => {
                write!(f, "{name} of {structure}{}", why(reason))
            }
            Self::SubgroupOperations(operations) => write!(f, "subgroup operations {operations:?}"),
            Self::SubgroupsInCompute => f.write_str("subgroup operations in compute shaders"),
            Self::SubgroupSize(size) => write!(f, "a subgroup size from 4 to 128 (it is {size})"),
            Self::Compute(None) => f.write_str("a compute queue"),
            Self::Compute(Some(family)) => write!(f, "compute on queue family {family}"),
            Self::Function { name } => {
                write!(
                    f,
                    "the function {} (vkGetDeviceProcAddr returns null)",
                    name.to_string_lossy()
                )
            }
        }
    }
}

/// Result of checking a device.
#[derive(Clone, Debug)]
pub struct Check {
    /// Name of the device.
    pub device: String,
    /// The enabled subset of [`Requirements::of`], for [`AdoptedDevice::features`](crate::AdoptedDevice::features).
    pub features: Features,
    /// Missing requirements; empty if the device can be adopted.
    pub missing: Vec<Missing>,
    /// Optional features that the device supports, but was created without.
    pub unused: Vec<Missing>,
}

impl Check {
    /// Returns the features, or an error that lists all missing requirements.
    pub fn into_result(self) -> Result<Features> {
        if self.missing.is_empty() {
            return Ok(self.features);
        }
        let missing = self.missing.iter().map(Missing::to_string).collect();
        Err(Error::MissingRequirements { device: self.device, missing })
    }

    /// Accepts a device that does not support `synchronization2`, or was created without it.
    pub(crate) fn allow_without_synchronization2(&mut self) {
        let name = KNOWN.first().and_then(|known| known.feature).map(|(name, _)| name);
        self.missing.retain(|missing| match missing {
            Missing::Feature { name: other, .. } => Some(*other) != name,
            _ => true,
        });
    }

    /// Checks a device on which all supported features will be enabled.
    pub(super) fn of_device(offer: &Offer) -> Self {
        let mut missing = device_lacks(offer);
        if !offer.features.synchronization2 {
            missing.extend(KNOWN.first().and_then(|k| k.missing(Why::NotSupported)));
        }
        missing.extend(without_full_subgroups(offer, &offer.features));
        let (device, features) = (offer.properties.name.clone(), offer.features);
        Self { device, features, missing, unused: Vec::new() }
    }

    /// Checks a device on which `enabled` and the corresponding extensions are enabled.
    fn of_enabled(offer: &Offer, enabled: &Features) -> Self {
        let mut missing = device_lacks(offer);
        let mut unused = Vec::new();
        for known in &KNOWN {
            let (offered, on) = ((known.on)(&offer.features), (known.on)(enabled));
            match (offered, on) {
                (true, true) => {}
                (false, true) => missing.extend(known.missing(Why::NotSupported)),
                (true, false) if known.is_required() => {
                    missing.extend(known.missing(Why::NotEnabled));
                }
                (true, false) => unused.extend(known.missing(Why::NotEnabled)),
                (false, false) if known.is_required_everywhere() => {
                    missing.extend(known.missing(Why::NotSupported));
                }
                (false, false) => {}
            }
        }
        if let Some(lacking) = without_full_subgroups(offer, enabled) {
            unused.retain(|unused| *unused != lacking);
            missing.push(lacking);
        }
        Self { device: offer.properties.name.clone(), features: *enabled, missing, unused }
    }
}

/// Checks that kernels can rely on full subgroups: either `computeFullSubgroups` is enabled, or Vulkan 1.3 modules
/// require them, which needs a fixed subgroup size or size control.
fn without_full_subgroups(offer: &Offer, enabled: &Features) -> Option<Missing> {
    let (min, max) = offer.properties.subgroup_size_range;
    let by_module = offer.core13 && (enabled.subgroup_size_control || min == max);
    if enabled.compute_full_subgroups || by_module {
        return None;
    }
    let why = match offer.features.compute_full_subgroups {
        true => Why::NotEnabled,
        false => Why::NotSupported,
    };
    let full = Features { compute_full_subgroups: true, ..Features::default() };
    KNOWN.iter().find(|known| (known.on)(&full)).and_then(|known| known.missing(why))
}

impl Known {
    /// Whether the engine cannot run without it, or Vulkan requires it to be enabled.
    fn is_required(&self) -> bool {
        self.is_required_everywhere()
            || (self.on)(&Features { portability_subset: true, ..Features::default() })
    }

    fn is_required_everywhere(&self) -> bool {
        (self.on)(&Features { synchronization2: true, ..Features::default() })
    }

    fn missing(&self, why: Why) -> Option<Missing> {
        let extension = self.extension.map(|e| Missing::Extension { name: e.name, why });
        self.feature
            .map(|(name, structure)| Missing::Feature { name, structure, why })
            .or(extension)
    }
}

impl Requirements {
    /// Checks a device that was created with these `features` and their extensions, for a queue of `queue_family`.
    /// `api_version` is the instance's.
    ///
    /// # Safety
    /// `physical` is a physical device of `instance`, which is alive.
    pub unsafe fn check(
        instance: &ash::Instance,
        physical: vk::PhysicalDevice,
        api_version: u32,
        features: &Features,
        queue_family: u32,
    ) -> Result<Check> {
        instance_version(api_version)?;
        // SAFETY: by the caller's contract.
        let offer = unsafe { Offer::query(instance, physical, api_version) }?;
        let mut check = Check::of_enabled(&offer, features);
        // SAFETY: a physical device of this instance.
        let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
        let family = families.get(queue_family as usize);
        if !family.is_some_and(|f| f.queue_flags.contains(vk::QueueFlags::COMPUTE)) {
            check.missing.push(Missing::Compute(Some(queue_family)));
        }
        Ok(check)
    }

    /// Checks the create-info of a device, before or after its creation.
    ///
    /// # Safety
    /// `physical` is a physical device of `instance`, which is alive. `info` is valid for `vkCreateDevice`, and its
    /// chain is not modified meanwhile.
    pub unsafe fn check_create_info(
        instance: &ash::Instance,
        physical: vk::PhysicalDevice,
        api_version: u32,
        info: &vk::DeviceCreateInfo<'_>,
    ) -> Result<Check> {
        instance_version(api_version)?;
        // SAFETY: by the caller's contract.
        let offer = unsafe { Offer::query(instance, physical, api_version) }?;
        // SAFETY: by the caller's contract.
        let (bits, extensions) = unsafe { (chain::read(info), extension_names(info)) };
        let has = |name: &CStr| extensions.contains(&name);
        let on = |known: &Known| {
            let extension = known.extension(offer.core13).is_none_or(has);
            extension && (known.feature.is_none() || (known.on)(&bits))
        };
        let [
            synchronization2,
            subgroup_size_control,
            compute_full_subgroups,
            push_descriptor,
            pipeline_executable_info,
            shader_int64,
            shader_float64,
            buffer_device_address,
            shader_maximal_reconvergence,
            shader_subgroup_uniform_control_flow,
            portability_subset,
        ] = KNOWN.each_ref().map(on);
        let features = Features {
            synchronization2,
            subgroup_size_control,
            compute_full_subgroups,
            push_descriptor,
            pipeline_executable_info,
            shader_int64,
            shader_float64,
            buffer_device_address,
            shader_maximal_reconvergence,
            shader_subgroup_uniform_control_flow,
            portability_subset,
        };
        let mut check = Check::of_enabled(&offer, &features);
        // If a feature is set without its extension, report the extension instead.
        for list in [&mut check.missing, &mut check.unused] {
            for missing in list {
                name_extension(missing, &bits, offer.core13);
            }
        }
        Ok(check)
    }
}

fn name_extension(missing: &mut Missing, bits: &Features, core13: bool) {
    let Missing::Feature { name, why: Why::NotEnabled, .. } = *missing else { return };
    let known = KNOWN.iter().find(|k| k.feature.is_some_and(|(other, _)| other == name));
    if let Some(known) = known.filter(|k| (k.on)(bits))
        && let Some(name) = known.extension(core13)
    {
        *missing = Missing::Extension { name, why: Why::NotEnabled };
    }
}

/// # Safety
/// The extension names are those of a valid `VkDeviceCreateInfo`.
unsafe fn extension_names<'i>(info: &vk::DeviceCreateInfo<'i>) -> Vec<&'i CStr> {
    if info.pp_enabled_extension_names.is_null() {
        return Vec::new();
    }
    let count = info.enabled_extension_count as usize;
    // SAFETY: by the caller's contract.
    unsafe {
        let names = std::slice::from_raw_parts(info.pp_enabled_extension_names, count);
        names.iter().map(|&name| CStr::from_ptr(name)).collect()
    }
}

/// Checks the instance version: older instances may lack the functions that query devices.
pub(super) fn instance_version(found: u32) -> Result<()> {
    version("instance", found)
}

/// Checks the loader version: a Vulkan 1.0 loader lacks the functions that query devices.
pub(super) fn loader_version(found: u32) -> Result<()> {
    version("loader", found)
}

fn version(of: &'static str, found: u32) -> Result<()> {
    if found >= API_VERSION {
        return Ok(());
    }
    let missing = vec![Missing::Version { of, needed: API_VERSION, found }.to_string()];
    Err(Error::MissingRequirements { device: format!("the Vulkan {of}"), missing })
}

/// Requirements that the device does not meet, no matter how it is created.
fn device_lacks(offer: &Offer) -> Vec<Missing> {
    let properties = &offer.properties;
    let mut missing = Vec::new();
    if properties.api_version < API_VERSION {
        let (of, needed, found) = ("device", API_VERSION, properties.api_version);
        missing.push(Missing::Version { of, needed, found });
    }
    let operations = SUBGROUP_OPERATIONS & !properties.subgroup_operations;
    if !operations.is_empty() {
        missing.push(Missing::SubgroupOperations(operations));
    }
    if !properties.subgroup_stages.contains(vk::ShaderStageFlags::COMPUTE) {
        missing.push(Missing::SubgroupsInCompute);
    }
    if !(4..=128).contains(&properties.subgroup_size) {
        missing.push(Missing::SubgroupSize(properties.subgroup_size));
    }
    if properties.compute_family.is_none() {
        missing.push(Missing::Compute(None));
    }
    missing
}
