//! Files in the making: hidden, beside the one that is meant, locked by the program that writes
//! them, so that what a killed program left is told from what another one is writing.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::signals;

/// What the name of such a file ends with, and that of an earlier file that may have to come back.
const PART: &str = ".multisplit-part";
const EARLIER: &str = ".multisplit-earlier";

/// A file beside the one that is meant; removed unless it takes its name.
pub struct Staged {
    file: Option<NamedTempFile>,
    pub target: PathBuf,
    /// Whether there is a file of that name, which is to be replaced.
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
    /// Begins a file that is to be `target`, and to have the permissions of the one it replaces.
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

    /// What is to be written to.
    pub fn file(&mut self) -> io::Result<&mut File> {
        let file = self.file.as_mut().map(NamedTempFile::as_file_mut);
        file.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// The file once more, for those who write it by ranges.
    pub fn by_ranges(&self) -> Option<File> {
        self.file.as_ref().and_then(|file| file.as_file().try_clone().ok())
    }

    /// Waits until the disk has it: that may say only now that it is full, and a name must not
    /// precede its contents.
    pub fn sync(&self) -> io::Result<()> {
        self.file.as_ref().map_or(Ok(()), |file| file.as_file().sync_all())
    }

    /// Takes its name. From here on nothing removes it.
    pub fn name(&mut self) -> io::Result<()> {
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

/// A second name for a file that is about to be replaced, by which it can come back.
pub struct Earlier {
    path: PathBuf,
    /// Holds the lock.
    _file: Option<File>,
}

impl Earlier {
    /// Keeps the file at `target`.
    pub fn keep(target: &Path) -> io::Result<Self> {
        let name = target.file_name().ok_or(io::ErrorKind::IsADirectory)?;
        let prefix = hidden_prefix(name);
        // Where there are no links, or none to files of others, a copy does.
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

    /// Puts it back.
    pub fn restore(self, target: &Path) {
        // There is nobody to tell: the failure that led here is told.
        let _ = fs::rename(&self.path, target);
    }

    /// It is not needed any more.
    pub fn forget(self) {
        let _ = fs::remove_file(&self.path);
    }
}

fn folder_of(target: &Path) -> &Path {
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
    // By default only its owner may read a temporary file; this one is to become a usual one.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}

fn create(folder: &Path, name: &OsStr) -> io::Result<NamedTempFile> {
    let prefix = hidden_prefix(name);
    let builder = builder(&prefix, PART);
    loop {
        let file = signals::begin(|| builder.tempfile_in(folder))?;
        // Between its making and its lock another program may have taken it for a leftover, and have
        // removed it or be about to. Where there are no locks, leftovers stay, and all else works.
        if lock(file.as_file()) != Lock::Taken && file.path().exists() {
            return Ok(file);
        }
    }
}

/// What became of asking for a lock.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lock {
    Had,
    /// By another program.
    Taken,
    /// There are none here.
    None,
}

/// Takes the lock that a program has on what it writes.
#[cfg(unix)]
fn lock(file: &File) -> Lock {
    use rustix::fs::{FlockOperation, flock};
    use rustix::io::Errno;
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Lock::Had,
        Err(Errno::WOULDBLOCK) => Lock::Taken,
        Err(_) => Lock::None,
    }
}

#[cfg(not(unix))]
fn lock(_: &File) -> Lock {
    Lock::None
}

/// Removes what programs that are gone have left in this folder.
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
        // The lock is held until the file is gone: its maker then sees that it is taken or gone.
        if lock(&file) == Lock::Had {
            tracing::info!(file = %entry.path().display(), "removed what a killed run has left");
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Without the name of the hidden file, which tells nobody anything.
fn plain(error: &io::Error) -> io::Error {
    error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error)
}
