//! Which device is used: discrete before integrated before software, unless the caller says.

use ash::vk;

use crate::error::{Error, Result, VkResultExt};
use crate::requirements::{DeviceProperties, Requirements};

/// The environment variable that picks a device by index or by a part of its name.
pub const DEVICE_VARIABLE: &str = "MULTISPLIT_DEVICE";

/// How a device is chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// `MULTISPLIT_DEVICE` where it is set, else the best device that can run the kernels.
    #[default]
    Auto,
    /// Index into the devices in the order that Vulkan lists them, or a part of the name
    /// (upper or lower case).
    Named(String),
    /// The best software driver.
    Software,
}

/// One device that Vulkan lists, and whether the kernels run on it.
#[derive(Clone, Debug)]
pub struct DeviceEntry {
    /// Its place in Vulkan's list.
    pub index: usize,
    /// What it says of itself.
    pub properties: DeviceProperties,
    /// What it lacks; empty for a usable device.
    pub missing: Vec<String>,
    pub(crate) physical: vk::PhysicalDevice,
}

impl DeviceEntry {
    fn describe(&self) -> String {
        let usable = if self.missing.is_empty() { "" } else { ", not usable" };
        format!("{} `{}` ({}{usable})", self.index, self.properties.name, self.properties.kind())
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
}

/// Every device of the instance.
pub(crate) fn list(instance: &ash::Instance) -> Result<Vec<DeviceEntry>> {
    // SAFETY: a live instance.
    let physical = match unsafe { instance.enumerate_physical_devices() } {
        // What the loader says when no driver is installed.
        Err(vk::Result::ERROR_INITIALIZATION_FAILED) => Vec::new(),
        other => other.during("vkEnumeratePhysicalDevices")?,
    };
    let entry = |(index, physical)| {
        let missing = match Requirements::of(instance, physical) {
            Ok(_) => Vec::new(),
            Err(Error::MissingRequirements { missing, .. }) => missing,
            Err(other) => vec![other.to_string()],
        };
        let properties = DeviceProperties::query(instance, physical);
        DeviceEntry { index, properties, missing, physical }
    };
    Ok(physical.into_iter().enumerate().map(entry).collect())
}

/// Picks one of `devices`.
pub(crate) fn choose<'a>(
    devices: &'a [DeviceEntry],
    choice: &DeviceChoice,
) -> Result<&'a DeviceEntry> {
    if devices.is_empty() {
        return Err(Error::NoDevice);
    }
    let found = || devices.iter().map(DeviceEntry::describe).collect();
    let named = match choice {
        DeviceChoice::Named(name) => Some(name.clone()),
        DeviceChoice::Auto => std::env::var(DEVICE_VARIABLE).ok().filter(|v| !v.is_empty()),
        DeviceChoice::Software => None,
    };
    if let Some(wanted) = named {
        let matches = |d: &&DeviceEntry| match wanted.parse::<usize>() {
            Ok(index) => d.index == index,
            Err(_) => d.properties.name.to_lowercase().contains(&wanted.to_lowercase()),
        };
        let device = devices
            .iter()
            .find(matches)
            .ok_or_else(|| Error::UnknownDevice { wanted: wanted.clone(), found: found() })?;
        return usable(device);
    }
    let software = |d: &DeviceEntry| d.properties.device_type == vk::PhysicalDeviceType::CPU;
    let wanted = |d: &&DeviceEntry| *choice != DeviceChoice::Software || software(d);
    let best = devices
        .iter()
        .filter(wanted)
        .min_by_key(|d| (!d.missing.is_empty(), d.rank(), d.index))
        .ok_or_else(|| Error::UnknownDevice { wanted: "software".into(), found: found() })?;
    usable(best)
}

fn usable(device: &DeviceEntry) -> Result<&DeviceEntry> {
    if device.missing.is_empty() {
        return Ok(device);
    }
    Err(Error::MissingRequirements {
        device: device.properties.name.clone(),
        missing: device.missing.clone(),
    })
}
