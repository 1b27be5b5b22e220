//! CPU verification of scans and reductions, and search for the smallest or largest element.

use std::ops::Range;

use anyhow::{Result, bail};
use multisplit::Operator;
use multisplit_bench::key_order::rank;

use crate::edges::Edge;
use crate::number::Number;
use crate::parts::{Resources, in_order};

pub trait Term: Number {
    /// The sum; integers wrap around.
    fn plus(self, other: Self) -> Self;
    /// The value of a float, for error bounds. `None` for integers, whose sums are exact.
    fn float_value(self) -> Option<f64> {
        match self.edge() {
            Edge::Real(value) => Some(value),
            Edge::Whole(_) => None,
        }
    }

    /// Machine epsilon and the largest finite number of a float type; zeros for integers.
    const LIMITS: (f64, f64);
}

macro_rules! terms {
    (integers: $($integer:ident)*; floats: $($float:ident)*) => {
        $(impl Term for $integer {
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            const LIMITS: (f64, f64) = (0.0, 0.0);
        })*
        $(impl Term for $float {
            fn plus(self, other: Self) -> Self {
                self + other
            }

            const LIMITS: (f64, f64) = (Self::EPSILON as f64, Self::MAX as f64);
        })*
    };
}

terms!(integers: u32 i32 u64 i64; floats: f32 f64);

fn combine<T: Term>(operator: Operator, a: T, b: T) -> T {
    match operator {
        Operator::Sum => a.plus(b),
        Operator::Min if rank(b) < rank(a) => b,
        Operator::Max if rank(b) > rank(a) => b,
        _ => a,
    }
}

/// Finds the smallest or largest element of `input` and its index, the first of equal elements. `None` if the input is
/// empty.
pub fn find<T: Term>(
    resources: &Resources<'_>,
    operator: Operator,
    input: &[T],
) -> Result<Option<(usize, T)>> {
    let bytes = size_of::<T>() as u64;
    let mut best: Option<(usize, T)> = None;
    in_order(input.len(), resources.max_elements(bytes, bytes), |part| {
        let begin = part.start;
        let found = match operator {
            Operator::Max => resources.context.argmax(&input[part])?,
            _ => resources.context.argmin(&input[part])?,
        };
        if let Some((index, found)) = found {
            let index = begin + index as usize;
            best = match best {
                Some((at, value)) if rank(combine(operator, value, found)) == rank(value) => {
                    Some((at, value))
                }
                _ => Some((index, found)),
            };
        }
        Ok(())
    })?;
    Ok(best)
}

/// Compares a scan of each of these segments with one on the CPU. Sums of floats may differ by the rounding error of
/// another summation order.
pub fn verify_scan<T: Term>(
    operator: Operator,
    inclusive: bool,
    segments: impl Iterator<Item = Range<usize>>,
    input: &[T],
    output: &[T],
) -> Result<()> {
    let (n, found) = (input.len(), output.len());
    if found != n {
        bail!("the scan is wrong: it returned {found} results for {n} elements");
    }
    for segment in segments {
        let mut check = Check::new(operator);
        for index in segment {
            let (x, got) = (input[index], output[index]);
            if inclusive {
                check.add(x);
            }
            // The first result of an exclusive scan is the identity, which is not checked here.
            if let Some(expected) = check.total
                && !check.allows(expected, got)
            {
                bail!("the scan is wrong: element {index} is {got:?}, but {expected:?} on the CPU");
            }
            if !inclusive {
                check.add(x);
            }
        }
    }
    Ok(())
}

/// Compares a reduction with one on the CPU.
pub fn verify_reduction<T: Term>(operator: Operator, input: &[T], got: Option<T>) -> Result<()> {
    let mut check = Check::new(operator);
    input.iter().for_each(|&x| check.add(x));
    match (check.total, got) {
        (None, None) => Ok(()),
        (Some(expected), Some(got)) if check.allows(expected, got) => Ok(()),
        (expected, got) => {
            let text = |value: Option<T>| value.map_or("empty".to_owned(), |v| format!("{v:?}"));
            let (got, expected) = (text(got), text(expected));
            bail!("the reduction is wrong: the result is {got}, but {expected} on the CPU")
        }
    }
}

