//! Renames the outputs of a command to their final names, all or none.

use std::fs;
use std::io;

use super::signals;
use super::stage::{Earlier, Staged};
use crate::formats::{FileError, Result};

/// A renamed output, and the backup of the file that it replaced, if there is one.
struct Named {
    staged: Staged,
    earlier: Option<Earlier>,
}

/// Renames all files, in this order. If a rename fails, restores the previous state. Signals are handled only after
/// all renames.
pub fn commit(outputs: Vec<(String, Staged)>) -> Result<()> {
    let failed = |place: &str, source: io::Error| {
        let place = place.to_owned();
        match source.kind() {
            io::ErrorKind::AlreadyExists => FileError::Exists { place },
            _ => FileError::Write { place, source },
        }
    };
    for (place, staged) in &outputs {
        staged.sync().map_err(|source| failed(place, source))?;
    }
    // With a single output, a failed rename leaves the earlier file intact, so no backup is needed.
    let several = outputs.len() > 1;
    // A file that cannot be renamed is dropped, and thereby removed, after the critical section.
    let mut unnamed = Vec::new();
    let outcome = signals::uninterrupted(|| {
        let mut named: Vec<Named> = Vec::new();
        for (place, mut staged) in outputs {
            match rename(&mut staged, several) {
                Ok(earlier) => named.push(Named { staged, earlier }),
                Err(source) => {
                    unnamed.push(staged);
                    named.into_iter().rev().for_each(undo);
                    return Err(failed(&place, source));
                }
            }
        }
        named.into_iter().filter_map(|named| named.earlier).for_each(Earlier::forget);
        Ok(())
    });
    drop(unnamed);
    outcome
}

/// Renames a staged file. Returns the backup of the file that it replaced, if `keep_earlier`.
fn rename(staged: &mut Staged, keep_earlier: bool) -> io::Result<Option<Earlier>> {
    let earlier = match staged.replaces && keep_earlier {
        true => match Earlier::keep(&staged.target) {
            Ok(earlier) => Some(earlier),
            // The file was removed in the meantime.
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        },
        false => None,
    };
    match staged.rename() {
        Ok(()) => Ok(earlier),
        Err(error) => {
            earlier.into_iter().for_each(Earlier::forget);
            Err(error)
        }
    }
}

fn undo(named: Named) {
    match named.earlier {
        Some(earlier) => earlier.restore(&named.staged.target),
        // Ignore errors here; the original failure is reported.
        None => drop(fs::remove_file(&named.staged.target)),
    }
}
