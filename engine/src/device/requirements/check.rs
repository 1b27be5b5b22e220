//! Checks whether the engine can run on a device, and lists the missing requirements. The device may be one that is
//! yet to be created, or one that other code created.

use std::ffi::CStr;
use std::fmt;

use ash::vk;

use super::chain;
use super::features::{Features, KNOWN, Known, Need, SIZE_CONTROL};
use crate::device::DeviceProperties;
use crate::device::properties::extension_names;
use crate::error::{Error, Result};

/// Minimum API version of instance and device.
pub(super) const API_VERSION: u32 = vk::API_VERSION_1_2;

/// Subgroup operations that the kernels use in compute shaders.
const SUBGROUP_OPERATIONS: vk::SubgroupFeatureFlags = vk::SubgroupFeatureFlags::from_raw(
    vk::SubgroupFeatureFlags::BASIC.as_raw()
        | vk::SubgroupFeatureFlags::VOTE.as_raw()
        | vk::SubgroupFeatureFlags::BALLOT.as_raw()
        | vk::SubgroupFeatureFlags::ARITHMETIC.as_raw()
        | vk::SubgroupFeatureFlags::SHUFFLE.as_raw(),
);

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
    /// Subgroup operations that the device does not support.
    SubgroupOperations(vk::SubgroupFeatureFlags),
    /// Subgroup operations in compute shaders.
    SubgroupsInCompute,
    /// A subgroup size between 4 and 128. Contains the actual subgroup size of the device.
    SubgroupSize(u32),
    /// Compute support of the given queue family; if `None`, of any queue family.
    Compute(Option<u32>),
    /// A function that the engine calls, but `vkGetDeviceProcAddr` does not return.
    Function {
        /// Name of the function.
        name: &'static CStr,
    },
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suffix = |why: Why| match why {
            Why::NotSupported => "",
            Why::NotEnabled => " (not enabled on the device)",
        };
        match *self {
            Self::Version { of, needed, found } => {
                let number = |v| (vk::api_version_major(v), vk::api_version_minor(v));
                let ((major, minor), (a, b)) = (number(needed), number(found));
                write!(f, "Vulkan {major}.{minor} (the {of} has {a}.{b})")
            }
            Self::Extension { name, why } => {
                write!(f, "{}{}", name.to_string_lossy(), suffix(why))
            }
            Self::Feature { name, structure, why } => {
                write!(f, "{name} of {structure}{}", suffix(why))
            }
            Self::SubgroupOperations(operations) => write!(f, "subgroup operations {operations:?}"),
            Self::SubgroupsInCompute => f.write_str("subgroup operations in compute shaders"),
            Self::SubgroupSize(size) => write!(f, "a subgroup size from 4 to 128 (it is {size})"),
            Self::Compute(None) => f.write_str("a compute queue"),
            Self::Compute(Some(family)) => write!(f, "compute on queue family {family}"),
            Self::Function { name } => {
                let name = name.to_string_lossy();
                write!(f, "the function {name} (vkGetDeviceProcAddr returns null)")
            }
        }
    }
}

/// Result of checking a device.
#[derive(Clone, Debug)]
pub struct Check {
    /// Name of the device.
    pub device: String,
    /// The enabled subset of [`Requirements::of`](super::Requirements::of), for
    /// [`AdoptedDevice::features`](crate::AdoptedDevice::features).
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
        self.missing.retain(|missing| {
            !matches!(missing, Missing::Feature { name: "synchronization2", .. })
        });
    }

    /// Checks a device on which `enabled` and the corresponding extensions are enabled.
    pub(super) fn of_enabled(offer: &Offer, enabled: &Features) -> Self {
        let mut missing = missing_properties(offer);
        let mut unused = Vec::new();
        for known in KNOWN {
            let (offered, on) = (known.is_on(&offer.features), known.is_on(enabled));
            let why = if offered { Why::NotEnabled } else { Why::NotSupported };
            match (offered, on, known.need) {
                (true, true, _) | (false, false, Need::Optional | Need::IfSupported) => {}
                (true, false, Need::Optional) => unused.extend(known.missing(why)),
                _ => missing.extend(known.missing(why)),
            }
        }
        if let Some(lacking) = missing_full_subgroups(offer, enabled) {
            unused.retain(|unused| *unused != lacking);
            missing.push(lacking);
        }
        Self { device: offer.properties.name.clone(), features: *enabled, missing, unused }
    }
}

impl Known {
    fn missing(&self, why: Why) -> Option<Missing> {
        let extension = self.extension_with(false).map(|name| Missing::Extension { name, why });
        self.feature
            .map(|(name, structure)| Missing::Feature { name, structure, why })
            .or(extension)
    }
}

/// Returns `computeFullSubgroups` as missing unless all subgroups of a kernel are guaranteed to be full. They are if
/// `computeFullSubgroups` is enabled. They also are if device and instance support Vulkan 1.3 (and thus kernels in SPIR-V
/// 1.6), and the device either has a fixed subgroup size or has subgroup size control enabled.
fn missing_full_subgroups(offer: &Offer, enabled: &Features) -> Option<Missing> {
    let (min, max) = offer.properties.subgroup_size_range;
    let by_module = offer.core13 && (enabled.subgroup_size_control || min == max);
    if enabled.compute_full_subgroups || by_module {
        return None;
    }
    let why = match offer.features.compute_full_subgroups {
        true => Why::NotEnabled,
        false => Why::NotSupported,
    };
    Some(Missing::Feature { name: "computeFullSubgroups", structure: SIZE_CONTROL, why })
}

/// Rejects a loader or an instance (named by `of`) that is older than [`API_VERSION`]. Those of Vulkan 1.0 even lack
/// the functions that query a device.
pub(super) fn check_version(of: &'static str, found: u32) -> Result<()> {
    if found >= API_VERSION {
        return Ok(());
    }
    let missing = vec![Missing::Version { of, needed: API_VERSION, found }.to_string()];
    Err(Error::MissingRequirements { device: format!("the Vulkan {of}"), missing })
}

/// Requirements that the device cannot meet, regardless of how it is created.
fn missing_properties(offer: &Offer) -> Vec<Missing> {
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

/// Features that a physical device supports with an instance of a given version.
pub(super) struct Offer {
    properties: DeviceProperties,
    pub features: Features,
    /// Whether both device and instance support Vulkan 1.3.
    pub core13: bool,
}

impl Offer {
    /// # Safety
    /// `physical` is a physical device of `instance`, which is alive.
    pub unsafe fn query(
        instance: &ash::Instance,
        physical: vk::PhysicalDevice,
        api_version: u32,
    ) -> Result<Self> {
        check_version("instance", api_version)?;
        // SAFETY: the caller guarantees that the physical device belongs to the live instance.
        let properties = unsafe { DeviceProperties::query(instance, physical) };
        let available = extension_names(instance, physical)?;
        let has = |name: &CStr| available.iter().any(|e| e.as_c_str() == name);
        let core13 = properties.api_version.min(api_version) >= vk::API_VERSION_1_3;
        let is_available = |known: &Known| known.extension_with(core13).is_none_or(has);
        // SAFETY: as above.
        let features = unsafe { chain::query(instance, physical, is_available) };
        Ok(Self { properties, features, core13 })
    }
}
