//! Device requirements of the engine. An embedding program can merge them into its own device creation, or check
//! whether an existing device meets them.

mod chain;
mod check;
mod features;
mod instance;

pub use chain::FeatureChain;
pub use check::{Check, Missing, Why};
pub use features::Features;
pub use instance::InstanceRequirements;

use std::ffi::{CStr, c_char};

use ash::vk;

use crate::error::Result;
use check::Offer;
use features::{KNOWN, Known, Need};

/// Features and extensions to enable on a physical device. Merge them into your own device creation.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let (instance, physical): (ash::Instance, ash::vk::PhysicalDevice) = unimplemented!();
/// let wanted = unsafe { multisplit::requirements::Requirements::of(&instance, physical)? };
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
    /// Queries a physical device. Returns the features and extensions to enable, or an error that lists all missing
    /// requirements. The instance must have been created with Vulkan 1.3 or later.
    ///
    /// # Safety
    /// `physical` is a physical device of `instance`, which is alive.
    pub unsafe fn of(instance: &ash::Instance, physical: vk::PhysicalDevice) -> Result<Self> {
        // SAFETY: `for_version` has the same requirements as this function.
        unsafe { Self::for_version(instance, physical, vk::API_VERSION_1_3) }
    }

    /// Like [`of`](Self::of), for an instance that was created with `api_version`, at least 1.2. Below 1.3, features
    /// that became core in 1.3 are enabled by their extensions, even if the device supports 1.3.
    ///
    /// # Safety
    /// `physical` is a physical device of `instance`, which is alive.
    pub unsafe fn for_version(
        instance: &ash::Instance,
        physical: vk::PhysicalDevice,
        api_version: u32,
    ) -> Result<Self> {
        // SAFETY: the caller guarantees that the physical device belongs to the live instance.
        let offer = unsafe { Offer::query(instance, physical, api_version) }?;
        let features = Check::of_enabled(&offer, &offer.features).into_result()?;
        let enabled = KNOWN.iter().filter(|known| known.is_on(&features));
        let mut extensions: Vec<_> =
            enabled.filter_map(|known| known.extension_with(offer.core13)).collect();
        // Both features of subgroup size control need the same extension, and are adjacent in the table.
        extensions.dedup();
        Ok(Self { extensions, features })
    }

    /// Removes the given features, and extensions that no other feature needs. `compute_full_subgroups` is removed with
    /// `subgroup_size_control`. Required features are not removed.
    pub fn leave_out(&mut self, left_out: &Features) {
        let mut left_out = *left_out;
        left_out.compute_full_subgroups |= left_out.subgroup_size_control;
        let optional = |known: &&Known| known.need == Need::Optional;
        for known in KNOWN.iter().filter(optional).filter(|known| known.is_on(&left_out)) {
            *(known.member)(&mut self.features) = false;
        }
        let is_in = |name: &CStr, features: &Features| {
            KNOWN.iter().any(|known| known.is_in(name) && known.is_on(features))
        };
        self.extensions.retain(|name| !is_in(name, &left_out) || is_in(name, &self.features));
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
        // SAFETY: the caller guarantees that `own` contains valid C strings.
        let has = |name: &CStr| own.iter().any(|&o| unsafe { CStr::from_ptr(o) } == name);
        let more = self.extensions.iter().filter(|e| !has(e)).map(|e| e.as_ptr());
        own.iter().copied().chain(more).collect()
    }

    /// Checks a device that was created with these `features` and their extensions, for a queue of `queue_family`.
    /// `api_version` is the version that the instance was created with.
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
        // SAFETY: the caller guarantees that the physical device belongs to the live instance.
        let offer = unsafe { Offer::query(instance, physical, api_version) }?;
        let mut check = Check::of_enabled(&offer, features);
        // SAFETY: the physical device belongs to this instance.
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
        // SAFETY: the caller guarantees that the physical device belongs to the live instance.
        let offer = unsafe { Offer::query(instance, physical, api_version) }?;
        // SAFETY: the caller guarantees that `info` is valid and its chain is not modified meanwhile.
        let (bits, extensions) = unsafe { (chain::read(info), extension_names(info)) };
        let has = |name: &CStr| extensions.contains(&name);
        let mut features = Features::default();
        for known in KNOWN {
            let extension = known.extension_with(offer.core13).is_none_or(has);
            let is_set = known.feature.is_none() || known.is_on(&bits);
            *(known.member)(&mut features) = extension && is_set;
        }
        let mut check = Check::of_enabled(&offer, &features);
        for list in [&mut check.missing, &mut check.unused] {
            for missing in list {
                name_extension(missing, &bits, offer.core13);
            }
        }
        Ok(check)
    }
}

/// Corrects the report of a missing feature. If the feature's bit is set in `bits`, only its extension is missing, so
/// the extension is reported instead.
fn name_extension(missing: &mut Missing, bits: &Features, core13: bool) {
    let Missing::Feature { name, why: Why::NotEnabled, .. } = *missing else { return };
    let known = KNOWN.iter().find(|k| k.feature.is_some_and(|(other, _)| other == name));
    if let Some(known) = known.filter(|k| k.is_on(bits))
        && let Some(name) = known.extension_with(core13)
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
    // SAFETY: the caller guarantees that the array has `enabled_extension_count` valid C strings.
    unsafe {
        let names = std::slice::from_raw_parts(info.pp_enabled_extension_names, count);
        names.iter().map(|&name| CStr::from_ptr(name)).collect()
    }
}
