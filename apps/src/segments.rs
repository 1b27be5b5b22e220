//! Rows and segments of an array that a command processes separately.

use std::ops::Range;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use multisplit::Scan;
use multisplit_bench::progress::Bars;
use multisplit_bench::size;

use crate::formats::{Element, Place};
use crate::inputs::{Shape, read_or};
use crate::number::{Number as _, edges_of};

/// Division of an array into segments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segments {
    /// The array is one segment.
    Whole,
    /// Rows of this length, which divides the length of the array.
    Rows(u64),
    /// Start of each segment, and the end of the last one.
    Offsets(Vec<u32>),
}

impl Segments {
    /// Reads the offsets of the segments of `input`, which has `n` elements. Text and raw files contain u32.
    pub fn read(path: &Path, (input, n): (&Place, usize), bars: Bars) -> Result<Self> {
        let place = Place::new(path);
        let offsets = read_or(&place, Element::U32, Shape::Line, bars)?;
        let offsets: Option<Vec<u32>> = edges_of(&offsets)?.into_iter().map(u32::exactly).collect();
        let offsets = offsets.with_context(|| {
            format!(
                "{place} has numbers that are not offsets; offsets are integers from 0 to 2^32 - 1"
            )
        })?;
        check_offsets(&place, &offsets, (input, n))?;
        Ok(Self::Offsets(offsets))
    }

    /// The scan of each segment.
    pub fn of(&self, scan: Scan) -> Scan {
        match self {
            Self::Whole => scan,
            Self::Rows(length) => scan.rows(*length),
            Self::Offsets(offsets) => scan.segments(offsets),
        }
    }

    /// Range of each segment of an array of `n` elements.
    pub fn ranges(&self, n: usize) -> impl Iterator<Item = Range<usize>> {
        let bound = move |segment: usize| match self {
            Self::Whole => segment * n,
            Self::Rows(length) => segment * *length as usize,
            Self::Offsets(offsets) => offsets[segment] as usize,
        };
        (0..self.count(n)).map(move |segment| bound(segment)..bound(segment + 1))
    }

    fn count(&self, n: usize) -> usize {
        match self {
            Self::Whole => 1,
            Self::Rows(length) => n / (*length).max(1) as usize,
            Self::Offsets(offsets) => offsets.len() - 1,
        }
    }

    /// Formats the number of segments for a summary, such as " in 3 rows".
    pub fn summary(&self, n: usize) -> String {
        let count = size::grouped(self.count(n) as u64);
        match self {
            Self::Whole => String::new(),
            Self::Rows(_) => format!(" in {count} rows"),
            Self::Offsets(_) => format!(" in {count} segments"),
        }
    }
}

/// Checks that the offsets ascend from 0 to the number of elements of `input`.
fn check_offsets(place: &Place, offsets: &[u32], (input, n): (&Place, usize)) -> Result<()> {
    let (Some(&first), Some(&last)) = (offsets.first(), offsets.last()) else {
        bail!("{place} is empty; give the start of each segment, and the end of the last one");
    };
    if first != 0 {
        bail!("{place} begins with {first}; the first offset must be 0");
    }
    if let Some(before) = offsets.windows(2).position(|pair| pair[1] < pair[0]) {
        let at = size::grouped(before as u64 + 1);
        bail!("{place}: offset {at}, counted from 0, is less than the previous one");
    }
    if last as usize != n {
        let n = size::grouped(n as u64);
        bail!(
            "{place} ends with {last}, but {input} has {n} elements; the last offset must be the number of elements"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_cover_the_array() {
        let ranges = |segments: Segments, n| -> Vec<(usize, usize)> {
            segments.ranges(n).map(|range| (range.start, range.end)).collect()
        };
        assert_eq!(ranges(Segments::Whole, 5), [(0, 5)]);
        assert_eq!(ranges(Segments::Rows(2), 6), [(0, 2), (2, 4), (4, 6)]);
        assert_eq!(ranges(Segments::Rows(2), 0), []);
        assert_eq!(ranges(Segments::Offsets(vec![0, 3, 3, 5]), 5), [(0, 3), (3, 3), (3, 5)]);
    }

    #[test]
    fn invalid_offsets_are_reported() {
        let [offsets, input] = ["ends.npy", "in.npy"].map(|name| Place::new(Path::new(name)));
        let problem = |all: &[u32]| match check_offsets(&offsets, all, (&input, 5)) {
            Ok(()) => String::new(),
            Err(error) => error.to_string(),
        };
        assert_eq!(problem(&[0, 3, 3, 5]), "");
        assert!(problem(&[]).contains("ends.npy is empty"));
        assert!(problem(&[1, 5]).contains("ends.npy begins with 1"));
        assert!(problem(&[0, 3, 2, 5]).contains("ends.npy: offset 2, counted from 0"));
        assert!(problem(&[0, 4]).contains("ends with 4, but in.npy has 5 elements"));
    }
}
