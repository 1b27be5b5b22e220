//! Whether the engine runs on a device, as it is or as another engine created it; and if not, what
//! exactly is missing.

use std::ffi::CStr;
use std::fmt;

use ash::vk;

use super::{API_VERSION, Features, KNOWN, Known, Offer, Requirements, SUBGROUP_OPERATIONS, chain};
use crate::error::{Error, Result};

/// Why something is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The device does not have it.
    NotSupported,
    /// The device has it, but was created without it.
    NotEnabled,
}

/// One thing that a device lacks. It prints as a phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Missing {
    /// A version of Vulkan.
    Version {
        /// Of what: `loader`, `instance` or `device`.
        of: &'static str,
        /// The version needed.
        needed: u32,
        /// The version it has.
        found: u32,
    },
    /// A device extension.
    Extension {
        /// Its name.
        name: &'static CStr,
        /// Why it is missing.
        why: Why,
    },
    /// A device feature.
    Feature {
        /// Its name, as Vulkan spells it.
        name: &'static str,
        /// The structure it is a member of. Features that became core are also members of
        /// `VkPhysicalDeviceVulkan12Features` and `VkPhysicalDeviceVulkan13Features`.
        structure: &'static str,
        /// Why it is missing.
        why: Why,
    },
    /// Subgroup operations.
    SubgroupOperations(vk::SubgroupFeatureFlags),
    /// Subgroup operations in compute shaders.
    SubgroupsInCompute,
    /// A subgroup size that the kernels work with, 4 to 128; it is another.
    SubgroupSize(u32),
    /// A queue family with compute: any, or the one that was named.
    Compute(Option<u32>),
    /// A function that the engine calls, which `vkGetDeviceProcAddr` does not know.
    Function {
        /// Its name.
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
                    "the function {} (vkGetDeviceProcAddr gives none)",
                    name.to_string_lossy()
                )
            }
        }
    }
}

/// What a look at a device has found.
#[derive(Clone, Debug)]
pub struct Check {
    /// The device's name.
    pub device: String,
    /// What is enabled on it of [`Requirements::of`]: for
    /// [`AdoptedDevice::features`](crate::AdoptedDevice::features).
    pub features: Features,
    /// What it needs and lacks; empty for a device that can be adopted.
    pub missing: Vec<Missing>,
    /// What it has, and could use, but was created without.
    pub unused: Vec<Missing>,
}

impl Check {
    /// The features, or an error that names everything that is missing.
    pub fn into_result(self) -> Result<Features> {
        if self.missing.is_empty() {
            return Ok(self.features);
        }
        let missing = self.missing.iter().map(Missing::to_string).collect();
        Err(Error::MissingRequirements { device: self.device, missing })
    }

    /// Lets a device pass that has, or was created with, no `synchronization2`.
    pub(crate) fn allow_without_synchronization2(&mut self) {
        let name = KNOWN.first().and_then(|known| known.feature).map(|(name, _)| name);
        self.missing.retain(|missing| match missing {
            Missing::Feature { name: other, .. } => Some(*other) != name,
            _ => true,
        });
    }

    /// A device of which everything useful will be enabled.
    pub(super) fn of_device(offer: &Offer) -> Self {
        let mut missing = device_lacks(offer);
        if !offer.features.synchronization2 {
            missing.extend(KNOWN.first().and_then(|k| k.missing(Why::NotSupported)));
        }
        missing.extend(without_full_subgroups(offer, &offer.features));
        let (device, features) = (offer.properties.name.clone(), offer.features);
        Self { device, features, missing, unused: Vec::new() }
    }

    /// A device on which these features, with their extensions, are enabled.
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

/// Kernels rely on full subgroups: `computeFullSubgroups` where nothing else promises them. From Vulkan 1.3
/// on modules can ask for them, if subgroups have one size or can be told which.
fn without_full_subgroups(offer: &Offer, enabled: &Features) -> Option<Missing> {
    let (least, most) = offer.properties.subgroup_size_range;
    let by_module = offer.core13 && (enabled.subgroup_size_control || least == most);
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
    /// Without it nothing runs, or the device must not have been created.
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
    /// Looks at a device that was created with these `features` (and their extensions), for use
    /// on a queue of `queue_family`. `api_version` is the instance's.
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

    /// Looks at what a device was, or is going to be, created with.
    ///
    /// # Safety
    /// `physical` is a physical device of `instance`, which is alive. `info` is one that
    /// `vkCreateDevice` accepts for it, and nobody writes to its chain meanwhile.
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
        // A feature that is set, without its extension, is as good as none: name the extension.
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
/// The names are those of a valid `VkDeviceCreateInfo`.
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

/// Such an instance need not even have the calls that look at the device.
pub(super) fn instance_version(found: u32) -> Result<()> {
    version("instance", found)
}

/// A loader of Vulkan 1.0 lacks the calls that look at devices.
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

/// What no way of creating the device would bring.
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
