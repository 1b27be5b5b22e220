//! Plain files: uncompressed files whose elements have the same representation as in memory. Several threads can
//! read ranges of them.

use std::fs::File;
use std::io;
use std::sync::Arc;

use rayon::prelude::*;

use crate::formats::{Data, FileError, Result};

/// Bytes that one thread reads at a time.
const STEP_BYTES: usize = 4 << 20;

#[derive(Clone, Debug)]
pub struct PlainFile {
    file: Arc<File>,
    place: String,
    /// Offset of the first element in bytes.
    offset: u64,
    len: usize,
    /// Size of an element in bytes.
    each: usize,
}

impl PlainFile {
    /// Refers to `len` elements of `each` bytes. The file contained them when it was opened.
    pub fn new(file: Arc<File>, place: String, offset: u64, len: usize, each: usize) -> Self {
        Self { file, place, offset, len, each }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn element_bytes(&self) -> usize {
        self.each
    }

    /// Fills `bytes` with elements, starting with element `first`.
    pub fn read(&self, first: u64, bytes: &mut [u8]) -> Result<()> {
        let mut at = self.offset + first * self.each as u64;
        let mut rest = bytes;
        while !rest.is_empty() {
            match read_at(&self.file, rest, at) {
                Ok(0) => return Err(FileError::Shortened { place: self.place.clone(), at }),
                Ok(read) => {
                    at += read as u64;
                    rest = &mut rest[read..];
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => return Err(FileError::Read { place: self.place.clone(), source }),
            }
        }
        Ok(())
    }

    pub fn load(&self) -> Result<Data> {
        let no_memory = || FileError::NoMemory { place: self.place.clone(), elements: self.len };
        let mut data = Data::zeroed(self.each, self.len).ok_or_else(no_memory)?;
        let step = STEP_BYTES / self.each;
        let parts = data.bytes_mut().par_chunks_mut(step * self.each).enumerate();
        parts.try_for_each(|(index, part)| self.read((index * step) as u64, part))?;
        Ok(data)
    }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, bytes, at)
}

#[cfg(windows)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, bytes, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_and_truncation_is_reported() {
        let folder = tempfile::tempdir().expect("a temporary folder can be created");
        let path = folder.path().join("in.bin");
        let words: Vec<u32> = (0..3_000_000).collect();
        std::fs::write(&path, [&[7u8; 3][..], bytemuck::cast_slice(&words)].concat())
            .expect("the file can be written");
        let file = Arc::new(File::open(&path).expect("the file can be opened"));
        let plain = PlainFile::new(file, "in.bin".to_owned(), 3, words.len(), 4);
        let loaded = plain.load().expect("the elements can be loaded");
        assert!(matches!(loaded, Data::Bytes4(found) if found == words));
        let mut two = [0u32; 2];
        plain.read(1_000, bytemuck::cast_slice_mut(&mut two)).expect("the elements can be read");
        assert_eq!(two, [1_000, 1_001]);

        let shorter =
            std::fs::OpenOptions::new().write(true).open(&path).expect("the file can be opened");
        shorter.set_len(3 + 4 * 2_000_000 + 1).expect("the file size can be set");
        let problem = plain.load().expect_err("a shortened file was accepted");
        assert!(matches!(problem, FileError::Shortened { .. }), "{problem}");
    }
}
