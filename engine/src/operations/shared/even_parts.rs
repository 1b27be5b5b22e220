//! Edges of equal parts of a range of floats, shared by splits and histograms.

use crate::elements::key::KeyType;

/// Equal parts of a range of floats.
///
/// Part k begins at `k * ((hi - lo) / parts) + lo`. Each operation is rounded to the type, and intermediate results
/// do not overflow. Edges are clamped to `hi`.
pub(in crate::operations) struct EvenFloats {
    /// `F32` or `F64`.
    pub sample: KeyType,
    /// Bits of the first edge.
    pub lo: u64,
    /// Bits of the last edge.
    pub hi: u64,
    pub parts: u32,
}

/// Parameters for kernels that find the part of a number by multiplying it with a scale.
pub(in crate::operations) struct ScaledParts {
    /// Bits of the reciprocal of `step`.
    pub scale: u64,
    /// Bits of the width of a part.
    pub step: u64,
    /// Maximum rounding error of a scaled edge, in parts.
    pub margin: f32,
}

/// Minimum width of a part. Kernels may flush subnormal differences to zero, so all subnormal differences must lie in
/// the first part.
const MIN_STEP: f64 = 1e-30;
/// Maximum width of a range. Beyond it, the scale could be subnormal.
const MAX_WIDTH: f64 = 1e30;
/// Maximum of the margin, in parts. The nearest edge is known only if the margin is less than half a part. 2^20 parts
/// of `f32` need 0.4375.
const MAX_MARGIN: f64 = 0.46;

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

    /// Whether there are parts and the range is finite and not empty.
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

    /// Parameters for kernels that scale a number and compare it with the nearest edge. `None` if parts are
    /// subnormal, very wide, or hardly wider than the distance between two floats. In these cases, the nearest edge
    /// may be the wrong one, so kernels must search all edges.
    pub fn scaled(&self) -> Option<ScaledParts> {
        let ((lo, hi), (step, _), sample) = (self.ends(), self.step(), self.sample);
        let scale = sample.rounded(f64::from(self.parts) / sample.rounded(hi - lo));
        let margin = self.margin(step);
        let decides = step >= MIN_STEP && hi - lo <= MAX_WIDTH && margin < MAX_MARGIN;
        let margin = (margin as f32).next_up();
        let [scale, step] = [scale, step].map(|value| sample.float_bits(value));
        decides.then_some(ScaledParts { scale, step, margin })
    }

    /// Maximum rounding error of a scaled edge, in parts. The width, its product, the difference, the scale and the
    /// last product are rounded, and each rounding shifts an edge by half a unit in the last place. The rounding
    /// error of the sum with the first edge is relative to the larger end of the range.
    fn margin(&self, step: f64) -> f64 {
        let (lo, hi) = self.ends();
        let half_unit = match self.sample {
            KeyType::F64 => f64::EPSILON / 2.0,
            _ => f64::from(f32::EPSILON) / 2.0,
        };
        // Five roundings, one more where half a part is subtracted, and one as a reserve.
        half_unit * (7.0 * f64::from(self.parts) + 2.0 * lo.abs().max(hi.abs()) / step)
    }
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
                    "{lo:e} {hi:e} {parts}"
                );
                assert_eq!((found[0], found[parts as usize]), (lo, hi));
                assert!(range.is_valid() && range.scaled().is_none(), "{lo:e} {hi:e} {parts}");
            }
        }
        assert_eq!(edges(&of_f64(f64::MIN, f64::MAX, 4))[1..3], [f64::MIN / 2.0, 0.0]);
    }

    #[test]
    fn only_moderate_ranges_are_scaled() {
        assert!(of_f64(0.0, 1.0, 1 << 20).scaled().is_some());
        assert!(of_f64(1e9, 1e9 + 1.0, 1 << 20).scaled().is_some());
        assert!(of_f64(0.0, 1e31, 4).scaled().is_none());
        assert!(!of_f64(1.0, 1.0, 4).is_valid() && !of_f64(0.0, 1.0, 0).is_valid());
    }
}
