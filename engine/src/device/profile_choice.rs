//! Where the sizes of kernels that were tuned for a device come from.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::device::properties::DeviceProperties;
use crate::device::user_folder::UserFolder;

/// Where the sizes of kernels that were tuned for a device come from: a
/// [`Profile`](crate::Profile), which `multisplit tune` makes. Results never depend on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ProfileChoice {
    /// The one for this device in the user's configuration folder (`$XDG_CONFIG_HOME/multisplit` or
    /// `~/.config/multisplit`, or its counterpart of the platform), where there is one. One that cannot
    /// be used is logged as a warning, and the built-in sizes are taken.
    #[default]
    UserFolder,
    /// The one for this device in this folder, in the same way.
    Folder(PathBuf),
    /// This file. One that cannot be used is an [`Error::Profile`](crate::Error::Profile).
    File(PathBuf),
    /// The text of one. One that cannot be used is an [`Error::Profile`](crate::Error::Profile).
    Bytes(Arc<[u8]>),
    /// None: the built-in sizes.
    BuiltIn,
}

impl ProfileChoice {
    /// The file for a device, where there is a folder for it or it was named. Whether it exists is not
    /// looked at.
    pub fn path(&self, properties: &DeviceProperties) -> Option<PathBuf> {
        let within = |folder: &Path| folder.join(file_name(properties));
        match self {
            Self::UserFolder => UserFolder::Configuration.path().as_deref().map(within),
            Self::Folder(folder) => Some(within(folder)),
            Self::File(file) => Some(file.clone()),
            Self::Bytes(_) | Self::BuiltIn => None,
        }
    }
}

/// The subgroup size is part of the name: a software driver that runs at several widths says the same
/// of itself at each.
fn file_name(properties: &DeviceProperties) -> String {
    let DeviceProperties { vendor_id, device_id, subgroup_size, .. } = properties;
    format!("{vendor_id:04x}-{device_id:04x}-{subgroup_size}.profile")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_device_and_width_has_a_file_of_its_own() {
        let properties = DeviceProperties {
            vendor_id: 0x10de,
            device_id: 0x2335,
            subgroup_size: 32,
            ..Default::default()
        };
        let folder = ProfileChoice::Folder("there".into());
        let path = folder.path(&properties).expect("a file of the folder");
        assert_eq!(path, Path::new("there/10de-2335-32.profile"));
        let wide = DeviceProperties { subgroup_size: 64, ..properties.clone() };
        assert_ne!(folder.path(&wide), folder.path(&properties));
        assert_eq!(ProfileChoice::BuiltIn.path(&properties), None);
        let named = ProfileChoice::File("mine".into()).path(&properties);
        assert_eq!(named.as_deref(), Some(Path::new("mine")));
    }
}
