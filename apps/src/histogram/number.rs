//! Samples of every type: how they are written, how the device gets them, and where the edges of
//! bins between them are.

use std::borrow::Cow;
use std::fmt::Debug;
use std::str::FromStr;

use bytemuck::Pod;
use multisplit::half::{bf16, f16};
use multisplit::{Bins, Sample};

use super::edges::{Edge, even_whole};
use crate::formats::{Array, Data, Element, half};

/// A sample as a number.
pub trait Number: Pod + PartialOrd + Debug + Send + Sync + 'static {
    /// What the command line calls its type.
    const NAME: &'static str;

    /// What the device counts instead of it, in the same order and at the same distances.
    type Device: Sample;

    /// The number as the device gets it.
    fn on_device(self) -> Self::Device;

    /// The same for many.
    fn to_device(numbers: &[Self]) -> Cow<'_, [Self::Device]>;

    /// Numbers of as many bytes, in their memory.
    fn convert(numbers: &mut [Self::Device]) {
        let Ok(same) = bytemuck::try_cast_slice_mut::<Self::Device, Self>(numbers) else { return };
        let converted = |number: Self| bytemuck::try_cast::<Self::Device, Self>(number.on_device());
        for number in same {
            *number = converted(*number).unwrap_or(*number);
        }
    }

    /// The number as an edge.
    fn edge(self) -> Edge;

    /// The edge that a text is. Those of integers may be one past the largest.
    fn parse_edge(text: &str) -> Option<Edge>;

    /// The number that an edge is; None where it is past the largest.
    fn from_edge(edge: Edge) -> Option<Self>;

    /// An edge as the device gets it; None where it is past the largest there.
    fn device_edge(edge: Edge) -> Option<Self::Device>;

    /// The m + 1 edges of m equal parts of a range: those that the engine compares with, to the bit.
    fn even_edges(lo: Edge, hi: Edge, m: u32) -> Vec<Edge>;

    /// The smallest and the largest number, infinity included.
    const MIN: Self;
    const MAX: Self;

    /// Whether it is neither infinite nor NaN.
    fn is_finite(self) -> bool;

    /// Whether the device gets as many bytes for each: files can then be read for it.
    const SAME_BYTES: bool = size_of::<Self>() == size_of::<Self::Device>();

    /// The numbers that this data is; None where its elements have another size.
    fn from_data(data: &Data) -> Option<&[Self]> {
        (data.element_bytes() == size_of::<Self>())
            .then(|| bytemuck::try_cast_slice(data.bytes()).ok())
            .flatten()
    }
}

macro_rules! integer {
    ($($type:ty, $device:ty, $bits:expr, $shift:expr;)*) => {$(
        impl Number for $type {
            const NAME: &'static str = stringify!($type);
            const MIN: Self = <$type>::MIN;
            const MAX: Self = <$type>::MAX;
            type Device = $device;

            fn is_finite(self) -> bool {
                true
            }

            fn on_device(self) -> $device {
                $bits(self)
            }

            fn to_device(numbers: &[Self]) -> Cow<'_, [$device]> {
                // The same type is the same bytes.
                match bytemuck::try_cast_slice::<Self, $device>(numbers) {
                    Ok(same) if stringify!($type) == stringify!($device) => Cow::Borrowed(same),
                    _ => numbers.iter().map(|&number| number.on_device()).collect(),
                }
            }

            fn edge(self) -> Edge {
                Edge::Whole(self.into())
            }

            fn parse_edge(text: &str) -> Option<Edge> {
                let edge = i128::from_str(text).ok().or_else(|| power(text))?;
                let range = i128::from(<$type>::MIN)..=i128::from(<$type>::MAX) + 1;
                range.contains(&edge).then_some(Edge::Whole(edge))
            }

            fn from_edge(edge: Edge) -> Option<Self> {
                match edge {
                    Edge::Whole(edge) => edge.try_into().ok(),
                    Edge::Real(_) => None,
                }
            }

            fn even_edges(lo: Edge, hi: Edge, m: u32) -> Vec<Edge> {
                match (lo, hi) {
                    (Edge::Whole(lo), Edge::Whole(hi)) => even_whole(lo, hi, m),
                    _ => Vec::new(),
                }
            }

            fn device_edge(edge: Edge) -> Option<$device> {
                match edge {
                    Edge::Whole(edge) => (edge + $shift).try_into().ok(),
                    Edge::Real(_) => None,
                }
            }
        }
    )*};
}

