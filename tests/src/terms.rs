//! CPU references for scans and reductions of every type.

use std::cmp::Ordering;
use std::fmt::Debug;

use multisplit::{GlslOperator, Key, Operator, Scan};

use crate::generate::Rng;

/// A type that can be scanned and reduced.
pub trait Term: Key + Debug {
    /// The identity of the sum.
    const ZERO: Self;
    /// The smallest value in sort order.
    const FIRST: Self;
    /// The largest value in sort order.
    const LAST: Self;

    /// The value with these bits.
    fn from_key_bits(bits: u64) -> Self;
    /// The sum; integers wrap.
    fn plus(self, other: Self) -> Self;
    /// Comparison in sort order.
    fn order(&self, other: &Self) -> Ordering;
    /// A random value such that sums of 2^20 values are not rounded.
    fn exact(rng: &mut Rng) -> Self;
}

macro_rules! integers {
    ($($ty:ident)*) => {$(
        impl Term for $ty {
            const ZERO: Self = 0;
            const FIRST: Self = $ty::MIN;
            const LAST: Self = $ty::MAX;

            fn from_key_bits(bits: u64) -> Self {
                bits as Self
            }

            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            fn order(&self, other: &Self) -> Ordering {
                self.cmp(other)
            }

            fn exact(rng: &mut Rng) -> Self {
                rng.next_u64() as Self
            }
        }
    )*};
}

macro_rules! floats {
    ($($ty:ident, $bits:ident;)*) => {$(
        impl Term for $ty {
            const ZERO: Self = 0.0;
            const FIRST: Self = $ty::from_bits($bits::MAX);
            const LAST: Self = $ty::from_bits($bits::MAX >> 1);

            fn from_key_bits(bits: u64) -> Self {
                $ty::from_bits(bits as $bits)
            }

            fn plus(self, other: Self) -> Self {
                self + other
            }

            fn order(&self, other: &Self) -> Ordering {
                self.total_cmp(other)
            }

            fn exact(rng: &mut Rng) -> Self {
                rng.below(16) as Self - 7.0
            }
        }
    )*};
}

integers!(u32 i32 u64 i64);
floats! {
    f32, u32;
    f64, u64;
}

/// Input for an operator: for sums, values that can be added without rounding; otherwise arbitrary
/// bits, including NaN, with many duplicates.
pub fn input<T: Term>(operator: Operator, n: usize, seed: u64) -> Vec<T> {
    let mut rng = Rng::new(seed);
    let few: Vec<u64> = (0..7).map(|_| rng.next_u64()).collect();
    let element = |_| match operator {
        Operator::Sum => T::exact(&mut rng),
        _ if rng.below(2) == 0 => T::from_key_bits(few[rng.below(7) as usize]),
        _ => T::from_key_bits(rng.next_u64()),
    };
    (0..n).map(element).collect()
}

/// The identity of an operator.
pub fn identity<T: Term>(operator: Operator) -> T {
    match operator {
        Operator::Sum => T::ZERO,
        Operator::Min => T::LAST,
        Operator::Max => T::FIRST,
    }
}

fn combine<T: Term>(operator: Operator, a: T, b: T) -> T {
    match operator {
        Operator::Sum => a.plus(b),
        Operator::Min if b.order(&a).is_lt() => b,
        Operator::Max if b.order(&a).is_gt() => b,
        _ => a,
    }
}

/// The description of a scan.
pub fn scan_of(operator: Operator, inclusive: bool) -> Scan {
    if inclusive { Scan::inclusive(operator) } else { Scan::exclusive(operator) }
}

/// An operator that returns its last nonzero operand. It is not commutative.
pub fn last_nonzero() -> GlslOperator {
    GlslOperator::new("uint combined(uint a, uint b) { return b != 0u ? b : a; }", 0u32)
}

/// The scan of `input`.
pub fn scan<T: Term>(operator: Operator, inclusive: bool, input: &[T]) -> Vec<T> {
    let mut so_far = identity(operator);
    let step = |&x: &T| {
        let before = so_far;
        so_far = combine(operator, so_far, x);
        if inclusive { so_far } else { before }
    };
    input.iter().map(step).collect()
}

/// The segments of `input`. A segment begins at each set flag of `heads` and at the first element.
pub fn segments<'a, T>(input: &'a [T], heads: &[bool]) -> Vec<&'a [T]> {
    let mut begins: Vec<usize> = (1..input.len()).filter(|&at| heads[at]).collect();
    if !input.is_empty() {
        begins.insert(0, 0);
    }
    let ends = begins.iter().skip(1).copied().chain([input.len()]);
    begins.iter().zip(ends).map(|(&begin, end)| &input[begin..end]).collect()
}

/// A flag for each key: whether a run of equal keys begins there.
pub fn heads<K: PartialEq>(keys: &[K]) -> Vec<bool> {
    (0..keys.len()).map(|at| at == 0 || keys[at] != keys[at - 1]).collect()
}

/// The scan of each segment separately.
pub fn scan_segments<T: Term>(
    operator: Operator,
    inclusive: bool,
    input: &[T],
    heads: &[bool],
) -> Vec<T> {
    let scanned = |segment: &&[T]| scan(operator, inclusive, segment);
    segments(input, heads).iter().flat_map(scanned).collect()
}

/// The reduction of all elements.
pub fn reduce<T: Term>(operator: Operator, input: &[T]) -> T {
    input.iter().fold(identity(operator), |so_far, &x| combine(operator, so_far, x))
}

/// Index of the first smallest or largest element; `u32::MAX` if there are no elements.
pub fn index<T: Term>(operator: Operator, input: &[T]) -> u32 {
    let found = reduce(operator, input).key_bits();
    input.iter().position(|x| x.key_bits() == found).map_or(u32::MAX, |at| at as u32)
}

/// The bits of elements, which are comparable even for NaN.
pub fn bits<K: Key>(elements: &[K]) -> Vec<u64> {
    elements.iter().map(|x| x.key_bits()).collect()
}
