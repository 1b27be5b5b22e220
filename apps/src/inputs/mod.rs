//! How an array is read: straight into the memory that the device is given, in whichever form it
//! comes.
//!
//! Files are read, not mapped. A map would save one copy of many (the device takes another), and
//! needs `unsafe`: another program that shortens the file meanwhile turns a map into a crash, and a
//! read into an error.

mod options;
mod stream;
mod values;

pub use options::{Input, InputOptions, TableInput};
pub use stream::Stream;
pub use values::{ValueForm, Values, read_values};

use std::io::{self, BufRead as _, Read};

use crate::formats::npy::{self, ByteOrder};
use crate::formats::text;
use crate::formats::{Array, Data, Element, FileError, Format, Place, Result};
use crate::progress::Bars;

/// Read at a time, so that a header that promises too much costs no memory.
const STEP_BYTES: usize = 16 << 20;

/// Which shapes an array may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One dimension.
    Line,
    /// Any: the order of the elements does not matter.
    Any,
}

/// Reads the whole array at `place`. `asked` is what its elements are where the file does not say
/// it; a file that says something else is refused.
pub fn read(place: &Place, asked: Option<Element>, shape: Shape, bars: Bars) -> Result<Array> {
    let mut stream = Stream::open(place, bars)?;
    let format = stream.format()?;
    read_array(&mut stream, format, asked, shape)
}

/// The same of an input that has been opened, in this format.
pub fn read_array(
    stream: &mut Stream,
    format: Format,
    asked: Option<Element>,
    shape: Shape,
) -> Result<Array> {
    match format {
        Format::Npy => stream.npy(asked, shape),
        Format::Raw => stream.raw(asked),
        Format::Text | Format::Csv if stream.has_columns() => {
            Err(FileError::Columns { place: stream.name() })
        }
        Format::Text | Format::Csv => stream.text(asked),
    }
}

impl Stream {
    fn type_of(&self, asked: Option<Element>) -> Result<Element> {
        asked.ok_or_else(|| FileError::NoType { place: self.name() })
    }

    fn array(&self, element: Element, data: Data) -> Result<Array> {
        let elements = data.len() as u64;
        Array::new(element, data)
            .ok_or_else(|| FileError::NoMemory { place: self.name(), elements })
    }

    fn npy_header(&mut self) -> Result<npy::Header> {
        npy::read_header(&mut self.reader).map_err(|problem| match problem {
            npy::Problem::Io(source) => self.unreadable(source),
            npy::Problem::Other(problem) => FileError::Npy { place: self.name(), problem },
        })
    }

    fn npy(&mut self, asked: Option<Element>, shape: Shape) -> Result<Array> {
        let header = self.npy_header()?;
        let place = self.name();
        let Some((found, order)) = header.element else {
            return Err(FileError::NpyType {
                place,
                descr: text::shown(header.descr.trim_matches('\'')),
            });
        };
        if let Some(asked) = asked
            && asked != found
        {
            return Err(FileError::OtherType { place, found, asked });
        }
        if shape == Shape::Line && header.shape.len() != 1 {
            let (dimensions, wanted) = (header.shape.len(), "keys are in one dimension");
            return Err(FileError::Dimensions { place, dimensions, wanted });
        }
        let len = header.shape.iter().try_fold(1u64, |all, &one| all.checked_mul(one));
        let promised = len.and_then(|len| len.checked_mul(found.bytes() as u64));
        let promised = promised.unwrap_or(u64::MAX);
        let mut data = self.promised(found.bytes(), promised)?;
        if order == ByteOrder::Swapped {
            data.swap_bytes();
        }
        self.array(found, data)
    }

    /// Exactly so many bytes, with nothing behind them.
    fn promised(&mut self, each: usize, promised: u64) -> Result<Data> {
        let (data, found) = self.elements(each, promised)?;
        if found < promised {
            return Err(FileError::Short { place: self.name(), found, promised });
        }
        self.expect_end(promised)?;
        Ok(data)
    }

    /// After so many bytes there is to be nothing.
    fn expect_end(&mut self, promised: u64) -> Result<()> {
        let place = self.name();
        match self.reader.fill_buf() {
            Ok([]) => Ok(()),
            Ok(_) => Err(FileError::Long { place, promised }),
            Err(source) => Err(FileError::Read { place, source }),
        }
    }

    fn raw(&mut self, asked: Option<Element>) -> Result<Array> {
        let element = self.type_of(asked)?;
        let (data, bytes) = self.elements(element.bytes(), u64::MAX)?;
        if !bytes.is_multiple_of(element.bytes() as u64) {
            return Err(FileError::Partial { place: self.name(), bytes, element });
        }
        self.array(element, data)
    }

    fn text(&mut self, asked: Option<Element>) -> Result<Array> {
        let element = self.type_of(asked)?;
        let place = self.name();
        let data = text::read(&mut self.reader, element).map_err(|problem| match problem {
            text::Problem::Io(source) => FileError::Read { place, source },
            text::Problem::Line(line, text) => FileError::Number { place, line, text, element },
            text::Problem::LongLine(line) => FileError::LongLine { place, line },
            text::Problem::NoMemory(elements) => FileError::NoMemory { place, elements },
        })?;
        self.array(element, data)
    }

    /// Elements of `each` bytes until the end or until `max` bytes, and how many bytes they were.
    /// What is left of a last partial element is dropped.
    fn elements(&mut self, each: usize, max: u64) -> Result<(Data, u64)> {
        let mut data = Data::empty(each);
        let place = self.name();
        let no_memory = |elements: usize| {
            let place = place.clone();
            FileError::NoMemory { place, elements: elements as u64 }
        };
        // A file's own size can be believed.
        if let Some(size) = self.size {
            let len = (size.min(max) / each as u64) as usize;
            if !data.reserve(len) {
                return Err(no_memory(len));
            }
        }
        let mut filled = 0;
        loop {
            let room = usize::try_from(max).unwrap_or(usize::MAX).saturating_sub(filled);
            let step = room.min(STEP_BYTES);
            let len = (filled + step).div_ceil(each);
            if !data.resize(len) {
                return Err(no_memory(len));
            }
            let read = fill(&mut self.reader, &mut data.bytes_mut()[filled..filled + step])
                .map_err(|source| FileError::Read { place: place.clone(), source })?;
            filled += read;
            if read < step || step == 0 {
                break;
            }
        }
        // It only shrinks, so there is room.
        data.resize(filled / each);
        Ok((data, filled as u64))
    }
}

/// Reads until `bytes` is full or nothing comes any more; says how much came.
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
