//! The lookup table for range bins and range buckets. The range of samples is divided into cells. Each cell stores
//! the number of splitters before it, and the location of its own splitter if it contains one.
//!
//! The place of a sample is a monotonic integer function of the sample. The host and the kernels compute it with
//! identical results. The upper bits of a place select the cell; the lower bits are the fraction, the location within
//! the cell. A splitter in an earlier cell is therefore below all samples of a cell, and a splitter in a later cell
//! is above them. Within a cell, the kernel compares the places of the sample and the splitter. It searches the
//! splitters only if both places are equal, or if the cell contains several splitters.

use crate::elements::key::KeyType;

/// Map from samples to places.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CellMap {
    /// The bits of a sample in sort order, minus those of the first splitter, shifted right by this amount. For floats
    /// of one sign, consecutive bounds of cells then have similar ratios.
    Shift(u32),
    /// The distance from the first splitter, multiplied by this scale (the bits of a float).
    Affine(u64),
}

/// The cells for a list of sorted splitters.
pub struct Cells {
    pub map: CellMap,
    pub format: CellFormat,
    /// One word per cell, then a last word with only the number of inner splitters in all cells.
    pub words: Vec<u32>,
}

/// Bit layout of a cell word and of a place. Inner splitters are all splitters except the first and the last.
///
/// The lowest `bin_bits` bits of a word are the number of inner splitters before the cell. The next bit is set if the
/// cell contains several splitters. The top bits are the mark, the location of the cell's own splitter in half steps
/// of the fraction. An even mark is a fraction whose samples may lie on either side of the splitter. An odd mark lies
/// just before the first fraction whose samples are at or above the splitter. If the cell contains no splitter, the
/// mark lies after all fractions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellFormat {
    /// Number of bits of the splitter count in a cell word.
    pub bin_bits: u32,
    /// Number of bits of the fraction, at least one.
    pub fraction_bits: u32,
}

/// Minimum number of cells, which takes precedence over the caller's maximum.
const MIN_CELLS: u32 = 16;
/// Minimum width of a range with an affine map. A device may flush subnormal differences to zero. In a range of at
/// least this width, all such differences have the same place as zero.
const MIN_WIDTH: f64 = 1e-27;

impl CellFormat {
    /// Uses as many fraction bits as fit in a word and in a place.
    fn new(splitters: usize, cells: u32) -> Self {
        let inner = splitters.saturating_sub(2) as u32;
        let bin_bits = (u32::BITS - inner.leading_zeros()).max(1);
        let cell_bits = cells.next_power_of_two().trailing_zeros();
        Self { bin_bits, fraction_bits: (30 - bin_bits).min(31 - cell_bits) }
    }

    /// Packs the format, and the shift of [`CellMap::Shift`], into one word for the kernels.
    pub fn bits(self, shift: u32) -> u32 {
        shift | self.bin_bits << 8 | self.fraction_bits << 16
    }

    /// Encodes the word of a cell. `before` is the number of inner splitters before the cell; `crowded` is whether the
    /// cell contains several splitters.
    fn word(self, before: u32, mark: u32, crowded: bool) -> u32 {
        before | u32::from(crowded) << self.bin_bits | mark << (31 - self.fraction_bits)
    }
}

impl Cells {
    /// Number of cells for `bins` bins: `per_bin` per bin, rounded up to a power of two, and at most `max`.
    pub fn count(bins: u32, per_bin: u32, max: u32) -> u32 {
        let cells = bins.saturating_mul(per_bin).clamp(MIN_CELLS, 1 << 30);
        cells.next_power_of_two().min(max.max(MIN_CELLS))
    }

    /// Builds `count` cells for splitters, given as the bits of samples. Selects the map with the less crowded cells.
    /// `closed` is whether samples may equal the last splitter.
    pub fn new(sample: KeyType, splitters: &[u64], count: u32, closed: bool) -> Self {
        let format = CellFormat::new(splitters.len(), count);
        let input = Input { sample, splitters, count, closed };
        let (shift, shifted_format) = input.shift_map(format);
        let shift = input.cells(shift, shifted_format);
        match input.affine_map(format).map(|map| input.cells(map, format)) {
            // If both maps are equally good, the affine map is used, because evenly spaced splitters are more common.
            Some((affine, crowded)) if crowded <= shift.1 => affine,
            _ => shift.0,
        }
    }
}

/// Arguments of [`Cells::new`], which documents them.
struct Input<'s> {
    sample: KeyType,
    splitters: &'s [u64],
    count: u32,
    closed: bool,
}

