//! Where a user's files of this library are, by the customs of the platform.

use std::path::PathBuf;

/// What is kept there.
#[derive(Clone, Copy, Debug)]
pub(super) enum UserFolder {
    /// What can be made again: compiled pipelines, what was found out about a device.
    Cache,
    /// What somebody chose or measured: profiles.
    Configuration,
}

impl UserFolder {
    /// Its path; `None` where the environment does not say it.
    pub fn path(self) -> Option<PathBuf> {
        let set = |name| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let (windows, mac, variable, below_home) = match self {
            Self::Cache => ("LOCALAPPDATA", "Library/Caches", "XDG_CACHE_HOME", ".cache"),
            Self::Configuration => {
                ("APPDATA", "Library/Application Support", "XDG_CONFIG_HOME", ".config")
            }
        };
        let base = if cfg!(windows) {
            set(windows)
        } else if cfg!(target_os = "macos") {
            set("HOME").map(|home| home.join(mac))
        } else {
            set(variable).or_else(|| set("HOME").map(|home| home.join(below_home)))
        };
        base.map(|base| base.join("multisplit"))
    }
}
