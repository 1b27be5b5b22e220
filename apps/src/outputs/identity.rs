//! Detects whether two output names refer to the same file, regardless of spelling.

use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::path::Path;

use super::stage::folder_of;

/// Device number and inode number.
type Number = (u64, u64);

/// Identity of the file that a name refers to.
#[derive(Debug, PartialEq, Eq)]
pub enum Identity {
    Existing(Number),
    /// A file to be created in this folder.
    New {
        folder: Number,
        name: OsString,
    },
}

impl Identity {
    /// Identity of the file at `path`. `None` for folders, for devices (several outputs may write to the same device),
    /// for files in missing folders, and if the system does not report identities.
    pub fn of(path: &Path) -> Option<Self> {
        if let Ok(found) = fs::metadata(path) {
            return Self::of_metadata(&found);
        }
        let folder = number(&fs::metadata(folder_of(path)).ok()?)?;
        Some(Self::New { folder, name: path.file_name()?.to_owned() })
    }

    /// Identity of the file that standard output is redirected to.
    #[cfg(unix)]
    pub fn of_standard_output() -> Option<Self> {
        use std::os::fd::AsFd as _;
        let file = std::io::stdout().as_fd().try_clone_to_owned().ok()?;
        Self::of_metadata(&fs::File::from(file).metadata().ok()?)
    }

    #[cfg(not(unix))]
    pub fn of_standard_output() -> Option<Self> {
        Some(Self::New { folder: (0, 0), name: "-".into() })
    }

    #[cfg(unix)]
    fn of_metadata(found: &Metadata) -> Option<Self> {
        use std::os::unix::fs::FileTypeExt as _;
        let kind = found.file_type();
        let is_shared = kind.is_char_device() || kind.is_block_device() || kind.is_dir();
        number(found).filter(|_| !is_shared).map(Self::Existing)
    }

    #[cfg(not(unix))]
    fn of_metadata(found: &Metadata) -> Option<Self> {
        number(found).map(Self::Existing)
    }
}

#[cfg(unix)]
fn number(found: &Metadata) -> Option<Number> {
    use std::os::unix::fs::MetadataExt as _;
    Some((found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn number(_: &Metadata) -> Option<Number> {
    None
}
