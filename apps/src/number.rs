//! Types of keys and samples: parsing, conversion for the device, and bin edges.

use std::borrow::Cow;
use std::fmt::Debug;
use std::str::FromStr;

use anyhow::{Context as _, Result};
use multisplit::half::{bf16, f16};
use multisplit::{Bins, Key, Sample};

use crate::edges::{Edge, even_whole};
use crate::formats::{Array, Data, with_type};

/// A type of keys and samples.
pub trait Number: Key + Debug + Send + Sync {
    /// The type of samples on the device: a wider one if the device cannot count this type.
    type Device: Sample + From<Self>;

    fn on_device(self) -> Self::Device {
        self.into()
    }

    fn to_device(numbers: &[Self]) -> Cow<'_, [Self::Device]> {
        // A device type of the same size is the same type, so no conversion is needed.
        match bytemuck::try_cast_slice(numbers) {
            Ok(same) if Self::SAME_BYTES => Cow::Borrowed(same),
            _ => numbers.iter().map(|&number| number.on_device()).collect(),
        }
    }

    fn edge(self) -> Edge;

    /// Parses an edge. Edges of integers may be outside the range of the type.
    fn parse_edge(text: &str) -> Option<Edge>;

    /// The smallest number at or above an edge; `None` if the edge is above the type's maximum.
    fn at_or_above(edge: Edge) -> Option<Self>;

    /// The number equal to an edge, if any.
    fn exactly(edge: Edge) -> Option<Self> {
        Self::at_or_above(edge).filter(|number| number.edge() == edge)
    }

    /// Rounds an edge of logarithmic bins to the float type in which the device compares samples: f32 for 16-bit
    /// floats. Integer types return the edge unchanged.
    fn rounded(edge: f64) -> f64 {
        edge
    }

    /// The m + 1 edges of m bins of equal width; for floats, exactly those of the engine.
    fn even_edges(lo: Edge, hi: Edge, m: u32) -> Vec<Edge>;

    /// The smallest number; negative infinity for floats.
    const MIN: Self;
    /// The largest number; infinity for floats.
    const MAX: Self;

    /// Whether the number is neither infinite nor NaN.
    fn is_finite(self) -> bool {
        !matches!(self.edge(), Edge::Real(value) if !value.is_finite())
    }

    /// Whether the device type has the same size, so that files can be read directly into device memory.
    const SAME_BYTES: bool = size_of::<Self>() == size_of::<Self::Device>();

    /// Reinterprets `data` as numbers. Fails if its elements have another size.
    fn from_data(data: &Data) -> Result<&[Self]> {
        (data.element_bytes() == size_of::<Self>())
            .then(|| bytemuck::try_cast_slice(data.bytes()).ok())
            .flatten()
            .context("internal error: the element size does not match the element type")
    }
}

macro_rules! integer {
    ($($type:ty: $device:ty),*) => {$(
        impl Number for $type {
            const MIN: Self = <$type>::MIN;
            const MAX: Self = <$type>::MAX;
            type Device = $device;

            fn edge(self) -> Edge {
                Edge::Whole(self.into())
            }

            fn parse_edge(text: &str) -> Option<Edge> {
                let edge = i128::from_str(text).ok().or_else(|| power(text))?;
                (-MAX_EDGE..=MAX_EDGE).contains(&edge).then_some(Edge::Whole(edge))
            }

            fn at_or_above(edge: Edge) -> Option<Self> {
                let whole = match edge {
                    Edge::Whole(edge) => edge,
                    Edge::Real(edge) => edge.ceil() as i128,
                };
                whole.max(Self::MIN.into()).try_into().ok()
            }

            fn even_edges(lo: Edge, hi: Edge, m: u32) -> Vec<Edge> {
                match (lo, hi) {
                    (Edge::Whole(lo), Edge::Whole(hi)) => even_whole(lo, hi, m),
                    _ => Vec::new(),
                }
            }
        }
    )*};
}

/// Maximum magnitude of an integer edge.
const MAX_EDGE: i128 = 1 << 64;

integer!(u8: u8, i8: i32, u16: u16, i16: i32, u32: u32, i32: i32, u64: u64, i64: i64);

/// Parses a power such as 2^64.
fn power(text: &str) -> Option<i128> {
    let (base, exponent) = text.split_once('^')?;
    base.parse::<i128>().ok()?.checked_pow(exponent.parse().ok()?)
}

/// `$nearest` rounds an f64 to the type, and `$next` returns the next larger number.
macro_rules! float {
    ($($type:ident, $device:ident, $nearest:expr, $next:expr;)*) => {$(
        impl Number for $type {
            const MIN: Self = $type::NEG_INFINITY;
            const MAX: Self = $type::INFINITY;
            type Device = $device;

            fn edge(self) -> Edge {
                Edge::Real(self.into())
            }

            fn parse_edge(text: &str) -> Option<Edge> {
                // Round to the device type, because samples are compared in that type.
                $device::from_str(text).ok().filter(|edge| !edge.is_nan()).map($device::edge)
            }

            fn at_or_above(edge: Edge) -> Option<Self> {
                let nearest: Self = $nearest(edge.value());
                Some(if nearest.edge() < edge { $next(nearest) } else { nearest })
            }

            fn rounded(edge: f64) -> f64 {
                f64::from(edge as $device)
            }

            fn even_edges(lo: Edge, hi: Edge, m: u32) -> Vec<Edge> {
                let bins = Bins::even(lo.value() as $device..hi.value() as $device, m);
                bins.edges().into_iter().map(Edge::Real).collect()
            }
        }
    )*};
}

