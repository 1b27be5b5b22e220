//! Reads arrays in any supported format. Plain files are only opened; their elements are read later, by
//! ranges, directly into staging memory if possible.
//!
//! Files are read, not memory-mapped. Mapping would save only one of several copies (the device makes
//! another), and needs `unsafe`: if another program truncates the file, a mapping crashes, whereas a read
//! returns an error.

mod elements;
mod options;
mod plain;
mod stream;
mod values;

pub use elements::{Elements, Numbers};
pub use options::{Input, InputOptions, TableInput, read_two};
pub use plain::PlainFile;
pub use stream::Stream;
pub use values::{ValueForm, Values, open_values};

use std::io::{self, BufRead as _, Read};

use multisplit_bench::progress::Bars;

use crate::formats::npy::{self, ByteOrder};
use crate::formats::{Array, Data, Element, FileError, Format, Place, Result, text};

/// Bytes to read at a time, so that a header with a wrong size does not cause a large allocation.
const STEP_BYTES: usize = 16 << 20;

/// Shapes that a command accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One dimension.
    Line,
    /// One dimension, or several in row-major order.
    Rows,
    /// Any, because the order of the elements does not matter.
    Any,
}

/// Reads the whole array at `place`. `requested` is the element type for files that do not store it; a file with
/// another type is rejected.
#[cfg(test)]
pub fn read(place: &Place, requested: Option<Element>, shape: Shape, bars: Bars) -> Result<Array> {
    let mut stream = Stream::open(place, bars)?;
    let format = stream.format()?;
    open_array(&mut stream, format, requested, shape)?.load()
}

/// Reads the whole array at `place`, with elements of type `otherwise` if the file does not store the type.
/// Opens the file only once, because data read from a pipe cannot be read again.
pub fn read_or(place: &Place, otherwise: Element, shape: Shape, bars: Bars) -> Result<Array> {
    let mut stream = Stream::open(place, bars)?;
    let format = stream.format()?;
    let requested = (format != Format::Npy).then_some(otherwise);
    open_array(&mut stream, format, requested, shape)?.load()
}

/// Reads splitters for elements of type `divided`. A .npy file may have another type, except that dates and
/// time differences require splitters of their own type.
pub fn read_splitters(place: &Place, divided: Element, bars: Bars) -> Result<Array> {
    let splitters = read_or(place, divided, Shape::Line, bars)?;
    let is_time = |element| matches!(element, Element::Time(_));
    match splitters.element() {
        found if found != divided && (is_time(found) || is_time(divided)) => {
            Err(FileError::SplittersType { place: place.to_string(), found, divided })
        }
        _ => Ok(splitters),
    }
}

/// Opens the array in `stream`, which has the given format.
pub fn open_array(
    stream: &mut Stream,
    format: Format,
    requested: Option<Element>,
    shape: Shape,
) -> Result<Numbers> {
    match format {
        Format::Npy => stream.npy(requested, shape),
        Format::Raw => stream.raw(requested),
        Format::Text | Format::Csv if stream.has_columns() => {
            Err(FileError::Columns { place: stream.name() })
        }
        Format::Text | Format::Csv => stream.text(requested),
    }
}

impl Stream {
    fn type_of(&self, requested: Option<Element>) -> Result<Element> {
        requested.ok_or_else(|| FileError::NoType { place: self.name() })
    }

    fn npy_header(&mut self) -> Result<npy::Header> {
        npy::read_header(&self.name(), &mut self.reader)
    }

    fn npy(&mut self, requested: Option<Element>, shape: Shape) -> Result<Numbers> {
        let header = self.npy_header()?;
        let place = self.name();
        let Some((found, order)) = header.element else {
            return Err(FileError::NpyType {
                place,
                descr: text::excerpt(header.descr.trim_matches('\'')),
            });
        };
        if let Some(requested) = requested
            && requested != found
        {
            return Err(FileError::OtherType { place, found, asked: requested });
        }
        if shape == Shape::Line && header.shape.len() != 1 {
            let (dimensions, wanted) = (header.shape.len(), "it must have one dimension");
            return Err(FileError::Dimensions { place, dimensions, wanted });
        }
        if shape == Shape::Rows && header.fortran && header.shape.len() > 1 {
            let problem = "its columns are contiguous (Fortran order); save it in C order";
            return Err(FileError::Npy { place, problem: problem.to_owned() });
        }
        let len = header.shape.iter().try_fold(1u64, |all, &one| all.checked_mul(one));
        let promised = len.and_then(|len| len.checked_mul(found.bytes() as u64));
        let promised = promised.unwrap_or(u64::MAX);
        let mut elements = self.promised(header.bytes, found.bytes(), promised)?;
        if order == ByteOrder::Swapped {
            let mut data = elements.load()?;
            data.swap_bytes();
            elements = Elements::Memory(data);
        }
        Ok(Numbers { element: found, elements })
    }

