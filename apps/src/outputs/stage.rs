//! Staged files: hidden files in the folder of the output, locked by the program that writes them. The lock
//! distinguishes files in use from those that a killed program left behind.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::signals;

/// Suffixes of staged files, and of backups of earlier files.
const PART: &str = ".multisplit-part";
const EARLIER: &str = ".multisplit-earlier";

/// A file in the folder of the output. Removed unless it is renamed to `target`.
pub struct Staged {
    file: Option<NamedTempFile>,
    pub target: PathBuf,
    /// Whether the target existed and must be replaced.
    pub replaces: bool,
}

impl Drop for Staged {
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            let path = file.path().to_owned();
            signals::finished(&path, || drop(file));
        }
    }
}

impl Staged {
    /// Creates a staged file for `target`, with the permissions of the file that it replaces, if any.
    pub fn begin(target: &Path, replaces: Option<&Metadata>) -> io::Result<Self> {
        let folder = folder_of(target);
        let name = target.file_name().ok_or(io::ErrorKind::IsADirectory)?;
        remove_leftovers(folder);
        let file = create(folder, name).map_err(|error| plain(&error))?;
        if let Some(earlier) = replaces {
            file.as_file().set_permissions(earlier.permissions())?;
        }
        Ok(Self { file: Some(file), target: target.to_owned(), replaces: replaces.is_some() })
    }

    pub fn file(&mut self) -> io::Result<&mut File> {
        let file = self.file.as_mut().map(NamedTempFile::as_file_mut);
        file.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// A second handle to the file, for writing by ranges.
    pub fn by_ranges(&self) -> Option<File> {
        self.file.as_ref().and_then(|file| file.as_file().try_clone().ok())
    }

    /// Waits until the data is on disk. Some file systems report a full disk only now, and the file must not
    /// be renamed before its content is safe.
    pub fn sync(&self) -> io::Result<()> {
        self.file.as_ref().map_or(Ok(()), |file| file.as_file().sync_all())
    }

    /// Renames the file to its final name; it is no longer removed on interruption.
    pub fn rename(&mut self) -> io::Result<()> {
        let Some(file) = self.file.take() else { return Ok(()) };
        let path = file.path().to_owned();
        let named = match self.replaces {
            true => file.persist(&self.target),
            false => file.persist_noclobber(&self.target),
        };
        match named {
            Ok(_) => {
                signals::forget(&path);
                Ok(())
            }
            Err(error) => {
                self.file = Some(error.file);
                Err(plain(&error.error))
            }
        }
    }
}

/// Backup of a file that is about to be replaced.
pub struct Earlier {
    path: PathBuf,
    /// Open file, which keeps the backup locked.
    _file: Option<File>,
}

impl Earlier {
    /// Creates a backup of the file at `target`.
    pub fn keep(target: &Path) -> io::Result<Self> {
        let name = target.file_name().ok_or(io::ErrorKind::IsADirectory)?;
        let prefix = hidden_prefix(name);
        // Copy the file if the system does not allow a hard link.
        let kept = builder(&prefix, EARLIER).make_in(folder_of(target), |path| {
            fs::hard_link(target, path).or_else(|error| match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists => Err(error),
                _ => fs::copy(target, path).map(|_| ()),
            })
        });
        let path = kept.map_err(|error| plain(&error))?.into_temp_path();
        let path = path.keep().map_err(|error| error.error)?;
        let file = File::open(&path).ok();
        file.as_ref().map(lock);
        Ok(Self { path, _file: file })
    }

    pub fn restore(self, target: &Path) {
        // Ignore errors here; the original failure is reported.
        let _ = fs::rename(&self.path, target);
    }

    pub fn forget(self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Folder of a file, which is the current one if `target` is only a name.
pub fn folder_of(target: &Path) -> &Path {
    match target.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

fn hidden_prefix(name: &OsStr) -> OsString {
    let mut prefix = OsString::from(".");
    prefix.push(name);
    prefix.push(".");
    prefix
}

fn builder<'p>(prefix: &'p OsStr, suffix: &'p str) -> tempfile::Builder<'p, 'p> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix).suffix(suffix);
    // By default, only the owner can read a temporary file. This one becomes an output, so it gets the permissions of a
    // regular file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}

fn create(folder: &Path, name: &OsStr) -> io::Result<NamedTempFile> {
    let prefix = hidden_prefix(name);
    let builder = builder(&prefix, PART);
    loop {
        let file = signals::begin(|| builder.tempfile_in(folder))?;
        // Until the file is locked, another program may mistake it for a leftover and remove it. If so, try
        // again. On systems without locks, leftovers are not removed, but everything else works.
        if lock(file.as_file()) != Lock::Taken && file.path().exists() {
            return Ok(file);
        }
    }
}

/// Result of trying to take a lock.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lock {
    Acquired,
    /// Held by another program.
    Taken,
    /// Locks are not supported.
    None,
}

/// Tries to take the lock that marks a file as in use.
#[cfg(unix)]
fn lock(file: &File) -> Lock {
    use rustix::fs::{FlockOperation, flock};
    use rustix::io::Errno;
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Lock::Acquired,
        Err(Errno::WOULDBLOCK) => Lock::Taken,
        Err(_) => Lock::None,
    }
}

#[cfg(not(unix))]
fn lock(_: &File) -> Lock {
    Lock::None
}

/// Removes files that terminated programs left in this folder.
fn remove_leftovers(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| name.starts_with('.')) else { continue };
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        let leftover = is_file && (name.ends_with(PART) || name.ends_with(EARLIER));
        let Some(file) = leftover.then(|| File::open(entry.path()).ok()).flatten() else {
            continue;
        };
        // Remove the file before releasing its lock. If another program has just created it and not locked it yet,
        // that program finds it missing and creates a new one.
        if lock(&file) == Lock::Acquired {
            tracing::info!(file = %entry.path().display(), "removed a temporary file of a killed run");
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Removes the name of the hidden file from an error, because the user does not know that file.
fn plain(error: &io::Error) -> io::Error {
    error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error)
}
