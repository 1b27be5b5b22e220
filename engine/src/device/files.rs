//! Folders and files of this library: per-user folders, by the conventions of each platform, and atomic writes.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::{fs, io};

/// A per-user folder of this library.
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

/// Folder for compiled pipelines and probe results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PipelineCache {
    /// The user's cache folder.
    #[default]
    UserFolder,
    /// The given folder.
    Folder(PathBuf),
    /// No files are read or written.
    Off,
}

impl PipelineCache {
    /// The path of the folder. `None` if the cache is off, or if the environment does not define a user folder.
    pub(crate) fn folder(&self) -> Option<PathBuf> {
        match self {
            Self::UserFolder => UserFolder::Cache.path(),
            Self::Folder(folder) => Some(folder.clone()),
            Self::Off => None,
        }
    }
}

/// Writes to a temporary file and renames it, so that readers never observe a partial file. Creates missing folders.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // The temporary name is unique for each process and call.
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let temporary = path.with_extension(format!("{}-{number}.tmp", std::process::id()));
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let written = fs::write(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// A temporary folder of a test, removed on drop.
#[cfg(test)]
pub(crate) struct TestFolder(pub PathBuf);

#[cfg(test)]
impl TestFolder {
    pub fn new(name: &str) -> Self {
        let name = format!("multisplit-{name}-{}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }
}

#[cfg(test)]
impl Drop for TestFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
