//! Samples of every type: how they are written, and which bin the CPU puts them in.

use std::num::ParseIntError;
use std::str::FromStr;

use bytemuck::{Pod, Zeroable};
use multisplit::primitives::histogram::{Sample, SampleType};

use crate::files::Data;

/// A sample as a number.
pub trait Number: Sample + FromStr {
    /// What the command line calls its type.
    const NAME: &'static str;

    /// The numbers that these words are; None where they are words of another size.
    fn from_data(data: &Data) -> Option<Vec<Self>>;

    /// The bin among `m` equal parts of [lo, hi), by the formula of docs/histogram.md.
    fn even_bin(self, lo: Self, hi: Self, m: u32) -> Option<usize>;

    /// The same number for an axis.
    fn value(self) -> f64;
}

/// The bin among sorted splitters: the k for which splitter k <= sample < splitter k + 1.
pub fn range_bin<S: Number>(sample: S, splitters: &[S]) -> Option<usize> {
    let inside = splitters.last().is_some_and(|last| sample < *last);
    let at_or_below = splitters.partition_point(|splitter| *splitter <= sample);
    if inside { at_or_below.checked_sub(1) } else { None }
}

macro_rules! integer {
    ($($type:ty)*) => {$(
        impl Number for $type {
            const NAME: &'static str = stringify!($type);

            fn from_data(data: &Data) -> Option<Vec<Self>> {
                bytemuck::try_cast_slice(data.bytes()).ok().map(<[Self]>::to_vec)
            }

            fn even_bin(self, lo: Self, hi: Self, m: u32) -> Option<usize> {
                let [x, lo, hi] = [self, lo, hi].map(i128::from);
                (lo <= x && x < hi).then(|| ((x - lo) * i128::from(m) / (hi - lo)) as usize)
            }

            fn value(self) -> f64 {
                self as f64
            }
        }
    )*};
}

macro_rules! float {
    ($($type:ty)*) => {$(
        impl Number for $type {
            const NAME: &'static str = stringify!($type);

            fn from_data(data: &Data) -> Option<Vec<Self>> {
                bytemuck::try_cast_slice(data.bytes()).ok().map(<[Self]>::to_vec)
            }

            fn even_bin(self, lo: Self, hi: Self, m: u32) -> Option<usize> {
                let scale = m as Self / (hi - lo);
                let bin = || (((self - lo) * scale) as u32).min(m.saturating_sub(1)) as usize;
                (lo <= self && self < hi).then(bin)
            }

            fn value(self) -> f64 {
                self.into()
            }
        }
    )*};
}

integer! { u8 u16 u32 i32 u64 }
float! { f32 f64 }

/// A signed 64-bit number, which the device takes for an unsigned one: 2^63 more than it is, so that
/// order and distances stay.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Pod, Zeroable)]
#[repr(transparent)]
pub struct Signed(u64);

impl Signed {
    fn new(number: i64) -> Self {
        Self(number.cast_unsigned() ^ (1 << 63))
    }
}

impl Sample for Signed {
    const TYPE: SampleType = SampleType::U64;

    fn bits(self) -> u64 {
        self.0
    }
}

impl FromStr for Signed {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, ParseIntError> {
        text.parse().map(Self::new)
    }
}

impl Number for Signed {
    const NAME: &'static str = "i64";

    fn from_data(data: &Data) -> Option<Vec<Self>> {
        let Data::Bytes8(words) = data else { return None };
        Some(words.iter().map(|word| Self::new(word.cast_signed())).collect())
    }

    fn even_bin(self, lo: Self, hi: Self, m: u32) -> Option<usize> {
        self.0.even_bin(lo.0, hi.0, m)
    }

    fn value(self) -> f64 {
        (self.0 ^ (1 << 63)).cast_signed() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::{Number, Signed, range_bin};

    #[test]
    fn bins_begin_at_their_lower_edge() {
        let bins = [4u8, 5, 6, 7, 8, 9].map(|x| x.even_bin(5, 9, 2));
        assert_eq!(bins, [None, Some(0), Some(0), Some(1), Some(1), None]);
        assert_eq!(f32::NAN.even_bin(0.0, 1.0, 4), None);
        assert_eq!(0.25f64.even_bin(0.0, 1.0, 4), Some(1));
        let splitters = [0.0, 1.0, 1.0, 2.0];
        let bins = [-1.0, 0.0, 1.0, 1.5, 2.0, f64::NAN].map(|x| range_bin(x, &splitters));
        assert_eq!(bins, [None, Some(0), Some(2), Some(2), None, None]);
        assert_eq!(range_bin(1u32, &[]), None);
    }

    #[test]
    fn signed_numbers_keep_order_and_distance() {
        let numbers = [i64::MIN, -1, 0, 1, i64::MAX].map(Signed::new);
        assert!(numbers.is_sorted());
        assert_eq!(numbers.map(Number::value)[1..4], [-1.0, 0.0, 1.0]);
        assert_eq!(Signed::new(-1).even_bin(Signed::new(-10), Signed::new(10), 20), Some(9));
        assert_eq!("-5".parse(), Ok(Signed::new(-5)));
    }
}
