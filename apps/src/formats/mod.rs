//! File formats of arrays, independent of the source or destination of the bytes.
//!
//! Unless an option gives it, the format follows from the extension: `.npy`, `.csv`, `.tsv` or `.txt` (one number per
//! line). An additional `.gz` or `.zst` means compression. Inputs with other names are detected by their first bytes;
//! output files with other names are raw. `-` is standard input or output.

mod array;
mod element;
mod error;
pub mod half;
mod literal;
pub mod npy;
pub mod recognise;
pub mod text;

pub use array::{Array, Data};
pub use element::Element;
pub(crate) use element::with_type;
pub use error::FileError;

use std::fmt;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use multisplit_bench::first_bytes::Compression;

use crate::common::option_name;

/// Result of reading and writing files.
pub type Result<T, E = FileError> = std::result::Result<T, E>;

const _: () = assert!(
    cfg!(target_endian = "little"),
    "big-endian targets are not supported: raw files are little-endian, and are copied to memory without conversion"
);

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A NumPy file
    Npy,
    /// Raw numbers, little-endian
    Raw,
    /// A table: columns separated by commas, semicolons, tabs or |
    Csv,
    /// One number per line
    Text,
}

impl Format {
    /// Returns the header of a file in this format: the result of `npy` for a NumPy file, otherwise nothing.
    pub fn header(self, npy: impl FnOnce() -> Vec<u8>) -> Vec<u8> {
        if self == Self::Npy { npy() } else { Vec::new() }
    }

    /// Whether numbers are written as text.
    pub fn is_text(self) -> bool {
        matches!(self, Self::Text | Self::Csv)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&option_name(self))
    }
}

/// Location of an array and its format, if known before opening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// `None` is standard input or output.
    pub path: Option<PathBuf>,
    pub format: Stated,
    pub compression: Option<Compression>,
}

/// Origin of the format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stated {
    /// Given by an option.
    Asked(Format),
    /// Given by the file name extension.
    Named(Format),
    /// The extension is one that is common for raw numbers.
    NamedRaw,
    /// The format is not known before the content is read.
    Nothing,
}

impl Place {
    /// Parses a name from the command line.
    pub fn new(name: &Path) -> Self {
        if name.as_os_str() == "-" {
            return Self { path: None, format: Stated::Nothing, compression: None };
        }
        let compression = match extension(name).as_str() {
            "gz" => Some(Compression::Gzip),
            "zst" => Some(Compression::Zstandard),
            _ => None,
        };
        let format = match inner_extension(name, compression).as_str() {
            "npy" => Stated::Named(Format::Npy),
            "csv" | "tsv" => Stated::Named(Format::Csv),
            "txt" => Stated::Named(Format::Text),
            "bin" | "raw" | "dat" => Stated::NamedRaw,
            _ => Stated::Nothing,
        };
        Self { path: Some(name.to_owned()), format, compression }
    }

    /// Overrides the format with `asked`, if given.
    #[must_use]
    pub fn with_format(self, asked: Option<Format>) -> Self {
        let format = asked.map_or(self.format, Stated::Asked);
        Self { format, ..self }
    }

    /// Whether the place is standard input or output.
    pub fn is_stream(&self) -> bool {
        self.path.is_none()
    }

    /// The column separator that the file name implies: a tab for `.tsv`.
    pub fn separator(&self) -> Option<u8> {
        let extension = inner_extension(self.path.as_deref()?, self.compression);
        (extension == "tsv").then_some(b'\t')
    }

    /// The format of an output; `otherwise` for standard output without a stated format.
    pub fn output_format(&self, otherwise: Format) -> Format {
        match self.format {
            Stated::Asked(format) | Stated::Named(format) => format,
            Stated::NamedRaw => Format::Raw,
            Stated::Nothing if self.is_stream() => otherwise,
            Stated::Nothing => Format::Raw,
        }
    }
}

/// The extension before that of the compression, if any.
fn inner_extension(path: &Path, compression: Option<Compression>) -> String {
    if compression.is_some() { extension(&path.with_extension("")) } else { extension(path) }
}

fn extension(path: &Path) -> String {
    let text = path.extension().and_then(|text| text.to_str()).unwrap_or_default();
    text.to_ascii_lowercase()
}

/// Formats the place as on the command line.
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
    use super::*;

    #[test]
    fn file_names_determine_the_format() {
        for (name, format, compression) in [
            ("a.npy", Stated::Named(Format::Npy), None),
            ("a.NPY.gz", Stated::Named(Format::Npy), Some(Compression::Gzip)),
            ("a.csv", Stated::Named(Format::Csv), None),
            ("a.tsv", Stated::Named(Format::Csv), None),
            ("a.b/c.txt.zst", Stated::Named(Format::Text), Some(Compression::Zstandard)),
            ("a.bin", Stated::NamedRaw, None),
            ("a", Stated::Nothing, None),
            ("a.gz", Stated::Nothing, Some(Compression::Gzip)),
            (".npy", Stated::Nothing, None),
        ] {
            let place = Place::new(Path::new(name));
            assert_eq!((place.format, place.compression), (format, compression), "{name}");
            assert!(!place.is_stream());
        }
        let stream = Place::new(Path::new("-"));
        assert!(stream.is_stream());
        assert_eq!(stream.output_format(Format::Npy), Format::Npy);
        assert_eq!(stream.with_format(Some(Format::Csv)).output_format(Format::Npy), Format::Csv);
        assert_eq!(Place::new(Path::new("a")).output_format(Format::Npy), Format::Raw);
        assert_eq!(Place::new(Path::new("a.tsv.gz")).separator(), Some(b'\t'));
    }
}
