//! The lookup table of range bins: cells, each of which knows the splitters that lie before it.
//!
//! A cell is a monotonic function of a sample, computed here and in the kernel to the same bits. So
//! a splitter of an earlier cell is below every sample of a cell, and one of a later cell above; only
//! splitters of the very cell have to be compared with.

use super::sample::SampleType;

/// How samples are given cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum CellMap {
    /// Equal parts of the ordered bits, of 2^shift each: for floats, nearly equal ratios.
    Shift(u32),
    /// Equal parts of the values, as the bits of a float: cells to the unit.
    Affine(u64),
}

/// Cells over sorted splitters.
pub(super) struct Cells {
    pub map: CellMap,
    /// A word for each cell, and one more: how many inner splitters lie before it, and from
    /// [`CELL_BITS`] on whether one (1) or more (2) lie in it.
    pub words: Vec<u32>,
}

/// Bits of a bin number in a cell's word.
const CELL_BITS: u32 = 20;
/// Ranges narrower than this have no affine map: differences that are not normal numbers, which a
/// device may take for zero, must all lie in the first cell.
const LEAST_WIDTH: f64 = 1e-30;

impl Cells {
    /// `count` cells over m + 1 splitters, given as the bits of samples, with the map under which
    /// fewer splitters share a cell.
    pub fn new(sample: SampleType, splitters: &[u64], count: u32) -> Self {
        let shift = Self::with(sample, splitters, count, shift_map(sample, splitters, count));
        let affine = affine_map(sample, splitters, count)
            .map(|map| Self::with(sample, splitters, count, map));
        match affine {
            // Equal values are the more usual input, so they win a draw.
            Some((affine, crowded)) if crowded <= shift.1 => affine,
            _ => shift.0,
        }
    }

    /// The cells, and how crowded they are: the sum of the squares of their splitters.
    fn with(sample: SampleType, splitters: &[u64], count: u32, map: CellMap) -> (Self, u64) {
        let inner = splitters.get(1..splitters.len().saturating_sub(1)).unwrap_or_default();
        let origin = splitters.first().copied().unwrap_or(0);
        let mut own = vec![0u32; count as usize];
        for &splitter in inner {
            own[map.cell(sample, origin, splitter, count) as usize] += 1;
        }
        let mut before = 0;
        let mut words: Vec<u32> = Vec::with_capacity(own.len() + 1);
        for &own in &own {
            words.push(before | own.min(2) << CELL_BITS);
            before += own;
        }
        words.push(before);
        let crowded = own.iter().map(|&own| u64::from(own).pow(2)).sum();
        (Self { map, words }, crowded)
    }
}

impl CellMap {
    /// The cell of an edge; the kernel computes that of a sample the same way.
    fn cell(self, sample: SampleType, origin: u64, edge: u64, count: u32) -> u32 {
        let cell = match self {
            Self::Shift(shift) => {
                (sample.ordered_edge(edge) - sample.ordered_edge(origin)) >> shift
            }
            Self::Affine(scale) if sample == SampleType::F64 => {
                ((f64::from_bits(edge) - f64::from_bits(origin)) * f64::from_bits(scale)) as u64
            }
            Self::Affine(scale) => {
                let value = |bits: u64| f32::from_bits(bits as u32);
                ((value(edge) - value(origin)) * value(scale)) as u64
            }
        };
        cell.min(u64::from(count - 1)) as u32
    }
}

/// The least shift that keeps the range within `count` cells.
fn shift_map(sample: SampleType, splitters: &[u64], count: u32) -> CellMap {
    let ordered = |edge: Option<&u64>| sample.ordered_edge(edge.copied().unwrap_or(0));
    let last = ordered(splitters.last()).saturating_sub(ordered(splitters.first()));
    let cells = |shift: &u32| last.saturating_sub(1) >> shift < u64::from(count);
    // No more than a shift of such a number can be.
    let most = 8 * sample.bytes().max(4) - 1;
    CellMap::Shift((0..most).find(cells).unwrap_or(most))
}

fn affine_map(sample: SampleType, splitters: &[u64], count: u32) -> Option<CellMap> {
    let (first, last) = (*splitters.first()?, *splitters.last()?);
    let width = sample.float(last) - sample.float(first);
    if !sample.is_float() || !(LEAST_WIDTH..1e30).contains(&width) {
        return None;
    }
    let scale = f64::from(count) / width;
    Some(CellMap::Affine(match sample {
        SampleType::F64 => scale.to_bits(),
        _ => u64::from((scale as f32).to_bits()),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitives::histogram::Sample as _;

    fn cells(splitters: &[f32]) -> Cells {
        let bits: Vec<u64> = splitters.iter().map(|s| s.bits()).collect();
        Cells::new(SampleType::F32, &bits, 64)
    }

    #[test]
    fn evenly_spread_splitters_have_cells_of_values_and_others_of_ratios() {
        let even: Vec<f32> = (0..=32).map(|i| i as f32).collect();
        assert!(matches!(cells(&even).map, CellMap::Affine(_)));
        let ratios: Vec<f32> = (0..=32).map(|i| 2f32.powi(i - 16)).collect();
        assert!(matches!(cells(&ratios).map, CellMap::Shift(_)));
        let infinite = [f32::NEG_INFINITY, 0.0, f32::INFINITY];
        assert!(matches!(cells(&infinite).map, CellMap::Shift(_)));
    }

    #[test]
    fn a_word_says_what_lies_before_and_what_within() {
        let words = cells(&[0.0, 1.0, 1.5, 40.0, 64.0]).words;
        assert_eq!(words.len(), 65);
        assert_eq!((words[0], words[1], words[2]), (0, 2 << CELL_BITS, 2));
        assert_eq!((words[40], words[41], words[64]), (2 | 1 << CELL_BITS, 3, 3));
    }
}
