//! Per-user folders of this library, by the conventions of each platform.

use std::path::PathBuf;

/// Kind of folder.
#[derive(Clone, Copy, Debug)]
pub(super) enum UserFolder {
    /// Data that can be regenerated: compiled pipelines and probe results.
    Cache,
    /// Data that the user chose or measured: profiles.
    Configuration,
}

impl UserFolder {
    /// Path of the folder; `None` if the environment does not define it.
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
