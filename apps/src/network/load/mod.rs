//! Networks from files: Matrix Market (.mtx), DIMACS (.gr), lists of edges (.el, .wel), each also
//! compressed (.gz).
//!
//! A file is read in blocks of whole lines, never as a whole; while the next block is read (and
//! unpacked), threads turn the ones before it into edges.

mod blocks;
mod cursor;
mod head;
mod lines;

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;
use multisplit::network::{Direction, EdgeList, Network};

use super::{InputError, Weighting};
use blocks::Blocks;
use head::Head;

/// What kind of file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// `.mtx`: coordinates, of pattern, integer or real entries, general or symmetric. Vertices
    /// are counted from 1.
    MatrixMarket,
    /// `.gr`: the arcs of the DIMACS shortest-path challenge. Vertices are counted from 1.
    Dimacs,
    /// `.el`: two vertices a line, counted from 0.
    EdgeList,
    /// `.wel`: two vertices and a weight a line, vertices counted from 0.
    WeightedEdgeList,
}

impl Format {
    /// The kind that a file's name says it is of, `.gz` left out.
    pub fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let (_, extension) = name.strip_suffix(".gz").unwrap_or(&name).rsplit_once('.')?;
        match extension {
            "mtx" => Some(Self::MatrixMarket),
            "gr" => Some(Self::Dimacs),
            "el" => Some(Self::EdgeList),
            "wel" => Some(Self::WeightedEdgeList),
            _ => None,
        }
    }
}

/// How far loading has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes of the file that have been read, before unpacking.
    pub bytes: u64,
    /// Bytes of the file; 0 where that is not known.
    pub all_bytes: u64,
}

/// How a file becomes a network.
#[derive(Clone, Copy, Default)]
pub struct LoadOptions<'p> {
    /// Where weights come from.
    pub weighting: Weighting,
    /// Whether edges lead both ways, where the file is not to decide: symmetric matrices are
    /// undirected, everything else is directed.
    pub direction: Option<Direction>,
    /// Called now and then while the file is read, on the calling thread.
    pub progress: Option<&'p dyn Fn(Progress)>,
}

/// Loads a file whose name says what it is.
pub fn load(path: impl AsRef<Path>, options: &LoadOptions<'_>) -> Result<Network, InputError> {
    let path = path.as_ref();
    let unknown = || InputError::UnknownFormat { path: path.to_owned() };
    let format = Format::of(path).ok_or_else(unknown)?;
    let file = File::open(path).map_err(|error| io(path, error))?;
    let all_bytes = file.metadata().map_or(0, |data| data.len());
    read_all(path, file, all_bytes, format, options)
}

/// Reads a network from `reader`; `name` stands for it in errors.
pub fn read(
    name: &str,
    reader: impl Read,
    format: Format,
    options: &LoadOptions<'_>,
) -> Result<Network, InputError> {
    read_all(Path::new(name), reader, 0, format, options)
}

fn read_all(
    path: &Path,
    reader: impl Read,
    all_bytes: u64,
    format: Format,
    options: &LoadOptions<'_>,
) -> Result<Network, InputError> {
    let _span = tracing::debug_span!("network.load", path = %path.display()).entered();
    let count = AtomicU64::new(0);
    let mut packed = BufReader::with_capacity(PACKED_BLOCK, Counted { reader, count: &count });
    let magic = std::io::BufRead::fill_buf(&mut packed).map_err(|error| io(path, error))?;
    let is_packed = magic.starts_with(&GZIP_MAGIC);
    let plain: &mut dyn Read =
        if is_packed { &mut MultiGzDecoder::new(packed) } else { &mut packed };
    let report = || {
        if let Some(progress) = options.progress {
            progress(Progress { bytes: count.load(Ordering::Relaxed), all_bytes });
        }
    };
    let mut blocks = Blocks::new(plain, &report);
    let head = Head::read(format, &mut blocks).map_err(|problem| problem.at(path))?;
    let edges = lines::parse(&head, &mut blocks).map_err(|problem| problem.at(path))?;
    network(path, &head, edges, options)
}

fn network(
    path: &Path,
    head: &Head,
    mut edges: EdgeList,
    options: &LoadOptions<'_>,
) -> Result<Network, InputError> {
    let (found, path) = (edges.len() as u64, path.to_owned());
    match head.announced {
        Some(announced) if found < announced => {
            return Err(InputError::FewerEdges { path, announced, found });
        }
        Some(announced) if found > announced => {
            return Err(InputError::MoreEdges { path, announced, found });
        }
        _ => {}
    }
    let greatest = || edges.from.iter().chain(&edges.to).max().map_or(0, |&v| u64::from(v) + 1);
    let vertices = head.vertices.unwrap_or_else(greatest);
    options.weighting.apply(&mut edges);
    Ok(Network::new(vertices, options.direction.unwrap_or(head.direction), &edges)?)
}

fn io(path: &Path, error: std::io::Error) -> InputError {
    InputError::Io { path: path.to_owned(), error }
}

/// The first bytes of every gzip file.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
/// Bytes of a packed file that are read at a time.
const PACKED_BLOCK: usize = 1 << 18;

/// Counts the bytes that are read.
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

/// What is wrong, and in which line; or that reading failed.
enum Problem {
    Line(u64, String),
    Io(std::io::Error),
}

impl Problem {
    fn at(self, path: &Path) -> InputError {
        let path = path.to_owned();
        match self {
            Self::Line(line, problem) => InputError::Malformed { path, line, problem },
            Self::Io(error) => InputError::Io { path, error },
        }
    }
}

#[cfg(test)]
mod tests;
