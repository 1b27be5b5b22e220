//! How an array is read.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read};

use super::{Array, Compression, Data, Element, FileError, Format, Place, Result};
use super::{npy, text};
use crate::progress::Bars;

/// Read at a time, so that a header that promises too much costs no memory.
const STEP_BYTES: usize = 16 << 20;
const BUFFER_BYTES: usize = 1 << 20;

/// Reads the whole array at `place`. `asked` is what its elements are where the file does not say
/// it; a file that says something else is refused.
pub fn read(place: &Place, asked: Option<Element>, bars: Bars) -> Result<Array> {
    let problem = |source| FileError::Read { place: place.to_string(), source };
    let (plain, size) = open(place).map_err(problem)?;
    let bar = bars.bytes(&format!("reading {place}"), size);
    let counted = BufReader::with_capacity(BUFFER_BYTES, bar.wrap_read(plain));
    let mut reader: BufReader<Box<dyn Read>> = match place.compression {
        None => BufReader::new(Box::new(counted)),
        Some(Compression::Gzip) => boxed(flate2::bufread::MultiGzDecoder::new(counted)),
        Some(Compression::Zstandard) => {
            boxed(zstd::Decoder::with_buffer(counted).map_err(problem)?)
        }
    };
    // A pipe has no extension, but what NumPy writes has its magic bytes.
    let sniffed = place.is_stream() && reader.fill_buf().map_err(problem)?.starts_with(npy::MAGIC);
    let mut source = Source { place, size: size.filter(|_| place.compression.is_none()), reader };
    let array = match place.format {
        Format::Npy => source.npy(asked),
        _ if sniffed => source.npy(asked),
        Format::Raw => source.raw(asked),
        Format::Text => source.text(asked),
    };
    bar.finish_and_clear();
    array
}

fn boxed<R: Read + 'static>(reader: R) -> BufReader<Box<dyn Read>> {
    BufReader::with_capacity(BUFFER_BYTES, Box::new(reader))
}

/// The bytes, and how many there are where that is known.
fn open(place: &Place) -> io::Result<(Box<dyn Read>, Option<u64>)> {
    let Some(path) = &place.path else {
        return Ok((Box::new(io::stdin()), None));
    };
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        // Reading would say so too, but of the first read and in other words.
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let size = metadata.is_file().then_some(metadata.len());
    Ok((Box::new(file), size))
}

/// A file that is being read.
struct Source<'p> {
    place: &'p Place,
    /// How many bytes there are to be read, where that is known.
    size: Option<u64>,
    reader: BufReader<Box<dyn Read>>,
}

impl Source<'_> {
    fn name(&self) -> String {
        self.place.to_string()
    }

    fn type_of(&self, asked: Option<Element>) -> Result<Element> {
        asked.ok_or_else(|| FileError::NoType { place: self.name() })
    }

    fn array(&self, element: Element, data: Data) -> Result<Array> {
        let elements = data.len() as u64;
        Array::new(element, data)
            .ok_or_else(|| FileError::NoMemory { place: self.name(), elements })
    }

    fn npy(&mut self, asked: Option<Element>) -> Result<Array> {
        let header = npy::read_header(&mut self.reader).map_err(|problem| match problem {
            npy::Problem::Io(source) => FileError::Read { place: self.name(), source },
            npy::Problem::Type(descr) => FileError::NpyType { place: self.name(), descr },
            npy::Problem::Other(problem) => FileError::Npy { place: self.name(), problem },
        })?;
        let found = header.element;
        if let Some(asked) = asked
            && asked != found
        {
            return Err(FileError::OtherType { place: self.name(), found, asked });
        }
        let promised = header.len.saturating_mul(found.bytes() as u64);
        let (data, bytes) = self.elements(found, promised)?;
        if bytes < promised {
            return Err(FileError::Short { place: self.name(), found: bytes, promised });
        }
        let place = self.name();
        match self.reader.fill_buf() {
            Ok([]) => {}
            Ok(_) => return Err(FileError::Long { place, promised }),
            Err(source) => return Err(FileError::Read { place, source }),
        }
        self.array(found, data)
    }

    fn raw(&mut self, asked: Option<Element>) -> Result<Array> {
        let element = self.type_of(asked)?;
        let (data, bytes) = self.elements(element, u64::MAX)?;
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
            text::Problem::NoMemory(elements) => FileError::NoMemory { place, elements },
            text::Problem::Element => FileError::NoText { place, element },
        })?;
        self.array(element, data)
    }

    /// Elements until the end or until `max` bytes, and how many bytes they were. What is left of
    /// a last partial element is dropped.
    fn elements(&mut self, element: Element, max: u64) -> Result<(Data, u64)> {
        let mut data = Data::empty(element);
        let each = element.bytes();
        let no_memory = |elements: usize| {
            let place = self.place.to_string();
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
                .map_err(|source| FileError::Read { place: self.place.to_string(), source })?;
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