    /// Returns the elements after `offset`. Returns an error unless the input has exactly `promised` bytes there.
    fn promised(&mut self, offset: u64, each: usize, promised: u64) -> Result<Elements> {
        let (elements, found) = self.elements(offset, each, promised)?;
        if found < promised {
            return Err(FileError::Short { place: self.name(), found, promised });
        }
        self.expect_end(offset, promised)?;
        Ok(elements)
    }

    /// Returns an error if the input continues more than `promised` bytes after `offset`. A stream
    /// must have been read up to there.
    fn expect_end(&mut self, offset: u64, promised: u64) -> Result<()> {
        let place = self.name();
        if let Some((_, size)) = &self.plain {
            return match size.saturating_sub(offset) > promised {
                true => Err(FileError::Long { place, promised }),
                false => Ok(()),
            };
        }
        match self.reader.fill_buf() {
            Ok([]) => Ok(()),
            Ok(_) => Err(FileError::Long { place, promised }),
            Err(source) => Err(FileError::Read { place, source }),
        }
    }

    fn raw(&mut self, requested: Option<Element>) -> Result<Numbers> {
        let element = self.type_of(requested)?;
        let (elements, bytes) = self.elements(0, element.bytes(), u64::MAX)?;
        if !bytes.is_multiple_of(element.bytes() as u64) {
            return Err(FileError::Partial { place: self.name(), bytes, element });
        }
        Ok(Numbers { element, elements })
    }

    fn text(&mut self, requested: Option<Element>) -> Result<Numbers> {
        let element = self.type_of(requested)?;
        let place = self.name();
        let data = text::read(&mut self.reader, element).map_err(|problem| match problem {
            text::Problem::Io(source) => FileError::Read { place, source },
            text::Problem::Line(line, text) => FileError::Number { place, line, text, element },
            text::Problem::LongLine(line) => FileError::LongLine { place, line },
            text::Problem::NoMemory(elements) => FileError::NoMemory { place, elements },
        })?;
        Ok(Numbers { element, elements: Elements::Memory(data) })
    }

    /// Returns the elements of `each` bytes from `offset` to the end of the input, but at most `max` bytes, and the
    /// number of bytes found. Drops an incomplete last element. Does not read the elements of a plain file yet.
    fn elements(&mut self, offset: u64, each: usize, max: u64) -> Result<(Elements, u64)> {
        let place = self.name();
        if let Some((file, size)) = &self.plain {
            let bytes = size.saturating_sub(offset).min(max);
            let len = usize::try_from(bytes / each as u64).unwrap_or(usize::MAX);
            let file = PlainFile::new(file.clone(), place, offset, len, each);
            return Ok((Elements::File(file), bytes));
        }
        let mut data = Data::empty(each);
        let mut filled = 0;
        loop {
            let available = usize::try_from(max).unwrap_or(usize::MAX).saturating_sub(filled);
            let step = available.min(STEP_BYTES);
            let len = (filled + step).div_ceil(each);
            if !data.resize(len) {
                return Err(FileError::NoMemory { place, elements: len });
            }
            let read = fill(&mut self.reader, &mut data.bytes_mut()[filled..filled + step])
                .map_err(|source| FileError::Read { place: place.clone(), source })?;
            filled += read;
            if read < step || step == 0 {
                break;
            }
        }
        // Shrinking cannot fail.
        data.resize(filled / each);
        Ok((Elements::Memory(data), filled as u64))
    }
}

/// Reads until `bytes` is full or the input ends. Returns the number of bytes read.
fn fill(reader: &mut impl Read, bytes: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < bytes.len() {
        match reader.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