/// Compares the index of the smallest or largest element with the CPU's.
pub fn verify_index<T: Term>(
    operator: Operator,
    input: &[T],
    got: Option<(usize, T)>,
) -> Result<()> {
    verify_reduction(operator, input, got.map(|(_, value)| value))?;
    let Some((index, value)) = got else { return Ok(()) };
    if input.iter().position(|&x| rank(x) == rank(value)) != Some(index) {
        bail!("the reduction is wrong: {index} is not the index of the first {value:?}");
    }
    Ok(())
}

/// A result computed on the CPU, and the data for its error bound.
struct Check<T> {
    operator: Operator,
    /// The combination of all elements so far; `None` before the first one.
    total: Option<T>,
    count: f64,
    /// Sum of the magnitudes of finite numbers.
    magnitude: f64,
    /// Sum of the infinite numbers and NaNs; `None` if there are none. The order of addition does not affect it.
    not_finite: Option<f64>,
}

impl<T: Term> Check<T> {
    fn new(operator: Operator) -> Self {
        Self { operator, total: None, count: 0.0, magnitude: 0.0, not_finite: None }
    }

    fn add(&mut self, x: T) {
        self.total = Some(self.total.map_or(x, |total| combine(self.operator, total, x)));
        self.count += 1.0;
        match x.float_value() {
            Some(value) if value.is_finite() => self.magnitude += value.abs(),
            Some(value) => self.not_finite = Some(self.not_finite.unwrap_or(0.0) + value),
            None => {}
        }
    }

    /// Whether the device may return `got` where the CPU returns `expected`.
    fn allows(&self, expected: T, got: T) -> bool {
        let (Operator::Sum, Some(expected), Some(got)) =
            (self.operator, expected.float_value(), got.float_value())
        else {
            return rank(expected) == rank(got);
        };
        let (step, largest) = T::LIMITS;
        if self.magnitude >= largest {
            // The order of additions may determine whether the sum overflows, so accept any result.
            return true;
        }
        match self.not_finite {
            Some(sum) if sum.is_nan() => got.is_nan(),
            Some(sum) => got == sum,
            // In any order of addition, the error of a sum of n numbers is at most that of n - 1 roundings of
            // the sum of their magnitudes. The CPU's sum has such an error too, so allow twice as much.
            None => (expected - got).abs() <= 2.0 * self.count * step * self.magnitude,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(input: &[f32], got: f32) -> bool {
        verify_reduction(Operator::Sum, input, Some(got)).is_ok()
    }

    #[test]
    fn float_sums_may_differ_by_rounding() {
        let tenths = [0.1f32; 1000];
        assert!(allowed(&tenths, 100.0) && allowed(&tenths, 99.999));
        assert!(!allowed(&tenths, 99.0) && !allowed(&tenths, f32::NAN));
        let infinite = [1.0, f32::INFINITY, 2.0];
        assert!(allowed(&infinite, f32::INFINITY));
        assert!(!allowed(&infinite, 3.0) && !allowed(&infinite, f32::NEG_INFINITY));
        let both = [f32::NEG_INFINITY, f32::INFINITY];
        assert!(allowed(&both, f32::NAN) && !allowed(&both, 0.0));
    }

    #[test]
    fn wrong_scans_are_detected() {
        let segments = || [0..2, 2..2, 2..3].into_iter();
        let check =
            |output: &[u32]| verify_scan(Operator::Sum, true, segments(), &[1, 2, 4], output);
        assert!(check(&[1, 3, 4]).is_ok());
        assert!(check(&[1, 3]).is_err());
        assert!(check(&[1, 3, 7]).is_err());
    }
}
