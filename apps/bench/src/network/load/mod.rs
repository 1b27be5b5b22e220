//! Loads networks from files: Matrix Market (.mtx), DIMACS (.gr), edge lists (.el, .wel), each optionally
//! compressed (.gz, .zst).
//!
//! Files are read in blocks of whole lines. While one block is read and decompressed, threads parse the
//! previous ones.

mod blocks;
mod cursor;
mod format;
mod head;
mod lines;

pub use format::Format;

use std::fs::File;
use std::io::{BufReader, Cursor, Read};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;
use multisplit_sssp::network::{EdgeList, Network};

use super::error::{InputError, Result};
use super::{WeightOrigin, Weighting};
use crate::first_bytes::{BYTE_ORDER_MARK, Compression, PEEKED_BYTES, compression};
use crate::host_memory;
use blocks::Blocks;
use head::Head;

/// Progress of loading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes of the file read so far, before decompression.
    pub bytes: u64,
    /// Size of the file in bytes; 0 if unknown.
    pub all_bytes: u64,
}

/// Options for loading a file.
#[derive(Clone, Copy, Default)]
pub struct LoadOptions<'p> {
    /// Source of the weights.
    pub weighting: Weighting,
    /// File format. By default, the name or the first lines determine it.
    pub format: Option<Format>,
    /// Called repeatedly while the file is read, on the calling thread.
    pub progress: Option<&'p dyn Fn(Progress)>,
}

/// A network and the origin of its weights.
#[derive(Debug)]
pub struct Loaded {
    /// The network.
    pub network: Network,
    /// The origin of its weights.
    pub weights: WeightOrigin,
}

/// Loads a file. Its format is given by the options, its name or its first lines. Symmetric matrices are undirected,
/// all other networks are directed.
pub fn load(path: impl AsRef<Path>, options: &LoadOptions<'_>) -> Result<Loaded> {
    let path = path.as_ref();
    let file = File::open(path).map_err(|error| io(path, error))?;
    let found = file.metadata().map_err(|error| io(path, error))?;
    if found.is_dir() {
        return Err(io(path, std::io::ErrorKind::IsADirectory.into()));
    }
    let format = options.format.or(Format::of(path));
    read_all(path, file, found.len(), &LoadOptions { format, ..*options })
}

/// Reads a network from `reader`. Its format is given by the options or its first lines. `name` is used in error
/// messages.
pub fn read(name: &str, reader: impl Read, options: &LoadOptions<'_>) -> Result<Loaded> {
    read_all(Path::new(name), reader, 0, options)
}

fn read_all(
    path: &Path,
    reader: impl Read,
    all_bytes: u64,
    options: &LoadOptions<'_>,
) -> Result<Loaded> {
    let _span = tracing::debug_span!("network.load", path = %path.display()).entered();
    let failed = |error| io(path, error);
    let count = AtomicU64::new(0);
    let mut packed = BufReader::with_capacity(BLOCK, Counted { reader, count: &count });
    let magic = peek(&mut packed, PEEKED_BYTES).map_err(failed)?;
    let compression = compression(&magic);
    let packed = Cursor::new(magic).chain(packed);
    let packed = BufReader::with_capacity(BLOCK, packed);
    let mut plain: Box<dyn Read + '_> = match compression {
        None => Box::new(packed),
        Some(Compression::Gzip) => Box::new(MultiGzDecoder::new(packed)),
        Some(Compression::Zstandard) => {
            Box::new(zstd::Decoder::with_buffer(packed).map_err(failed)?)
        }
    };
    let mut first = peek(&mut plain, PEEKED_BYTES).map_err(failed)?;
    if first.starts_with(BYTE_ORDER_MARK) {
        first.drain(..BYTE_ORDER_MARK.len());
    }
    let unknown = || InputError::UnknownFormat { path: path.to_owned() };
    let format = options.format.or_else(|| Format::recognised(&first)).ok_or_else(unknown)?;
    let mut plain = Cursor::new(first).chain(plain);
    let report = || {
        if let Some(progress) = options.progress {
            progress(Progress { bytes: count.load(Ordering::Relaxed), all_bytes });
        }
    };
    let mut blocks = Blocks::new(path, &mut plain, &report);
    let head = Head::read(format, &mut blocks)?;
    let edges = lines::parse(&head, &mut blocks)?;
    network(path, &head, edges, options)
}

/// Reads the first bytes, at most `bytes`.
fn peek(reader: &mut impl Read, bytes: usize) -> std::io::Result<Vec<u8>> {
    let mut first = Vec::new();
    reader.take(bytes as u64).read_to_end(&mut first)?;
    Ok(first)
}

fn network(
    path: &Path,
    head: &Head,
    mut edges: EdgeList,
    options: &LoadOptions<'_>,
) -> Result<Loaded> {
    let (found, path) = (edges.len() as u64, path.to_owned());
    if let Some(announced) = head.announced.filter(|&announced| announced != found) {
        return Err(match found < announced {
            true => InputError::FewerEdges { path, announced, found },
            false => InputError::MoreEdges { path, announced, found },
        });
    }
    let greatest = || edges.from.iter().chain(&edges.to).max().map_or(0, |&v| u64::from(v) + 1);
    let vertices = head.vertices.unwrap_or_else(greatest);
    // Memory for the arcs of both directions, the offsets of each vertex, and the edge list, which is still
    // in use.
    let bytes = vertices.saturating_mul(24).saturating_add(found.saturating_mul(48));
    let what = format!("{}: a network of {vertices} vertices and {found} edges", path.display());
    host_memory::check(&what, bytes)?;
    let weights = options.weighting.apply(&mut edges);
    Ok(Loaded { network: Network::new(vertices, head.direction, &edges)?, weights })
}

fn io(path: &Path, error: std::io::Error) -> InputError {
    InputError::Io { path: path.to_owned(), error }
}

/// Bytes of a file to read at a time, before decompression.
const BLOCK: usize = 1 << 18;

/// Counts the bytes read.
struct Counted<'c, R> {
    reader: R,
    count: &'c AtomicU64,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let bytes = self.reader.read(buffer)?;
        self.count.fetch_add(bytes as u64, Ordering::Relaxed);
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests;
