//! File formats of networks and their detection.

use std::path::Path;

/// File format of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// `.mtx`: coordinate format with pattern, integer or real entries, general or symmetric. Vertices are
    /// counted from 1.
    MatrixMarket,
    /// `.gr`: the arcs of the DIMACS shortest-path challenge. Vertices are counted from 1.
    Dimacs,
    /// `.el`: two vertices per line, counted from 0.
    EdgeList,
    /// `.wel`: two vertices and a weight per line, vertices counted from 0.
    WeightedEdgeList,
}

impl Format {
    /// The format implied by a file name, ignoring `.gz` and `.zst`.
    pub fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let plain = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
        let (_, extension) = plain.rsplit_once('.')?;
        match extension {
            "mtx" => Some(Self::MatrixMarket),
            "gr" => Some(Self::Dimacs),
            "el" => Some(Self::EdgeList),
            "wel" => Some(Self::WeightedEdgeList),
            _ => None,
        }
    }

    /// Detects the format from the first bytes of a file.
    pub fn recognised(first: &[u8]) -> Option<Self> {
        if first.len() >= 14 && first[..14].eq_ignore_ascii_case(b"%%MatrixMarket") {
            return Some(Self::MatrixMarket);
        }
        let lines = first.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
        let mut lines = lines.filter(|line| !line.is_empty());
        let line = lines.find(|line| !matches!(line[0], b'%' | b'#' | b'c'))?;
        let words = line.split(u8::is_ascii_whitespace);
        let words: Vec<&[u8]> = words.filter(|word| !word.is_empty()).collect();
        let number = |word: &&[u8]| word.iter().all(u8::is_ascii_digit);
        match words[..] {
            [b"p", b"sp", ..] => Some(Self::Dimacs),
            [from, to] if number(&from) && number(&to) => Some(Self::EdgeList),
            [from, to, _] if number(&from) && number(&to) => Some(Self::WeightedEdgeList),
            _ => None,
        }
    }
}
