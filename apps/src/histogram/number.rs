//! Samples of every type: how they are written, how the device gets them, and which bin the CPU puts
//! them in.

use std::borrow::Cow;
use std::str::FromStr;

use bytemuck::Pod;
use multisplit::Sample;

use crate::files::Data;

/// A sample as a number.
pub trait Number: Pod + PartialOrd + FromStr {
    /// What the command line calls its type.
    const NAME: &'static str;

    /// What the device counts instead of it, in the same order and at the same distances.
    type Device: Sample;

    /// The number as the device gets it.
    fn on_device(self) -> Self::Device;

    /// The same for many.
    fn to_device(numbers: &[Self]) -> Cow<'_, [Self::Device]>;

    /// The bin among `m` equal parts of [lo, hi), by the formula of docs/histogram.md.
    fn even_bin(self, lo: Self, hi: Self, m: u32) -> Option<usize>;

    /// The same number for an axis.
    fn value(self) -> f64;

    /// The numbers that this data is; None where its elements have another size.
    fn from_data(data: &Data) -> Option<&[Self]> {
        (data.element_bytes() == size_of::<Self>())
            .then(|| bytemuck::try_cast_slice(data.bytes()).ok())
            .flatten()
    }
}

/// The bin among sorted splitters: the k for which splitter k <= sample < splitter k + 1.
pub fn range_bin<N: Number>(sample: N, splitters: &[N]) -> Option<usize> {
    let inside = splitters.last().is_some_and(|last| sample < *last);
    let at_or_below = splitters.partition_point(|splitter| *splitter <= sample);
    if inside { at_or_below.checked_sub(1) } else { None }
}

/// Distances between integers are exact in 128 bits.
fn even_bin(x: i128, lo: i128, hi: i128, m: u32) -> Option<usize> {
    (lo <= x && x < hi).then(|| ((x - lo) * i128::from(m) / (hi - lo)) as usize)
}

macro_rules! integer {
    ($($type:ty)*) => {$(
        impl Number for $type {
            const NAME: &'static str = stringify!($type);
            type Device = Self;

            fn on_device(self) -> Self {
                self
            }

            fn to_device(numbers: &[Self]) -> Cow<'_, [Self]> {
                numbers.into()
            }

            fn even_bin(self, lo: Self, hi: Self, m: u32) -> Option<usize> {
                even_bin(self.into(), lo.into(), hi.into(), m)
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
            type Device = Self;

            fn on_device(self) -> Self {
                self
            }

            fn to_device(numbers: &[Self]) -> Cow<'_, [Self]> {
                numbers.into()
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

/// The device has no samples of this type: it gets 2^63 more, which is never negative.
impl Number for i64 {
    const NAME: &'static str = "i64";
    type Device = u64;

    fn on_device(self) -> u64 {
        self.cast_unsigned() ^ (1 << 63)
    }

    fn to_device(numbers: &[Self]) -> Cow<'_, [u64]> {
        numbers.iter().map(|number| number.on_device()).collect()
    }

    fn even_bin(self, lo: Self, hi: Self, m: u32) -> Option<usize> {
        even_bin(self.into(), lo.into(), hi.into(), m)
    }

    fn value(self) -> f64 {
        self as f64
    }
}

#[cfg(test)]
mod tests {
    use super::{Number, range_bin};

    #[test]
    fn bins_begin_at_their_lower_edge() {
        let bins = [4u8, 5, 6, 7, 8, 9].map(|x| x.even_bin(5, 9, 2));
        assert_eq!(bins, [None, Some(0), Some(0), Some(1), Some(1), None]);
        assert_eq!(f32::NAN.even_bin(0.0, 1.0, 4), None);
        assert_eq!(0.25f64.even_bin(0.0, 1.0, 4), Some(1));
        assert_eq!((-1i64).even_bin(-10, 10, 20), Some(9));
        let splitters = [0.0, 1.0, 1.0, 2.0];
        let bins = [-1.0, 0.0, 1.0, 1.5, 2.0, f64::NAN].map(|x| range_bin(x, &splitters));
        assert_eq!(bins, [None, Some(0), Some(2), Some(2), None, None]);
        assert_eq!(range_bin(1u32, &[]), None);
    }

    #[test]
    fn signed_numbers_keep_order_and_distance_on_the_device() {
        let numbers = i64::to_device(&[i64::MIN, -1, 0, 1, i64::MAX]);
        assert!(numbers.is_sorted());
        assert_eq!([numbers[2] - numbers[1], numbers[0], numbers[4]], [1, 0, u64::MAX]);
        assert_eq!((-5i64).on_device(), (1 << 63) - 5);
    }
}
