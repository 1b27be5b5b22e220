//! Selects a device. If the caller does not name one, discrete devices are preferred to integrated ones, and integrated
//! ones to software drivers.

use ash::vk;

use crate::device::DeviceProperties;
use crate::device::requirements::{Features, Requirements};
use crate::error::{Error, Result, VkResultExt};

/// Environment variable that selects a device by index or by part of its name.
pub const DEVICE_VARIABLE: &str = "MULTISPLIT_DEVICE";

/// Rule that selects a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// `MULTISPLIT_DEVICE` if it is set, otherwise the best device that can run the kernels.
    #[default]
    Auto,
    /// An index in Vulkan's list of devices, or part of a device name (case-insensitive). A number that is not a
    /// valid index must match a whole word of the name, such as `4090`.
    Named(String),
    /// The first usable software driver.
    Software,
}

impl DeviceChoice {
    /// Returns the selected device. Fails if no device matches, or if the matching device is not usable.
    ///
    /// ```
    /// # fn main() -> Result<(), multisplit::Error> {
    /// use multisplit::{Context, DeviceChoice};
    ///
    /// let devices = Context::devices()?;
    /// let chosen = DeviceChoice::Auto.pick(&devices)?;
    /// println!("{} would be used", chosen.properties.name);
    /// # Ok(())
    /// # }
    /// ```
    pub fn pick<'d>(&self, devices: &'d [DeviceEntry]) -> Result<&'d DeviceEntry> {
        if devices.is_empty() {
            return Err(Error::NoDevice);
        }
        let name = match self {
            Self::Named(name) => Some(name.clone()),
            Self::Auto => std::env::var(DEVICE_VARIABLE).ok().filter(|name| !name.is_empty()),
            Self::Software => None,
        };
        let found = match &name {
            Some(name) => named(name, devices),
            None => best(devices.iter().filter(|d| *self == Self::Auto || d.is_software())),
        };
        let unknown = || Error::UnknownDevice {
            wanted: name.unwrap_or_else(|| "software".to_owned()),
            found: devices.iter().map(DeviceEntry::describe).collect(),
        };
        found.ok_or_else(unknown)?.usable()
    }
}

/// A device that Vulkan lists, and whether it can run the kernels.
#[derive(Clone, Debug)]
pub struct DeviceEntry {
    /// Position in Vulkan's list.
    pub index: usize,
    /// Properties, as reported by the driver.
    pub properties: DeviceProperties,
    /// Missing requirements; empty if the device is usable.
    pub missing: Vec<String>,
    /// Features that opening the device enables; empty if the device is not usable.
    pub features: Features,
    /// Handle from the instance that listed the device. Invalid once this instance is destroyed.
    pub(crate) physical: vk::PhysicalDevice,
}

impl DeviceEntry {
    fn describe(&self) -> String {
        let usable = if self.missing.is_empty() { "" } else { ", not usable" };
        format!("{} `{}` ({}{usable})", self.index, self.properties.name, self.properties.kind())
    }

    fn is_software(&self) -> bool {
        self.properties.device_type == vk::PhysicalDeviceType::CPU
    }

    fn rank(&self) -> u32 {
        match self.properties.device_type {
            vk::PhysicalDeviceType::DISCRETE_GPU => 0,
            vk::PhysicalDeviceType::INTEGRATED_GPU => 1,
            vk::PhysicalDeviceType::VIRTUAL_GPU => 2,
            vk::PhysicalDeviceType::CPU => 4,
            _ => 3,
        }
    }

    fn usable(&self) -> Result<&Self> {
        if self.missing.is_empty() {
            return Ok(self);
        }
        let (device, missing) = (self.properties.name.clone(), self.missing.clone());
        Err(Error::MissingRequirements { device, missing })
    }
}

/// The first usable device of the best type. If no device is usable, returns an unusable one, so that the error can
/// list its missing requirements.
fn best<'d>(devices: impl Iterator<Item = &'d DeviceEntry>) -> Option<&'d DeviceEntry> {
    devices.min_by_key(|d| (!d.missing.is_empty(), d.rank(), d.index))
}

