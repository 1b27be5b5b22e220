//! Files that are there whole or not at all.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{fs, io};

/// Writes beside and renames, so that a reader never sees half a file. Folders are made as needed.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Unlike that of any other process, and of any other context of this one.
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let beside = path.with_extension(format!("{}-{number}.tmp", std::process::id()));
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let written = fs::write(&beside, bytes).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}
