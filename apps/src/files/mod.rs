//! Arrays in files: where one is, by the name it has, in which form, and how it gets in and out.
//!
//! The extension says the form: `.npy`, `.csv` or `.txt` (a number a line), else raw
//! little-endian numbers. `.gz` or `.zst` after it is compression. `-` is standard input or output.
//!
//! Files are read straight into the array that the device is given, not mapped into memory. A map
//! would save one copy of many (the device takes another), and needs `unsafe`: another program
//! that shortens the file meanwhile turns a map into a crash, and a read into an error.

mod array;
mod element;
mod error;
mod input;
mod npy;
mod output;
mod signals;
mod text;

pub use array::{Array, Data};
pub use element::Element;
pub use error::FileError;
pub use input::read;
pub use output::{OutputId, Outputs};

use std::fmt;
use std::path::{Path, PathBuf};

/// Result of the functions here.
pub type Result<T, E = FileError> = std::result::Result<T, E>;

// Bytes of files are bytes of memory here.
const _: () = assert!(cfg!(target_endian = "little"), "raw and .npy files are little-endian");

/// Where an array is, and in which form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// None is standard input or output.
    path: Option<PathBuf>,
    format: Format,
    compression: Option<Compression>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Npy,
    Raw,
    Text,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Compression {
    Gzip,
    Zstandard,
}

impl Place {
    /// The place that the command line calls `name`.
    pub fn new(name: &Path) -> Self {
        if name.as_os_str() == "-" {
            return Self { path: None, format: Format::Raw, compression: None };
        }
        let extension = |path: &Path| {
            let text = path.extension().and_then(|text| text.to_str()).unwrap_or_default();
            text.to_ascii_lowercase()
        };
        let compression = match extension(name).as_str() {
            "gz" => Some(Compression::Gzip),
            "zst" => Some(Compression::Zstandard),
            _ => None,
        };
        let inner = if compression.is_some() { name.with_extension("") } else { name.to_owned() };
        let format = match extension(&inner).as_str() {
            "npy" => Format::Npy,
            "csv" | "txt" => Format::Text,
            _ => Format::Raw,
        };
        Self { path: Some(name.to_owned()), format, compression }
    }

    /// Whether it is standard input or output.
    pub fn is_stream(&self) -> bool {
        self.path.is_none()
    }
}

/// As the command line has it.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => path.display().fmt(f),
            None => f.write_str("-"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Compression, Format, Place};
    use std::path::Path;

    #[test]
    fn names_say_the_form() {
        for (name, format, compression) in [
            ("a.npy", Format::Npy, None),
            ("a.NPY.gz", Format::Npy, Some(Compression::Gzip)),
            ("a.csv", Format::Text, None),
            ("a.b/c.txt.zst", Format::Text, Some(Compression::Zstandard)),
            ("a.bin", Format::Raw, None),
            ("a", Format::Raw, None),
            ("a.gz", Format::Raw, Some(Compression::Gzip)),
            (".npy", Format::Raw, None),
        ] {
            let place = Place::new(Path::new(name));
            assert_eq!((place.format, place.compression), (format, compression), "{name}");
            assert!(!place.is_stream());
        }
        assert!(Place::new(Path::new("-")).is_stream());
    }
}