// The device has no samples of some types: it gets others in the same order, at the same distances.
integer! {
    u8, u8, |x| x, 0;
    i8, i32, i32::from, 0;
    u16, u16, |x| x, 0;
    i16, i32, i32::from, 0;
    u32, u32, |x| x, 0;
    i32, i32, |x| x, 0;
    u64, u64, |x| x, 0;
    i64, u64, |x: i64| x.cast_unsigned() ^ (1 << 63), 1 << 63;
}

/// A number that is written as a power: 2^64.
fn power(text: &str) -> Option<i128> {
    let (base, exponent) = text.split_once('^')?;
    base.parse::<i128>().ok()?.checked_pow(exponent.parse().ok()?)
}

macro_rules! float {
    ($($type:ty)*) => {$(
        impl Number for $type {
            const NAME: &'static str = stringify!($type);
            const MIN: Self = <$type>::NEG_INFINITY;
            const MAX: Self = <$type>::INFINITY;
            type Device = Self;

            fn is_finite(self) -> bool {
                <$type>::is_finite(self)
            }

            fn on_device(self) -> Self {
                self
            }

            fn to_device(numbers: &[Self]) -> Cow<'_, [Self]> {
                numbers.into()
            }

            fn edge(self) -> Edge {
                Edge::Real(self.into())
            }

            fn parse_edge(text: &str) -> Option<Edge> {
                // Rounded to the type of the samples, since they are compared in it.
                <$type>::from_str(text).ok().filter(|edge| !edge.is_nan()).map(Self::edge)
            }

            fn from_edge(edge: Edge) -> Option<Self> {
                match edge {
                    Edge::Real(edge) => Some(edge as Self),
                    Edge::Whole(_) => None,
                }
            }

            fn even_edges(lo: Edge, hi: Edge, m: u32) -> Vec<Edge> {
                let bins = Bins::<Self>::even(lo.value() as Self..hi.value() as Self, m);
                bins.edges().into_iter().map(Edge::Real).collect()
            }

            fn device_edge(edge: Edge) -> Option<Self> {
                Self::from_edge(edge)
            }
        }
    )*};
}

float! { f32 f64 }

macro_rules! narrow_float {
    ($($type:ident)*) => {$(
        impl Number for $type {
            const NAME: &'static str = stringify!($type);
            const MIN: Self = $type::NEG_INFINITY;
            const MAX: Self = $type::INFINITY;
            type Device = f32;

            fn is_finite(self) -> bool {
                $type::is_finite(self)
            }

            fn on_device(self) -> f32 {
                self.to_f32()
            }

            fn to_device(numbers: &[Self]) -> Cow<'_, [f32]> {
                numbers.iter().map(|&number| number.on_device()).collect()
            }

            fn edge(self) -> Edge {
                Edge::Real(self.into())
            }

            fn parse_edge(text: &str) -> Option<Edge> {
                f32::parse_edge(text)
            }

            // The least that is not below the edge: as many numbers lie below either.
            fn from_edge(edge: Edge) -> Option<Self> {
                let Edge::Real(edge) = edge else { return None };
                let nearest = $type::from_f64(edge);
                let next = match nearest.to_bits() {
                    0x8000 => 1,
                    bits if nearest.is_sign_negative() => bits - 1,
                    bits => bits + 1,
                };
                Some(if nearest.to_f64() < edge { $type::from_bits(next) } else { nearest })
            }

            fn even_edges(lo: Edge, hi: Edge, m: u32) -> Vec<Edge> {
                f32::even_edges(lo, hi, m)
            }

            fn device_edge(edge: Edge) -> Option<f32> {
                f32::from_edge(edge)
            }
        }
    )*};
}

