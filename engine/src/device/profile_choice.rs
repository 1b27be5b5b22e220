//! Source of kernel sizes that were tuned for a device.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::device::DeviceProperties;
use crate::device::files::UserFolder;

/// Source of kernel sizes that were tuned for a device: a [`Profile`](crate::Profile), as `multisplit tune` creates
/// it. The choice affects performance, but not results, except that sums of floats, and results of GLSL operators that
/// round, may round differently.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ProfileChoice {
    /// The profile of this device in the user's configuration folder, if it exists: `$XDG_CONFIG_HOME/multisplit`,
    /// `~/.config/multisplit`, or the platform's equivalent. If the file is unusable, a warning is logged and the
    /// built-in sizes are used.
    #[default]
    UserFolder,
    /// The profile of this device in the given folder, if it exists. If the file is unusable, a warning is logged and
    /// the built-in sizes are used.
    Folder(PathBuf),
    /// The given file. If it is unusable, opening the context fails with [`Error::Profile`](crate::Error::Profile).
    File(PathBuf),
    /// The contents of a profile. If they are unusable, opening the context fails with
    /// [`Error::Profile`](crate::Error::Profile).
    Bytes(Arc<[u8]>),
    /// No profile. The built-in sizes are used.
    BuiltIn,
}

impl ProfileChoice {
    /// Path of the profile for a device, whether or not the file exists. `None` if the choice does not name a file or
    /// folder.
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

/// Returns the file name of a device's profile. It contains the subgroup size, because a software driver can run at
/// several subgroup sizes with the same device id.
fn file_name(properties: &DeviceProperties) -> String {
    let DeviceProperties { vendor_id, device_id, subgroup_size, .. } = properties;
    format!("{vendor_id:04x}-{device_id:04x}-{subgroup_size}.profile")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_device_and_subgroup_size_has_its_own_profile_file() {
        let properties = DeviceProperties {
            vendor_id: 0x10de,
            device_id: 0x2335,
            subgroup_size: 32,
            ..Default::default()
        };
        let folder = ProfileChoice::Folder("there".into());
        let path = folder.path(&properties).expect("the folder has a profile path for this device");
        assert_eq!(path, Path::new("there/10de-2335-32.profile"));
        let wide = DeviceProperties { subgroup_size: 64, ..properties.clone() };
        assert_ne!(folder.path(&wide), folder.path(&properties));
        assert_eq!(ProfileChoice::BuiltIn.path(&properties), None);
        let named = ProfileChoice::File("mine".into()).path(&properties);
        assert_eq!(named.as_deref(), Some(Path::new("mine")));
    }
}