impl Input<'_> {
    /// First and last splitter; zeros if there are none.
    fn ends(&self) -> (u64, u64) {
        let end = |splitter: Option<&u64>| splitter.copied().unwrap_or(0);
        (end(self.splitters.first()), end(self.splitters.last()))
    }

    /// Returns the cells, and a measure of crowding: the sum, over all cells, of the squared number of splitters.
    fn cells(&self, map: CellMap, format: CellFormat) -> (Cells, u64) {
        let Self { sample, splitters, count, closed } = *self;
        let inner = splitters.get(1..splitters.len().saturating_sub(1)).unwrap_or_default();
        let (origin, last) = self.ends();
        // If the range is not closed, splitters that equal its end are ignored, because no sample reaches them.
        let end = sample.ordered_edge(last);
        // The mark of cells without a splitter: all bits set.
        let none = (2u32 << format.fraction_bits) - 1;
        let mut inside = vec![(0u32, none); count as usize];
        // Splitters at the start of a cell count as splitters before the cell: all samples of the cell are at or
        // above them.
        let mut at_begin = vec![0u32; count as usize];
        let matters = |s: &&u64| closed || sample.ordered_edge(**s) < end;
        for &splitter in inner.iter().filter(matters) {
            let place = map.place(sample, origin, splitter);
            let cell = (place >> format.fraction_bits) as usize;
            let fraction = place as u32 & (none >> 1);
            let exact = map.is_exact(sample, origin, splitter);
            if exact && fraction == 0 {
                at_begin[cell] += 1;
            } else {
                inside[cell] = (inside[cell].0 + 1, 2 * fraction - u32::from(exact));
            }
        }
        let mut before = 0;
        let mut words: Vec<u32> = Vec::with_capacity(inside.len() + 1);
        for (&(inside, mark), &at_begin) in inside.iter().zip(&at_begin) {
            before += at_begin;
            words.push(format.word(before, mark, inside > 1));
            before += inside;
        }
        words.push(before);
        let crowded = inside.iter().map(|&(inside, _)| u64::from(inside).pow(2)).sum();
        (Cells { map, format, words }, crowded)
    }

    /// Returns the smallest shift for which all samples fit in `count` cells. Also returns the bit layout for this
    /// shift, which has at most as many fraction bits as `format`.
    fn shift_map(&self, format: CellFormat) -> (CellMap, CellFormat) {
        let (first, last) = self.ends();
        let ordered = |edge: u64| self.sample.ordered_edge(edge);
        let last = ordered(last).saturating_sub(ordered(first));
        // A floating-point edge at zero is -0, the lower of the two zeros. A closed range that ends at zero also
        // contains +0.
        let largest = if self.closed { last.saturating_add(1) } else { last.saturating_sub(1) };
        let fits = |shift: &u32| largest >> shift < u64::from(self.count);
        // A shift amount must be less than the number of bits of the type.
        let max_shift = 8 * self.sample.bytes().max(4) - 1;
        let cell_shift = (1..max_shift).find(fits).unwrap_or(max_shift);
        let fraction_bits = format.fraction_bits.min(cell_shift);
        (CellMap::Shift(cell_shift - fraction_bits), CellFormat { fraction_bits, ..format })
    }

    /// Returns the affine map. `None` for integers, for very narrow or very wide ranges, and if a splitter is
    /// subnormal, because a device may flush it to zero.
    fn affine_map(&self, format: CellFormat) -> Option<CellMap> {
        let (sample, (first, last)) = (self.sample, self.ends());
        let width = sample.float(last) - sample.float(first);
        let min_normal = match sample {
            KeyType::F64 => f64::MIN_POSITIVE,
            _ => f32::MIN_POSITIVE.into(),
        };
        let normal = |&s: &u64| sample.float(s) == 0.0 || sample.float(s).abs() >= min_normal;
        let usable = sample.is_float() && (MIN_WIDTH..1e30).contains(&width);
        if !usable || !self.splitters.iter().all(normal) {
            return None;
        }
        let places = u64::from(self.count) << format.fraction_bits;
        let mut map = CellMap::Affine(sample.float_bits(places as f64 / width));
        // Rounding may put the last sample past the last cell. A slightly smaller scale prevents this.
        while let CellMap::Affine(scale) = map
            && map.place(sample, first, last) >= places
        {
            map = CellMap::Affine(scale - 1);
        }
        Some(map)
    }
}

impl CellMap {
    /// Right shift of the ordered bits; 0 for an affine map.
    pub fn shift(self) -> u32 {
        match self {
            Self::Shift(shift) => shift,
            Self::Affine(_) => 0,
        }
    }

    /// Place of an edge. Kernels compute the place of a sample in the same way.
    fn place(self, sample: KeyType, origin: u64, edge: u64) -> u64 {
        match self {
            Self::Shift(shift) => {
                (sample.ordered_edge(edge) - sample.ordered_edge(origin)) >> shift
            }
            Self::Affine(scale) => {
                let above = sample.rounded(sample.float(edge) - sample.float(origin));
                sample.rounded(above * sample.float(scale)) as u64
            }
        }
    }