fn named<'d>(name_or_number: &str, devices: &'d [DeviceEntry]) -> Option<&'d DeviceEntry> {
    let number: Option<usize> = name_or_number.parse().ok();
    let name_or_number = name_or_number.to_lowercase();
    let matches = |d: &&DeviceEntry| {
        let name = d.properties.name.to_lowercase();
        match number {
            // A number must match a whole word. Otherwise, an invalid index would match part of a version number.
            Some(_) => {
                name.split(|c: char| !c.is_alphanumeric() && c != '.').any(|w| w == name_or_number)
            }
            None => !name_or_number.is_empty() && name.contains(&name_or_number),
        }
    };
    let by_index = devices.iter().find(|d| Some(d.index) == number);
    let by_name =
        || devices.iter().filter(matches).min_by_key(|d| (!d.missing.is_empty(), d.index));
    by_index.or_else(by_name)
}

/// Lists all devices of the instance. `requirements_of` returns the requirements for each.
pub(crate) fn list(
    instance: &ash::Instance,
    requirements_of: impl Fn(vk::PhysicalDevice) -> Result<Requirements>,
) -> Result<Vec<DeviceEntry>> {
    // SAFETY: a live instance.
    let physical = match unsafe { instance.enumerate_physical_devices() } {
        // The loader returns this if no driver is installed.
        Err(vk::Result::ERROR_INITIALIZATION_FAILED) => Vec::new(),
        other => other.during("vkEnumeratePhysicalDevices")?,
    };
    let entry = |(index, physical)| {
        let (features, missing) = match requirements_of(physical) {
            Ok(requirements) => (requirements.features, Vec::new()),
            Err(Error::MissingRequirements { missing, .. }) => (Features::default(), missing),
            Err(other) => (Features::default(), vec![other.to_string()]),
        };
        // SAFETY: this instance listed the physical device.
        let properties = unsafe { DeviceProperties::query(instance, physical) };
        DeviceEntry { index, properties, missing, features, physical }
    };
    Ok(physical.into_iter().enumerate().map(entry).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(index: usize, name: &str, device_type: vk::PhysicalDeviceType) -> DeviceEntry {
        let properties =
            DeviceProperties { name: name.to_owned(), device_type, ..Default::default() };
        let (missing, features) = (Vec::new(), Features::default());
        DeviceEntry { index, properties, missing, features, physical: Default::default() }
    }

    fn devices() -> Vec<DeviceEntry> {
        use vk::PhysicalDeviceType as Type;
        let mut old = device(2, "GeForce RTX 2080", Type::DISCRETE_GPU);
        old.missing.push("synchronization2".to_owned());
        vec![
            device(0, "llvmpipe (LLVM 15)", Type::CPU),
            device(1, "Iris Xe", Type::INTEGRATED_GPU),
            old,
            device(3, "GeForce RTX 4090", Type::DISCRETE_GPU),
        ]
    }

    fn picked(choice: &DeviceChoice) -> Option<usize> {
        choice.pick(&devices()).ok().map(|d| d.index)
    }

    #[test]
    fn devices_are_selected_by_index_or_name() {
        for (wanted, index) in [
            ("0", Some(0)),
            ("1", Some(1)),
            ("4090", Some(3)),
            ("iris", Some(1)),
            ("LLVMPIPE", Some(0)),
            // The first match is unusable, the second is usable.
            ("geforce", Some(3)),
            ("2", None),
            ("4", None),
            ("9", None),
            ("409", None),
            ("", None),
        ] {
            assert_eq!(picked(&DeviceChoice::Named(wanted.to_owned())), index, "device `{wanted}`");
        }
    }

    #[test]
    fn best_usable_device_and_software_driver_are_selected() {
        assert_eq!(best(devices().iter()).map(|d| d.index), Some(3));
        assert_eq!(picked(&DeviceChoice::Software), Some(0));
    }

    #[test]
    fn selection_errors_list_devices_and_missing_requirements() {
        let all = devices();
        let unknown = DeviceChoice::Named("radeon".to_owned()).pick(&all).map(|d| d.index);
        assert!(
            matches!(&unknown, Err(Error::UnknownDevice { wanted, found })
                if wanted == "radeon" && found.len() == 4 && found[2].contains("not usable")),
            "expected UnknownDevice with four devices, found {unknown:?}"
        );
        let old = DeviceChoice::Named("2".to_owned()).pick(&all).map(|d| d.index);
        assert!(matches!(&old, Err(Error::MissingRequirements { missing, .. })
            if missing == &["synchronization2"]));
        let none = DeviceChoice::Software.pick(&all[1..]).map(|d| d.index);
        assert!(matches!(none, Err(Error::UnknownDevice { .. })));
        assert!(matches!(DeviceChoice::Software.pick(&[]), Err(Error::NoDevice)));
    }
}