float! {
    f32, f32, |edge| edge as f32, f32::next_up;
    f64, f64, |edge| edge, f64::next_up;
    f16, f32, f16::from_f64, |number: f16| f16::from_bits(next_bits(number.to_bits()));
    bf16, f32, bf16::from_f64, |number: bf16| bf16::from_bits(next_bits(number.to_bits()));
}

/// The bits of the next larger 16-bit float.
fn next_bits(bits: u16) -> u16 {
    match bits {
        0x8000 => 1,
        negative if negative > 0x8000 => negative - 1,
        positive => positive + 1,
    }
}

pub fn edges_of(array: &Array) -> Result<Vec<Edge>> {
    let data = array.data();
    Ok(with_type!(array.element(), N => {
        N::from_data(data)?.iter().map(|number| number.edge()).collect()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_bits_in_untyped_data() {
        let keys = [-1.5f64, f64::NAN, 0.0];
        let data = Data::of(keys.to_vec());
        let found = f64::from_data(&data).expect("the keys have 8 bytes");
        // Compare bits, because NaN is not equal to itself.
        assert_eq!(
            found.iter().map(|key| key.to_bits()).collect::<Vec<_>>(),
            keys.map(f64::to_bits)
        );
        assert!(u32::from_data(&data).is_err());
        assert!(matches!(Data::of(vec![-1i32]), Data::Bytes4(words) if words == [u32::MAX]));
    }

    #[test]
    fn edges_round_up_to_the_next_narrow_float() {
        fn check<N: Number>(number: fn(u16) -> N) {
            for edge in [0.1, -0.1, 1.0, 1.0001, -1e-9, 1e-9, 0.0, -70000.0, 65504.0] {
                let least = N::at_or_above(Edge::Real(edge)).expect("a number is at or above it");
                assert!(least.edge().value() >= edge, "{least:?} is below {edge}");
                for other in (0..=u16::MAX).map(number) {
                    let value = other.edge().value();
                    let is_between = edge <= value && value < least.edge().value();
                    assert!(!is_between, "{other:?} is between {edge} and {least:?}");
                }
            }
        }
        check(f16::from_bits);
        check(bf16::from_bits);
    }

    #[test]
    fn even_float_edges_match_numpy_linspace() {
        // numpy.linspace(0, 1, 101)[29] is 0.29, [57] is 0.5700000000000001.
        let edges = f64::even_edges(Edge::Real(0.0), Edge::Real(1.0), 100);
        assert_eq!((edges[29], edges[57]), (Edge::Real(0.29), Edge::Real(0.5700000000000001)));
        assert_eq!(edges[100], Edge::Real(1.0));
    }

    #[test]
    fn edges_may_exceed_the_range_of_the_type() {
        assert_eq!(u8::parse_edge("256"), Some(Edge::Whole(256)));
        assert_eq!(u8::parse_edge("2^8"), Some(Edge::Whole(256)));
        assert_eq!(u8::parse_edge("-10"), Some(Edge::Whole(-10)));
        assert_eq!(u64::parse_edge("18446744073709551616"), Some(Edge::Whole(1 << 64)));
        assert_eq!(u64::parse_edge("18446744073709551617"), None);
        assert_eq!(f32::parse_edge("0.1"), Some(Edge::Real(0.1f32.into())));
        assert_eq!(f64::parse_edge("nan"), None);
        assert_eq!(f64::parse_edge("x"), None);
        let least = |edge: i128| u8::at_or_above(Edge::Whole(edge));
        assert_eq!([least(-10), least(7), least(256)], [Some(0), Some(7), None]);
        assert_eq!([u8::exactly(Edge::Whole(-10)), u8::exactly(Edge::Whole(7))], [None, Some(7)]);
    }

    #[test]
    fn edges_of_another_type_are_compared_exactly() {
        let (small, large) = (Edge::Real(2.5), Edge::Real(2f64.powi(53)));
        assert_eq!([i64::at_or_above(small), i64::exactly(small)], [Some(3), None]);
        assert!(Edge::Whole(2) < small && small < Edge::Whole(3));
        assert!(large < Edge::Whole((1 << 53) + 1) && large == Edge::Whole(1 << 53));
        assert_eq!(f64::at_or_above(Edge::Whole((1 << 53) + 1)), Some(2f64.powi(53) + 2.0));
        assert_eq!(
            [f32::at_or_above(Edge::Real(0.3)), f32::exactly(Edge::Real(0.3))],
            [Some(0.3), None]
        );
        assert_eq!(i64::at_or_above(Edge::Real(f64::NEG_INFINITY)), Some(i64::MIN));
        assert_eq!(u64::at_or_above(Edge::Real(f64::INFINITY)), None);
        assert!(Edge::Whole(1 << 64) < Edge::Real(f64::INFINITY));
    }
}
