//! Edges of equal parts of a range of floats, shared by splits and histograms.

use crate::elements::key::KeyType;

/// Equal parts of a range of floats.
///
/// Part k begins at `k * ((hi - lo) / parts) + lo`. Each operation is rounded to the type, and intermediate results
/// do not overflow. Edges are clamped to `hi`.
pub struct EvenFloats {
    /// `F32` or `F64`.
    pub sample: KeyType,
    /// Bits of the first edge.
    pub lo: u64,
    /// Bits of the last edge.
    pub hi: u64,
    pub parts: u32,
}

/// Parameters for kernels that find the part that contains a number by multiplying the number by a scale.
pub struct ScaledParts {
    /// Bits of the number of parts divided by the width of the range.
    pub scale: u64,
    /// Bits of the width of a part.
    pub step: u64,
    /// Distance from an edge, in parts, below which a scaled number may be on the wrong side of the edge.
    pub margin: f32,
}

/// Minimum width of a part. Kernels may flush subnormal differences to zero, so all subnormal differences must lie in
/// the first part.
const MIN_STEP: f64 = 1e-30;
/// Maximum width of a range. Beyond it, the scale could be subnormal.
const MAX_WIDTH: f64 = 1e30;
/// Maximum rounding error of a scaled edge, in parts. If the error is below half a part, a scaled number is rounded to
/// one of the two edges around the number. The limit is slightly below 1/2, because `error` omits products of two
/// rounding errors, which are below 2^-20.
const MAX_MARGIN: f64 = 0.48;

impl EvenFloats {
    fn ends(&self) -> (f64, f64) {
        (self.sample.float(self.lo), self.sample.float(self.hi))
    }

    /// Returns the width of a part multiplied by a unit, and the unit: 1, or 1/2 if the width of the range overflows.
    fn step(&self) -> (f64, f64) {
        let ((lo, hi), round) = (self.ends(), |value| self.sample.rounded(value));
        // If the width overflows, both ends are large, and halving them is exact.
        let unit = if round(hi - lo).is_finite() { 1.0 } else { 0.5 };
        (round(round(hi * unit - lo * unit) / f64::from(self.parts)), unit)
    }

    /// Whether the number of parts is not zero, and the range is finite and not empty.
    pub fn is_valid(&self) -> bool {
        let (lo, hi) = self.ends();
        self.parts > 0 && lo < hi && lo.is_finite() && hi.is_finite()
    }

    /// Bits of the `parts + 1` edges, in ascending order.
    pub fn edges(&self) -> Vec<u64> {
        let ((lo, hi), (step, unit)) = (self.ends(), self.step());
        let round = |value| self.sample.rounded(value);
        let edge = |k: u32| round(round(round(f64::from(k) * step) + lo * unit) / unit).min(hi);
        (0..self.parts).map(edge).chain([hi]).map(|edge| self.sample.float_bits(edge)).collect()
    }

    /// Parameters for kernels that scale a number and compare it with the nearest edge. `None` if parts are very
    /// narrow, the range is very wide, or rounding errors are too large compared with a part. In these cases, the
    /// nearest edge may be the wrong one, so kernels must search the edges.
    pub fn scaled(&self) -> Option<ScaledParts> {
        let ((lo, hi), (step, _), sample) = (self.ends(), self.step(), self.sample);
        let scale = sample.rounded(f64::from(self.parts) / sample.rounded(hi - lo));
        let error = self.error(step);
        let decides = step >= MIN_STEP && hi - lo <= MAX_WIDTH && error < MAX_MARGIN;
        // The margin includes two more rounding errors: kernels that use it subtract half a part, and the margin
        // itself is rounded.
        let margin = (error + 2.0 * self.half_unit() * f64::from(self.parts)) as f32;
        let [scale, step] = [scale, step].map(|value| sample.float_bits(value));
        decides.then_some(ScaledParts { scale, step, margin: margin.next_up() })
    }

    /// Maximum relative error of one rounding: half the distance between 1 and the next number.
    fn half_unit(&self) -> f64 {
        match self.sample {
            KeyType::F64 => f64::EPSILON / 2.0,
            _ => f64::from(f32::EPSILON) / 2.0,
        }
    }

    /// Maximum rounding error of a scaled edge, in parts.
    ///
    /// The host rounds the width w of the range, the step w / parts and the scale parts / w. The rounding error of w
    /// cancels out, because the step is multiplied with the scale. The kernel rounds the product of edge k with the
    /// step, its sum with `lo`, the difference of an edge and `lo`, and the product with the scale. Without w and the
    /// sum, this is five roundings. Each has a relative error of at most `half_unit`, and k is less than `parts`.
    ///
    /// The sum lies in the range, and so does not exceed the larger end. Its error is at most half the distance
    /// between two numbers near that end, which is `half_unit` times a power of two.
    fn error(&self, step: f64) -> f64 {
        let (lo, hi) = self.ends();
        let end = power_of_two_below(lo.abs().max(hi.abs()));
        self.half_unit() * (5.0 * f64::from(self.parts) + end / step)
    }
}