    /// Whether every sample below the edge has a lower place than the edge.
    fn is_exact(self, sample: KeyType, origin: u64, edge: u64) -> bool {
        let above = sample.ordered_edge(edge) - sample.ordered_edge(origin);
        if above == 0 {
            return true;
        }
        let below = match (self, sample) {
            (Self::Shift(shift), _) => return (above - 1) >> shift < above >> shift,
            // A device may flush numbers just below zero to zero.
            _ if sample.float(edge) == 0.0 => return false,
            (_, KeyType::F64) => f64::from_bits(edge).next_down().to_bits(),
            _ => u64::from(f32::from_bits(edge as u32).next_down().to_bits()),
        };
        self.place(sample, origin, below) < self.place(sample, origin, edge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elements::key::Key as _;

    fn cells(splitters: &[f32]) -> Cells {
        let bits: Vec<u64> = splitters.iter().map(|s| s.key_bits()).collect();
        Cells::new(KeyType::F32, &bits, 64, false)
    }

    #[test]
    fn upper_end_of_a_closed_range_has_a_cell() {
        for (splitters, count) in [(vec![0u64, 5, 16, 64, 64], 16), (vec![0, 1, 255, 255, 256], 16)]
        {
            let cells = Cells::new(KeyType::U32, &splitters, count, true);
            let last = splitters[splitters.len() - 1];
            let place = cells.map.place(KeyType::U32, 0, last);
            let cell = place >> cells.format.fraction_bits;
            assert!(cell < u64::from(count), "{splitters:?}: cell {cell} of {count}");
            // The last word counts all inner splitters, even those that equal the last sample.
            assert_eq!(cells.words[count as usize], splitters.len() as u32 - 2);
        }
    }

    #[test]
    fn even_splitters_use_the_affine_map_and_geometric_or_infinite_ones_the_shift_map() {
        let even: Vec<f32> = (0..=32).map(|i| i as f32).collect();
        assert!(matches!(cells(&even).map, CellMap::Affine(_)));
        let ratios: Vec<f32> = (0..=32).map(|i| 2f32.powi(i - 16)).collect();
        assert!(matches!(cells(&ratios).map, CellMap::Shift(_)));
        let infinite = [f32::NEG_INFINITY, 0.0, f32::INFINITY];
        assert!(matches!(cells(&infinite).map, CellMap::Shift(_)));
    }

    #[test]
    fn subnormal_or_narrow_splitters_use_the_shift_map() {
        let tiny = [0.0, 1e-40, 1.0, 2.0, 3.0];
        assert!(matches!(cells(&tiny).map, CellMap::Shift(_)));
        assert!(matches!(cells(&[-1e-28, 0.0, 1e-28]).map, CellMap::Shift(_)));
    }

    /// Evaluates the table as the kernel does. Returns the bin, and whether the kernel finds it without a search.
    fn lookup(cells: &Cells, splitters: &[f32], sample: f32) -> (u32, bool) {
        let CellFormat { bin_bits, fraction_bits } = cells.format;
        let place = cells.map.place(KeyType::F32, splitters[0].key_bits(), sample.key_bits());
        let word = cells.words[(place >> fraction_bits) as usize];
        let mark = word >> (31 - fraction_bits);
        let fraction = 2 * (place & ((1 << fraction_bits) - 1)) as u32;
        let bin = (word & ((1 << bin_bits) - 1)) + u32::from(fraction > mark);
        (bin, word >> bin_bits & 1 == 0 && fraction != mark)
    }

    #[test]
    fn cell_words_encode_splitters_before_and_in_the_cell() {
        let splitters = [0.0, 1.0, 1.5, 40.0, 40.25, 63.9, 64.0];
        let cells = cells(&splitters);
        assert_eq!(cells.words.len(), 65);
        assert_eq!(cells.words[64], 5);
        let samples = [0.0, 0.99, 1.0, 1.49, 1.5, 39.9, 40.0, 40.2, 40.25, 63.8999, 63.9, 63.99];
        for sample in samples {
            let expected = splitters[1..6].iter().filter(|&&s| s <= sample).count() as u32;
            assert_eq!(lookup(&cells, &splitters, sample), (expected, true), "{sample}");
        }
    }

    #[test]
    fn samples_in_cells_with_several_splitters_need_a_search() {
        let splitters = [0.0, 10.2, 10.4, 64.0];
        let cells = cells(&splitters);
        assert!(!lookup(&cells, &splitters, 10.3).1);
        assert_eq!(lookup(&cells, &splitters, 11.5), (2, true));
    }
}
