//! Sample types, with their bits and their ordered form.

use std::fmt;

use bytemuck::Pod;
use multisplit_graph::{Buffer, ElementType};

use crate::error::{Error, Result};

/// Type of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SampleType {
    /// Unsigned 8-bit.
    U8,
    /// Unsigned 16-bit.
    U16,
    /// Unsigned 32-bit.
    U32,
    /// Signed 32-bit.
    I32,
    /// Unsigned 64-bit; needs `shaderInt64`.
    U64,
    /// Signed 64-bit; needs `shaderInt64`.
    I64,
    /// 32-bit float.
    F32,
    /// 64-bit float; needs `shaderInt64` and `shaderFloat64`.
    F64,
}

impl SampleType {
    /// Every type.
    pub const ALL: [Self; 8] =
        [Self::U8, Self::U16, Self::U32, Self::I32, Self::U64, Self::I64, Self::F32, Self::F64];

    /// Returns the sample type of a graph buffer.
    pub(crate) fn of(name: &'static str, buffer: Buffer) -> Result<Self> {
        let element = buffer.element();
        Self::ALL.into_iter().find(|&sample| ElementType::from(sample) == element).ok_or_else(
            || {
                let expected = "u8, u16, u32, i32, u64, i64, f32 or f64".to_owned();
                Error::KeyTypeMismatch { name, found: element.to_string(), expected }
            },
        )
    }
}

impl From<SampleType> for ElementType {
    fn from(sample: SampleType) -> Self {
        match sample {
            SampleType::U8 => Self::U8,
            SampleType::U16 => Self::U16,
            SampleType::U32 => Self::U32,
            SampleType::I32 => Self::I32,
            SampleType::U64 => Self::U64,
            SampleType::I64 => Self::I64,
            SampleType::F32 => Self::F32,
            SampleType::F64 => Self::F64,
        }
    }
}

impl fmt::Display for SampleType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ElementType::from(*self).fmt(f)
    }
}

/// Sample types: `u8`, `u16`, `u32`, `i32`, `u64`, `i64`, `f32` and `f64`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a sample type",
    label = "samples are u8, u16, u32, i32, u64, i64, f32 or f64"
)]
pub trait Sample: Pod + PartialOrd + sealed::Sealed {
    /// The type as a value.
    const TYPE: SampleType;

    /// Bits of the value, zero-extended.
    fn bits(self) -> u64;
}

macro_rules! sample {
    ($($rust:ty: $name:ident, $bits:expr;)*) => {
        $(impl sealed::Sealed for $rust {}

        impl Sample for $rust {
            const TYPE: SampleType = SampleType::$name;

            fn bits(self) -> u64 {
                $bits(self)
            }
        })*
    };
}

sample! {
    u8: U8, u64::from;
    u16: U16, u64::from;
    u32: U32, u64::from;
    i32: I32, |value: i32| u64::from(value as u32);
    u64: U64, |value: u64| value;
    i64: I64, i64::cast_unsigned;
    f32: F32, |value: f32| u64::from(value.to_bits());
    f64: F64, |value: f64| value.to_bits();
}

mod sealed {
    pub trait Sealed {}
}

impl SampleType {
    /// Bytes per sample.
    pub fn bytes(self) -> u32 {
        match self {
            Self::U8 => 1,
            Self::U16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }

    /// Whether samples are floats.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// Value of the specialization constant SAMPLE_KIND.
    pub(crate) fn kind(self) -> u32 {
        match self {
            Self::I32 | Self::I64 => 1,
            Self::F32 | Self::F64 => 2,
            _ => 0,
        }
    }

    /// GLSL type of the argument of a user's function.
    #[cfg(feature = "glsl")]
    pub(crate) fn glsl(self) -> &'static str {
        match self {
            Self::U8 | Self::U16 | Self::U32 => "uint",
            Self::I32 => "int",
            Self::F32 => "float",
            Self::U64 => "uint64_t",
            Self::I64 => "int64_t",
            Self::F64 => "double",
        }
    }

    /// Converts the bits of an edge to an unsigned number, which compares with the kernels' `ordered()` of
    /// samples. Both zeros become the lower one, so that samples of either zero are at or above an edge at zero.
    pub(crate) fn ordered_edge(self, bits: u64) -> u64 {
        match self {
            Self::I32 => bits ^ 0x8000_0000,
            Self::I64 => bits ^ 1 << 63,
            Self::F32 => match bits as u32 {
                0 | 0x8000_0000 => 0x7FFF_FFFF,
                bits if bits >> 31 == 1 => u64::from(!bits),
                bits => u64::from(bits | 0x8000_0000),
            },
            Self::F64 => match bits {
                0 | 0x8000_0000_0000_0000 => 0x7FFF_FFFF_FFFF_FFFF,
                bits if bits >> 63 == 1 => !bits,
                bits => bits | 0x8000_0000_0000_0000,
            },
            _ => bits,
        }
    }

    /// The value of a float.
    pub(crate) fn float(self, bits: u64) -> f64 {
        if self == Self::F64 { f64::from_bits(bits) } else { f32::from_bits(bits as u32).into() }
    }

    /// The nearest `f64`, for the axis of a plot.
    pub(crate) fn value(self, bits: u64) -> f64 {
        match self {
            Self::F32 | Self::F64 => self.float(bits),
            Self::I32 => f64::from(bits as u32 as i32),
            Self::I64 => bits.cast_signed() as f64,
            _ => bits as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_in_the_order_of_their_values() {
        let floats = [f32::NEG_INFINITY, -2.0, -1e-40, 0.0, 1e-40, 1.0, f32::INFINITY];
        let images = floats.map(|x| SampleType::F32.ordered_edge(x.bits()));
        assert!(images.is_sorted() && images[2] < images[3] && images[3] < images[4]);
        let doubles = floats.map(|x| SampleType::F64.ordered_edge(f64::from(x).bits()));
        assert!(doubles.is_sorted());
        let edge = |x: f32| SampleType::F32.ordered_edge(x.bits());
        assert_eq!(edge(0.0), edge(-0.0));
        let integers =
            [i32::MIN, -1, 0, 1, i32::MAX].map(|x| SampleType::I32.ordered_edge(x.bits()));
        assert!(integers.is_sorted());
        let wide = [i64::MIN, -1, 0, 1, i64::MAX].map(|x| SampleType::I64.ordered_edge(x.bits()));
        assert!(wide.is_sorted() && SampleType::I64.value((-5i64).bits()) == -5.0);
    }
}