/// Returns the largest power of two that is at most `value`, which is positive; 0 if it is subnormal.
fn power_of_two_below(value: f64) -> f64 {
    const FRACTION: u64 = (1 << (f64::MANTISSA_DIGITS - 1)) - 1;
    f64::from_bits(value.to_bits() & !FRACTION)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elements::key::Key as _;

    fn of_f64(lo: f64, hi: f64, parts: u32) -> EvenFloats {
        EvenFloats { sample: KeyType::F64, lo: lo.key_bits(), hi: hi.key_bits(), parts }
    }

    fn edges(parts: &EvenFloats) -> Vec<f64> {
        parts.edges().into_iter().map(|bits| parts.sample.float(bits)).collect()
    }

    #[test]
    fn edges_match_the_documented_formula() {
        let found = edges(&of_f64(0.0, 1.0, 10));
        // As in NumPy, 3 * 0.1 is above 0.3, so 0.3 lies in part 2.
        assert_eq!((found[3], found[10]), (0.30000000000000004, 1.0));
        let narrow = EvenFloats {
            sample: KeyType::F32,
            lo: 0f32.key_bits(),
            hi: 1f32.key_bits(),
            parts: 10,
        };
        assert_eq!(edges(&narrow)[3], f64::from(3.0f32 * 0.1));
    }

    #[test]
    fn edges_of_extreme_ranges_are_in_ascending_order() {
        let tiny = f64::from_bits(1);
        for (lo, hi) in
            [(f64::MIN, f64::MAX), (0.0, 15.0 * tiny), (-tiny, tiny), (1.0, 1.0f64.next_up())]
        {
            for parts in [1, 2, 3, 10, 1000] {
                let range = of_f64(lo, hi, parts);
                let found = edges(&range);
                assert!(
                    found.is_sorted() && found.len() as u32 == parts + 1,
                    "{lo:e} to {hi:e} in {parts} parts: not sorted, or the wrong number: {found:?}"
                );
                assert_eq!((found[0], found[parts as usize]), (lo, hi));
                assert!(
                    range.is_valid() && range.scaled().is_none(),
                    "{lo:e} to {hi:e} in {parts} parts: invalid, or can be scaled"
                );
            }
        }
        assert_eq!(edges(&of_f64(f64::MIN, f64::MAX, 4))[1..3], [f64::MIN / 2.0, 0.0]);
    }

    /// Repeats the arithmetic of kernels: each operation is rounded to the type of the numbers.
    struct Scaling<'p> {
        parts: &'p EvenFloats,
        scaled: ScaledParts,
        edges: Vec<f64>,
    }

    impl<'p> Scaling<'p> {
        fn new(parts: &'p EvenFloats) -> Option<Self> {
            Some(Self { parts, scaled: parts.scaled()?, edges: edges(parts) })
        }

        fn round(&self, value: f64) -> f64 {
            self.parts.sample.rounded(value)
        }

        fn lo(&self) -> f64 {
            self.parts.ends().0
        }

        fn scale(&self) -> f64 {
            self.parts.sample.float(self.scaled.scale)
        }

        fn scaled(&self, x: f64) -> f64 {
            self.round(self.round(x - self.lo()) * self.scale())
        }

        /// Finds the part of a number by comparing the number with the nearest edge.
        fn nearest(&self, x: f64) -> u32 {
            let nearest = self.scaled(x).round_ties_even();
            let step = self.parts.sample.float(self.scaled.step);
            let edge = self.round(self.round(nearest * step) + self.lo());
            let below = u32::from(x < edge);
            (nearest as u32 - below).min(self.parts.parts - 1)
        }

        /// Finds the part of a number without comparing it with an edge. Returns `None` if the part may be wrong.
        /// `contracts` is whether the kernel fuses the product and the difference into one operation.
        fn likely(&self, x: f64, contracts: bool) -> Option<u32> {
            let from_middle = match contracts {
                true => self.round(self.round(x - self.lo()).mul_add(self.scale(), -0.5)),
                false => self.round(self.scaled(x) - 0.5),
            };
            let middle = from_middle.round_ties_even();
            let limit = self.round(0.5 - f64::from(self.scaled.margin));
            ((from_middle - middle).abs() < limit).then_some(middle as u32)
        }

        /// Checks the parts of the numbers on and next to edges, and the rounding errors of scaled edges. From 50,000
        /// parts on, skips some edges.
        fn check(&self) {
            let EvenFloats { lo, hi, parts, .. } = *self.parts;
            let error = self.parts.error(self.parts.step().0);
            let step = 1 + parts as usize / 50_000;
            for (k, &edge) in self.edges.iter().enumerate().take(parts as usize).step_by(step) {
                let found = (self.scaled(edge) - k as f64).abs();
                assert!(
                    found <= error,
                    "{lo:x} {hi:x} {parts}: edge {k} is off by {found}, more than {error}"
                );
                for x in self.next_to(edge) {
                    let expected = self.edges.partition_point(|&edge| edge <= x) as u32;
                    if !(1..=parts).contains(&expected) {
                        continue;
                    }
                    assert_eq!(self.nearest(x), expected - 1, "{lo:x} {hi:x} {parts}: {x:e}");
                    for likely in [false, true].map(|contracts| self.likely(x, contracts)) {
                        let is_right = likely.is_none_or(|part| part == expected - 1);
                        assert!(
                            is_right,
                            "{lo:x} {hi:x} {parts}: {x:e} in {likely:?}, not in {}",
                            expected - 1
                        );
                    }
                }
            }
        }

        fn next_to(&self, edge: f64) -> [f64; 3] {
            if self.parts.sample == KeyType::F64 {
                return [edge.next_down(), edge, edge.next_up()];
            }
            let edge = edge as f32;
            [edge.next_down(), edge, edge.next_up()].map(f64::from)
        }
    }

    fn of_f32(lo: f32, hi: f32, parts: u32) -> EvenFloats {
        EvenFloats { sample: KeyType::F32, lo: lo.key_bits(), hi: hi.key_bits(), parts }
    }

    /// Finds the largest number of parts, up to 70,000, for which [`EvenFloats::scaled`] returns parameters.
    fn max_scaled(of: &dyn Fn(u32) -> EvenFloats) -> u32 {
        let (mut scaled, mut too_many) = (0u32, 70_001);
        while too_many - scaled > 1 {
            let parts = scaled.midpoint(too_many);
            match of(parts).scaled() {
                Some(_) => scaled = parts,
                None => too_many = parts,
            }
        }
        scaled
    }

    #[test]
    fn nearest_edge_finds_the_part_up_to_the_maximum_error() {
        for lo in [0.0, 0.1, -0.7, -3.0, 1.0, 100.0, 1023.5, -5000.0, 1e6, -1_048_576.0] {
            for width in [1.0, 0.77, 6.2, 126.9] {
                let narrow = |parts| of_f32(lo as f32, (lo + width) as f32, parts);
                // If `lo` is not 0, this range has about as few `f64` numbers as `narrow` has `f32` numbers.
                let far = lo * 2f64.powi(29);
                let wide = |parts| of_f64(far, far + width, parts);
                for of in [&narrow as &dyn Fn(u32) -> EvenFloats, &wide] {
                    let max_parts = max_scaled(of);
                    for parts in [max_parts / 3, max_parts] {
                        let range = of(parts);
                        let scaling = (parts > 0).then(|| Scaling::new(&range)).flatten();
                        assert_eq!(
                            scaling.is_some(),
                            parts > 0,
                            "{parts} parts of {width} from {lo}"
                        );
                        scaling.iter().for_each(Scaling::check);
                    }
                }
            }
        }
    }

    #[test]
    fn nearest_edge_finds_the_part_if_there_are_many_parts() {
        for (lo, hi, parts) in [
            (0.0, 1.0, 1 << 20),
            (0.0, 1024.0, 1 << 20),
            (-3.1, 3.1, 1 << 20),
            (0.1, 1e9, 999_983),
            (-1e3, 7.7, 1 << 19),
        ] {
            let range = of_f32(lo, hi, parts);
            let scaling = Scaling::new(&range);
            assert!(scaling.is_some(), "{lo} to {hi} in {parts} parts cannot be scaled");
            scaling.iter().for_each(Scaling::check);
        }
    }

    #[test]
    fn very_wide_ranges_are_not_scaled_and_empty_ranges_or_zero_parts_are_invalid() {
        assert!(of_f64(0.0, 1.0, 1 << 20).scaled().is_some());
        assert!(of_f64(1e9, 1e9 + 1.0, 1 << 20).scaled().is_some());
        assert!(of_f64(0.0, 1e31, 4).scaled().is_none());
        assert!(!of_f64(1.0, 1.0, 4).is_valid() && !of_f64(0.0, 1.0, 0).is_valid());
    }
}
