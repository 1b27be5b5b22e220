//! How a file is written by ranges, in any order, from several threads.

use std::fs::File;
use std::io;

use rayon::prelude::*;

/// Written at a time by one thread.
const STEP_BYTES: usize = 4 << 20;

/// Writes all of `bytes` from byte `at` on.
pub fn write(file: &File, at: u64, bytes: &[u8]) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::write_all_at(file, bytes, at);
    #[cfg(windows)]
    {
        let (mut at, mut rest) = (at, bytes);
        while !rest.is_empty() {
            let written = std::os::windows::fs::FileExt::seek_write(file, rest, at)?;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            at += written as u64;
            rest = &rest[written..];
        }
        Ok(())
    }
}

/// The same on several threads.
pub fn write_on_threads(file: &File, at: u64, bytes: &[u8]) -> io::Result<()> {
    let parts = bytes.par_chunks(STEP_BYTES).enumerate();
    parts.try_for_each(|(index, part)| write(file, at + (index * STEP_BYTES) as u64, part))
}
