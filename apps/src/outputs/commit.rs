//! How the outputs of a command take their names: all of them, or none.

use std::fs;
use std::io;

use super::signals;
use super::stage::{Earlier, Staged};
use crate::formats::{FileError, Result};

/// An output that has its name, and the file that had it before.
struct Named {
    staged: Staged,
    earlier: Option<Earlier>,
}

/// Gives every file its name, in this order; where one cannot have it, everything is as it was
/// before. A signal waits until it is done.
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
    // A single file that cannot have its name leaves the earlier one as it is.
    let several = outputs.len() > 1;
    // What is not named is removed when it is dropped, which takes the lock that is held here.
    let mut unnamed = Vec::new();
    let outcome = signals::uninterrupted(|| {
        let mut named: Vec<Named> = Vec::new();
        for (place, mut staged) in outputs {
            match name(&mut staged, several) {
                Ok(earlier) => named.push(Named { staged, earlier }),
                Err(source) => {
                    unnamed.push(staged);
                    named.into_iter().rev().for_each(take_back);
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

fn name(staged: &mut Staged, keep_earlier: bool) -> io::Result<Option<Earlier>> {
    let earlier = match staged.replaces && keep_earlier {
        true => match Earlier::keep(&staged.target) {
            Ok(earlier) => Some(earlier),
            // It has gone meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        },
        false => None,
    };
    match staged.name() {
        Ok(()) => Ok(earlier),
        Err(error) => {
            earlier.into_iter().for_each(Earlier::forget);
            Err(error)
        }
    }
}

fn take_back(named: Named) {
    match named.earlier {
        Some(earlier) => earlier.restore(&named.staged.target),
        // There is nobody to tell: the failure that led here is told.
        None => drop(fs::remove_file(&named.staged.target)),
    }
}
