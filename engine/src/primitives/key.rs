//! What a key is, and what a value can be.

use std::fmt;

use bytemuck::Pod;
use multisplit_graph::{Buffer, ElementType};

use crate::error::{Error, Result};

/// What a key is. Floats are in the order of `total_cmp`: -NaN first, -0 before 0, NaN last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyType {
    /// Unsigned 32-bit.
    U32,
    /// Signed 32-bit.
    I32,
    /// 32-bit float.
    F32,
    /// Unsigned 64-bit.
    U64,
    /// Signed 64-bit.
    I64,
    /// 64-bit float.
    F64,
}

impl KeyType {
    /// Every type.
    pub const ALL: [Self; 6] = [Self::U32, Self::I32, Self::F32, Self::U64, Self::I64, Self::F64];

    /// Bits of a key.
    pub fn bits(self) -> u32 {
        match self {
            Self::U32 | Self::I32 | Self::F32 => 32,
            Self::U64 | Self::I64 | Self::F64 => 64,
        }
    }

    /// Bytes of a key.
    pub fn bytes(self) -> u32 {
        self.bits() / 8
    }

    /// Whether it is a float.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// What a user's function in GLSL takes.
    #[cfg(feature = "glsl")]
    pub(in crate::primitives) fn glsl(self) -> &'static str {
        match self {
            Self::U32 => "uint",
            Self::I32 => "int",
            Self::F32 => "float",
            Self::U64 => "uint64_t",
            Self::I64 => "int64_t",
            Self::F64 => "double",
        }
    }

    /// The kernels' KEY_KIND.
    pub(crate) fn kind(self) -> u32 {
        match self {
            Self::U32 | Self::U64 => 0,
            Self::I32 | Self::I64 => 1,
            Self::F32 | Self::F64 => 2,
        }
    }

    /// The bits of a key as an unsigned number that compares like the key.
    pub(crate) fn ordered(self, bits: u64) -> u64 {
        let top = 1 << (self.bits() - 1);
        match self.kind() {
            0 => bits,
            2 if bits & top != 0 => bits ^ (u64::MAX >> (64 - self.bits())),
            _ => bits ^ top,
        }
    }
}

impl KeyType {
    /// The bits of the integer key whose [`ordered`](Self::ordered) number this is.
    pub(crate) fn unordered(self, number: u64) -> u64 {
        match self.kind() {
            0 => number,
            _ => number ^ (1 << (self.bits() - 1)),
        }
    }
}

impl From<KeyType> for ElementType {
    fn from(key: KeyType) -> Self {
        match key {
            KeyType::U32 => Self::U32,
            KeyType::I32 => Self::I32,
            KeyType::F32 => Self::F32,
            KeyType::U64 => Self::U64,
            KeyType::I64 => Self::I64,
            KeyType::F64 => Self::F64,
        }
    }
}

impl fmt::Display for KeyType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ElementType::from(*self).fmt(f)
    }
}

impl KeyType {
    /// The type of the keys in a buffer of a graph.
    pub(crate) fn of(name: &'static str, buffer: Buffer) -> Result<Self> {
        let element = buffer.element();
        Self::ALL.into_iter().find(|&key| ElementType::from(key) == element).ok_or_else(|| {
            let expected = "u32, i32, f32, u64, i64 or f64".to_owned();
            Error::KeyTypeMismatch { name, found: element.to_string(), expected }
        })
    }
}

/// Bytes of the values in a buffer of a graph.
pub(in crate::primitives) fn value_bytes(buffer: Buffer) -> Result<u32> {
    let bytes = buffer.element().bytes().unwrap_or(0);
    if VALUE_BYTES.contains(&bytes) { Ok(bytes) } else { Err(Error::ValueSize { bytes }) }
}

/// Sizes of values that kernels can move.
const VALUE_BYTES: [u32; 3] = [4, 8, 16];

/// A type that keys can have: `u32`, `i32`, `f32`, `u64`, `i64` or `f64`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a key type",
    label = "keys are u32, i32, f32, u64, i64 or f64"
)]
pub trait Key: Pod + PartialOrd + sealed::Sealed {
    /// Its name here.
    const TYPE: KeyType;

    /// Its bits, in the lower part of a word.
    fn key_bits(self) -> u64;
}

/// What a key can take along: any plain type of 4, 8 or 16 bytes. Another size does not compile.
///
/// ```compile_fail
/// let gpu = multisplit::Context::new()?;
/// let (keys, values) = gpu.sort_pairs(&[1u32, 2], &[[0u32; 3], [1; 3]])?; // 12 bytes
/// # Ok::<(), multisplit::Error>(())
/// ```
pub trait Value: Pod {
    #[doc(hidden)]
    const CHECKED: () =
        assert!(matches!(size_of::<Self>(), 4 | 8 | 16), "values have 4, 8 or 16 bytes");
}

impl<T: Pod> Value for T {}

mod sealed {
    pub trait Sealed {}
}

macro_rules! key {
    ($($ty:ty, $name:ident, $key:ident, $bits:expr;)*) => {$(
        impl sealed::Sealed for $ty {}

        impl Key for $ty {
            const TYPE: KeyType = KeyType::$name;

            fn key_bits(self) -> u64 {
                let $key = self;
                $bits
            }
        }
    )*};
}

key! {
    u32, U32, key, u64::from(key);
    i32, I32, key, u64::from(key.cast_unsigned());
    f32, F32, key, u64::from(key.to_bits());
    u64, U64, key, key;
    i64, I64, key, key.cast_unsigned();
    f64, F64, key, key.to_bits();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ascending<K: Key>(keys: &[K]) {
        let words: Vec<u64> = keys.iter().map(|k| K::TYPE.ordered(k.key_bits())).collect();
        assert!(words.windows(2).all(|w| w[0] < w[1]), "{:?}: {words:x?}", K::TYPE);
        assert!(words.iter().all(|w| w >> (K::TYPE.bits() - 1) <= 1));
    }

    #[test]
    fn ordered_bits_compare_like_keys() {
        ascending(&[0u32, 1, u32::MAX]);
        ascending(&[i32::MIN, -1, 0, i32::MAX]);
        ascending(&[-f32::NAN, f32::NEG_INFINITY, -1.0, -0.0, 0.0, 1e-40, f32::INFINITY, f32::NAN]);
        ascending(&[0u64, 1 << 32, u64::MAX]);
        ascending(&[i64::MIN, -1, 0, i64::MAX]);
        ascending(&[-f64::NAN, f64::NEG_INFINITY, -1.0, -0.0, 0.0, 5e-324, f64::MAX, f64::NAN]);
    }
}
