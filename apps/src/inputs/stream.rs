//! Byte streams of inputs: a file, a pipe or standard input, decompressed. The first bytes are
//! inspected before the rest is read.

use std::fs::File;
use std::io::{self, BufReader, Chain, Cursor, Read};
use std::sync::Arc;

use indicatif::ProgressBar;
use multisplit_bench::first_bytes::{self, Compression, PEEKED_BYTES};
use multisplit_bench::progress::Bars;

use crate::formats::recognise::{self, Content};
use crate::formats::{FileError, Format, Place, Result, Stated};

const BUFFER_BYTES: usize = 1 << 20;

/// The inspected first bytes, followed by the rest.
type Whole = Chain<Cursor<Vec<u8>>, Box<dyn Read>>;

pub struct Stream {
    pub place: Place,
    /// The decompressed data from the beginning.
    pub reader: BufReader<Whole>,
    /// The file and its size, if it is not compressed and can be read by ranges.
    pub plain: Option<(Arc<File>, u64)>,
    content: Content,
    bar: ProgressBar,
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Stream {
    /// Opens `place` and inspects its first bytes.
    pub fn open(place: &Place, bars: Bars) -> Result<Self> {
        let problem = |source| FileError::Read { place: place.to_string(), source };
        let Opened { reader, file, size } = open(place).map_err(problem)?;
        let bar = bars.bytes(&format!("reading {place}"), size);
        let (first, rest) = peek(Box::new(bar.wrap_read(reader))).map_err(problem)?;
        let compression = place.compression.or_else(|| first_bytes::compression(&first));
        let packed = BufReader::with_capacity(BUFFER_BYTES, Cursor::new(first).chain(rest));
        let unpacked: Box<dyn Read> = match compression {
            None => Box::new(packed),
            Some(Compression::Gzip) => Box::new(flate2::bufread::MultiGzDecoder::new(packed)),
            Some(Compression::Zstandard) => {
                Box::new(zstd::Decoder::with_buffer(packed).map_err(problem)?)
            }
        };
        let (first, rest) = peek(unpacked).map_err(problem)?;
        let content = recognise::content(&first);
        let reader = BufReader::with_capacity(BUFFER_BYTES, Cursor::new(first).chain(rest));
        let plain = file.zip(size).filter(|_| compression.is_none());
        Ok(Self { place: place.clone(), reader, plain, content, bar })
    }

    /// The name on the command line.
    pub fn name(&self) -> String {
        self.place.to_string()
    }

    /// Format of the data, from an option, the file name, or the content.
    pub fn format(&self) -> Result<Format> {
        let place = || self.name();
        match (self.place.format, self.content) {
            (Stated::Asked(format), _) => Ok(format),
            (_, Content::Utf16) => Err(FileError::Utf16 { place: place() }),
            (Stated::Named(format), _) => Ok(format),
            (_, Content::Npy) => Ok(Format::Npy),
            (_, Content::Zip) => Err(FileError::Zip { place: place() }),
            (Stated::NamedRaw, Content::Lines | Content::Columns) => {
                Err(FileError::LooksLikeText { place: place() })
            }
            (_, Content::Lines) => Ok(Format::Text),
            (_, Content::Columns) => Ok(Format::Csv),
            (_, Content::Other) => Ok(Format::Raw),
        }
    }

    /// Whether the first line has several columns.
    pub fn has_columns(&self) -> bool {
        self.content == Content::Columns
    }

    /// Reads the rest of the input into memory.
    pub fn everything(&mut self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let no_memory =
            |bytes: usize, place| FileError::NoMemoryForBytes { place, bytes: bytes as u64 };
        if let Some((_, size)) = self.plain {
            let size = usize::try_from(size).unwrap_or(usize::MAX);
            bytes.try_reserve_exact(size).map_err(|_| no_memory(size, self.name()))?;
        }
        loop {
            let step = BUFFER_BYTES;
            bytes.try_reserve(step).map_err(|_| no_memory(bytes.len() + step, self.name()))?;
            let read = self.reader.by_ref().take(step as u64).read_to_end(&mut bytes);
            if read.map_err(|source| FileError::Read { place: self.name(), source })? == 0 {
                return Ok(bytes);
            }
        }
    }
}

struct Opened {
    reader: Box<dyn Read>,
    /// The file, unless the source is standard input.
    file: Option<Arc<File>>,
    /// Size in bytes, if known.
    size: Option<u64>,
}

fn open(place: &Place) -> io::Result<Opened> {
    let Some(path) = &place.path else {
        return Ok(Opened { reader: Box::new(io::stdin()), file: None, size: None });
    };
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        // Fail here, because the error of the first read would be less clear.
        return Err(io::ErrorKind::IsADirectory.into());
    }
    // Some system files report a size of 0 but are not empty.
    let size = Some(metadata.len()).filter(|&size| metadata.is_file() && size > 0);
    let file = Arc::new(file);
    Ok(Opened { reader: Box::new(file.clone()), file: Some(file), size })
}

/// Reads the first bytes, and returns them with a reader for the rest.
fn peek(mut reader: Box<dyn Read>) -> io::Result<(Vec<u8>, Box<dyn Read>)> {
    let mut first = Vec::with_capacity(PEEKED_BYTES);
    reader.by_ref().take(PEEKED_BYTES as u64).read_to_end(&mut first)?;
    Ok((first, reader))
}