narrow_float! { f16 bf16 }

/// Samples of 16-bit floats as 32-bit ones, which are counted instead.
pub fn counted_as(samples: &Array) -> Cow<'_, Array> {
    let words = match (samples.element(), samples.data()) {
        (Element::F16, Data::Bytes2(bits)) => {
            bits.iter().map(|&bits| half::to_f32(bits).to_bits()).collect()
        }
        (Element::Bf16, Data::Bytes2(bits)) => {
            bits.iter().map(|&bits| u32::from(bits) << 16).collect()
        }
        _ => return Cow::Borrowed(samples),
    };
    Array::new(Element::F32, Data::Bytes4(words)).map_or(Cow::Borrowed(samples), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use multisplit::half::{bf16, f16};

    use super::Number;
    use crate::histogram::Edge;

    #[test]
    fn signed_numbers_keep_order_and_distance_on_the_device() {
        let numbers = i64::to_device(&[i64::MIN, -1, 0, 1, i64::MAX]);
        assert!(numbers.is_sorted());
        assert_eq!([numbers[2] - numbers[1], numbers[0], numbers[4]], [1, 0, u64::MAX]);
        assert_eq!((-5i64).on_device(), (1 << 63) - 5);
        assert_eq!(*i8::to_device(&[-1, 5]), [-1, 5]);
    }

    #[test]
    fn edges_between_narrow_floats_are_the_next_one() {
        for edge in [0.1, -0.1, 1.0, 1.0001, -1e-9, 1e-9, 0.0, -70000.0, 65504.0] {
            let (half, brain) =
                (f16::from_edge(Edge::Real(edge)), bf16::from_edge(Edge::Real(edge)));
            let (half, brain) = (half.expect("a number"), brain.expect("a number"));
            assert!(half.to_f64() >= edge && brain.to_f64() >= edge, "{edge}");
            let all = (0..=u16::MAX).map(|bits| (f16::from_bits(bits), bf16::from_bits(bits)));
            for (a, b) in all {
                assert!(a.to_f64() < edge || a >= half || a.is_nan(), "{edge}: {a}");
                assert!(b.to_f64() < edge || b >= brain || b.is_nan(), "{edge}: {b}");
            }
        }
    }

    #[test]
    fn edges_of_floats_are_numpys() {
        // numpy.linspace(0, 1, 101)[29] is 0.29, [57] is 0.5700000000000001.
        let edges = f64::even_edges(Edge::Real(0.0), Edge::Real(1.0), 100);
        assert_eq!((edges[29], edges[57]), (Edge::Real(0.29), Edge::Real(0.5700000000000001)));
        assert_eq!(edges[100], Edge::Real(1.0));
    }

    #[test]
    fn edges_may_be_one_past_the_largest() {
        assert_eq!(u8::parse_edge("256"), Some(Edge::Whole(256)));
        assert_eq!(u8::parse_edge("2^8"), Some(Edge::Whole(256)));
        assert_eq!(u8::parse_edge("257"), None);
        assert_eq!(u8::parse_edge("-1"), None);
        assert_eq!(i64::parse_edge("-9223372036854775808"), Some(Edge::Whole(i64::MIN.into())));
        assert_eq!(u64::parse_edge("18446744073709551616"), Some(Edge::Whole(1 << 64)));
        assert_eq!(u8::from_edge(Edge::Whole(256)), None);
        assert_eq!(f32::parse_edge("0.1"), Some(Edge::Real(0.1f32.into())));
        assert_eq!(f64::parse_edge("nan"), None);
        assert_eq!(f64::parse_edge("x"), None);
    }
}
