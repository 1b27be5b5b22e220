//! Writes a file by ranges, in any order, from several threads.

use std::fs::File;
use std::io;

use rayon::prelude::*;

use crate::formats::{FileError, Result};

/// Bytes that one thread writes at a time.
const STEP_BYTES: usize = 4 << 20;

/// Writes elements at any position of a file.
pub struct RangeWriter {
    file: File,
    place: String,
    /// Bytes before the first element.
    header: u64,
    /// Size of an element in bytes.
    each: u64,
}

impl RangeWriter {
    pub fn new(file: File, place: String, header: u64, each: usize) -> Self {
        Self { file, place, header, each: each as u64 }
    }

    pub fn header(&self, header: &[u8]) -> Result<()> {
        self.write(0, header)
    }

    /// Writes elements, starting at element `first`.
    pub fn put(&self, first: u64, bytes: &[u8]) -> Result<()> {
        self.write(self.header + first * self.each, bytes)
    }

    pub fn put_all(&self, bytes: &[u8]) -> Result<()> {
        let parts = bytes.par_chunks(STEP_BYTES).enumerate();
        parts.try_for_each(|(index, part)| {
            self.write(self.header + (index * STEP_BYTES) as u64, part)
        })
    }

    fn write(&self, at: u64, bytes: &[u8]) -> Result<()> {
        let failed = |source| FileError::Write { place: self.place.clone(), source };
        write_all_at(&self.file, at, bytes).map_err(failed)
    }
}

#[cfg(unix)]
fn write_all_at(file: &File, at: u64, bytes: &[u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(windows)]
fn write_all_at(file: &File, mut at: u64, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = std::os::windows::fs::FileExt::seek_write(file, bytes, at)?;
        if written == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        at += written as u64;
        bytes = &bytes[written..];
    }
    Ok(())
}
