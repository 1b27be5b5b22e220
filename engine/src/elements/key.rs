//! Types of keys, samples and values.

use std::fmt;

use bytemuck::Pod;
use half::{bf16, f16};
use multisplit_graph::{Buffer, ElementType};

use crate::error::{Error, Result};

// Values of the specialization constant KEY_KIND.
pub(crate) const UNSIGNED: u32 = 0;
pub(crate) const SIGNED: u32 = 1;
pub(crate) const FLOAT: u32 = 2;

/// Type of a key. Floats are ordered as by `total_cmp`: NaNs with a set sign bit first, -0 before +0, other NaNs last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyType {
    /// Unsigned 8-bit.
    U8,
    /// Signed 8-bit.
    I8,
    /// Unsigned 16-bit.
    U16,
    /// Signed 16-bit.
    I16,
    /// 16-bit float of IEEE 754: 5 exponent bits, 10 fraction bits.
    F16,
    /// Upper half of a 32-bit float: 8 exponent bits, 7 fraction bits.
    Bf16,
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
    pub const ALL: [Self; 12] = {
        use KeyType::*;
        [U8, I8, U16, I16, F16, Bf16, U32, I32, F32, U64, I64, F64]
    };

    /// The types of 32 and 64 bits, which every operation supports. The others are supported by sorts, splits and
    /// top-k, and those in [`SAMPLES`](Self::SAMPLES) also by histograms.
    pub const WIDE: [Self; 6] = [Self::U32, Self::I32, Self::F32, Self::U64, Self::I64, Self::F64];

    /// The types of histogram samples.
    pub const SAMPLES: [Self; 8] =
        [Self::U8, Self::U16, Self::U32, Self::I32, Self::U64, Self::I64, Self::F32, Self::F64];

    /// The element type, the number of bits, the [`kind`](Self::kind), and the GLSL type of this key as an argument of
    /// a user's function.
    fn properties(self) -> (ElementType, u32, u32, &'static str) {
        match self {
            Self::U8 => (ElementType::U8, 8, UNSIGNED, "uint"),
            Self::I8 => (ElementType::I8, 8, SIGNED, "int"),
            Self::U16 => (ElementType::U16, 16, UNSIGNED, "uint"),
            Self::I16 => (ElementType::I16, 16, SIGNED, "int"),
            Self::F16 => (ElementType::F16, 16, FLOAT, "float"),
            Self::Bf16 => (ElementType::Bf16, 16, FLOAT, "float"),
            Self::U32 => (ElementType::U32, 32, UNSIGNED, "uint"),
            Self::I32 => (ElementType::I32, 32, SIGNED, "int"),
            Self::F32 => (ElementType::F32, 32, FLOAT, "float"),
            Self::U64 => (ElementType::U64, 64, UNSIGNED, "uint64_t"),
            Self::I64 => (ElementType::I64, 64, SIGNED, "int64_t"),
            Self::F64 => (ElementType::F64, 64, FLOAT, "double"),
        }
    }

    /// Bits per key.
    pub fn bits(self) -> u32 {
        self.properties().1
    }

    /// Bytes per key.
    pub fn bytes(self) -> u32 {
        self.bits() / 8
    }

    /// Length of a graph buffer for `n` keys: `n` rounded up to whole 32-bit words, because kernels read and write
    /// narrow keys as words. Keys past the first `n` are not modified.
    pub fn array_len(self, n: u64) -> u64 {
        self.array_bytes(n) / u64::from(self.bytes())
    }

    /// Bytes of a graph buffer for `n` keys.
    pub(crate) fn array_bytes(self, n: u64) -> u64 {
        let bytes = n.saturating_mul(u64::from(self.bytes()));
        bytes.checked_next_multiple_of(4).unwrap_or(u64::MAX)
    }

    /// Whether keys have fewer than 32 bits.
    pub fn is_narrow(self) -> bool {
        self.bits() < 32
    }

    /// Whether keys are floats.
    pub fn is_float(self) -> bool {
        self.kind() == FLOAT
    }

    /// GLSL type of the argument of a user's function.
    #[cfg(feature = "glsl")]
    pub(crate) fn glsl(self) -> &'static str {
        self.properties().3
    }

    /// Value of the specialization constants KEY_KIND and SAMPLE_KIND.
    pub(crate) fn kind(self) -> u32 {
        self.properties().2
    }

    /// Value of a float key, given its bits.
    pub(crate) fn float(self, bits: u64) -> f64 {
        match self {
            Self::F16 => f16::from_bits(bits as u16).to_f64(),
            Self::Bf16 => bf16::from_bits(bits as u16).to_f64(),
            Self::F64 => f64::from_bits(bits),
            _ => f32::from_bits(bits as u32).into(),
        }
    }

    /// Bits of `value` if this type is `F64`, otherwise of the nearest `f32`. Inverse of [`float`](Self::float) for
    /// `F32` and `F64`.
    pub(crate) fn float_bits(self, value: f64) -> u64 {
        if self == Self::F64 { value.to_bits() } else { (value as f32).to_bits().into() }
    }

    /// Rounds the result of one arithmetic operation to this type, `F32` or `F64`. Computing a single `f32` operation
    /// in `f64` and rounding the result gives the same value as computing it in `f32`.
    pub(crate) fn rounded(self, value: f64) -> f64 {
        self.float(self.float_bits(value))
    }

    /// The `f64` that is nearest to a key.
    pub(crate) fn value(self, bits: u64) -> f64 {
        let unused_bits = u64::BITS - self.bits();
        match self.kind() {
            FLOAT => self.float(bits),
            SIGNED => ((bits << unused_bits).cast_signed() >> unused_bits) as f64,
            _ => bits as f64,
        }
    }

    /// Converts the bits of a key to an unsigned number with the same order.
    pub(crate) fn ordered(self, bits: u64) -> u64 {
        let top = 1 << (self.bits() - 1);
        match self.kind() {
            UNSIGNED => bits,
            FLOAT if bits & top != 0 => bits ^ (u64::MAX >> (64 - self.bits())),
            _ => bits ^ top,
        }
    }

    /// Like [`ordered`](Self::ordered), for the edge of a bin. An edge at +0 becomes -0, so that both zeros are at or
    /// above the edge.
    pub(crate) fn ordered_edge(self, bits: u64) -> u64 {
        let is_zero = self.is_float() && bits == 0;
        self.ordered(if is_zero { 1 << (self.bits() - 1) } else { bits })
    }

    /// Inverse of [`ordered`](Self::ordered). For integer keys.
    pub(crate) fn unordered(self, number: u64) -> u64 {
        match self.kind() {
            UNSIGNED => number,
            _ => number ^ (1 << (self.bits() - 1)),
        }
    }

    /// Returns the key type of a graph buffer, for operations that support every type.
    pub(crate) fn of(name: &'static str, buffer: Buffer) -> Result<Self> {
        Self::among(&Self::ALL, name, buffer)
    }

    /// Returns the key type of a graph buffer, for operations that support only 32 and 64 bits.
    pub(crate) fn wide_of(name: &'static str, buffer: Buffer) -> Result<Self> {
        Self::among(&Self::WIDE, name, buffer)
    }

    /// Returns the key type of a graph buffer of histogram samples.
    pub(crate) fn sample_of(name: &'static str, buffer: Buffer) -> Result<Self> {
        Self::among(&Self::SAMPLES, name, buffer)
    }

    fn among(types: &[Self], name: &'static str, buffer: Buffer) -> Result<Self> {
        let element = buffer.element();
        let found = types.iter().copied().find(|&key| ElementType::from(key) == element);
        found.ok_or_else(|| {
            let names: Vec<_> = types.iter().map(ToString::to_string).collect();
            let expected = match names.split_last() {
                Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
                None => String::new(),
            };
            Error::KeyTypeMismatch { name, found: element.to_string(), expected }
        })
    }
}

impl From<KeyType> for ElementType {
    fn from(key: KeyType) -> Self {
        key.properties().0
    }
}

impl fmt::Display for KeyType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ElementType::from(*self).fmt(f)
    }
}

/// Returns the number of bytes per value of a graph buffer.
pub(crate) fn value_bytes(buffer: Buffer) -> Result<u32> {
    let bytes = buffer.element().bytes().unwrap_or(0);
    if VALUE_BYTES.contains(&bytes) { Ok(bytes) } else { Err(Error::ValueSize { bytes }) }
}

/// Sizes of values that kernels can move, in bytes.
const VALUE_BYTES: [u32; 3] = [4, 8, 16];

/// Key types: integers of 8 to 64 bits, `f32`, `f64`, and `f16` and `bf16` of the crate [`half`]. Sorts, splits and
/// top-k support all of them, and histograms those that implement [`Sample`]. Other operations support only those of
/// 32 and 64 bits.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a key type",
    label = "keys are integers of 8 to 64 bits, f32, f64, half::f16 or half::bf16"
)]
pub trait Key: Pod + PartialOrd + sealed::Sealed {
    /// The corresponding [`KeyType`].
    const TYPE: KeyType;

    /// Bits of the key, zero-extended.
    fn key_bits(self) -> u64 {
        match size_of::<Self>() {
            1 => bytemuck::cast::<_, u8>(self).into(),
            2 => bytemuck::cast::<_, u16>(self).into(),
            4 => bytemuck::cast::<_, u32>(self).into(),
            _ => bytemuck::cast(self),
        }
    }
}

/// Sample types of histograms: `u8`, `u16`, `u32`, `i32`, `u64`, `i64`, `f32` and `f64`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a sample type",
    label = "samples are u8, u16, u32, i32, u64, i64, f32 or f64"
)]
pub trait Sample: Key {}

/// Value types of key-value pairs: any plain type of 4, 8 or 16 bytes. Other sizes do not compile.
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

macro_rules! impl_key {
    ($($ty:ty: $name:ident),*) => {$(
        impl sealed::Sealed for $ty {}

        impl Key for $ty {
            const TYPE: KeyType = KeyType::$name;
        }
    )*};
}

macro_rules! impl_sample {
    ($($ty:ty),*) => {$(impl Sample for $ty {})*};
}

impl_key!(u8: U8, i8: I8, u16: U16, i16: I16, f16: F16, bf16: Bf16);
impl_key!(u32: U32, i32: I32, f32: F32, u64: U64, i64: I64, f64: F64);
impl_sample!(u8, u16, u32, i32, u64, i64, f32, f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_list_the_allowed_types() {
        let mut graph = multisplit_graph::Graph::new("types");
        let narrow = graph.import::<u8>("keys", 4);
        assert_eq!(KeyType::of("keys", narrow).ok(), Some(KeyType::U8));
        let refused = KeyType::wide_of("keys", narrow).map_err(|error| error.to_string());
        let text = refused.expect_err("keys of 8 bits are rejected");
        assert!(text.contains("u32, i32, f32, u64, i64 or f64"), "types are missing in: {text}");
        let other = graph.import::<[u8; 4]>("other", 4);
        let refused = KeyType::of("keys", other).map_err(|error| error.to_string());
        let text = refused.expect_err("arrays are not keys");
        assert!(text.contains("f16, bf16, u32"), "types are missing in: {text}");
    }

    #[test]
    fn array_sizes_are_whole_32_bit_words() {
        assert_eq!((KeyType::U8.array_len(5), KeyType::U16.array_len(5)), (8, 6));
        assert_eq!(KeyType::U8.array_bytes(5), 8);
        assert_eq!(KeyType::Bf16.array_bytes(2), 4);
        assert_eq!(KeyType::F64.array_bytes(3), 24);
        assert_eq!(KeyType::I16.array_bytes(u64::MAX), u64::MAX);
    }

    fn ascending<K: Key>(keys: &[K]) {
        let words: Vec<u64> = keys.iter().map(|k| K::TYPE.ordered(k.key_bits())).collect();
        let is_ascending = words.windows(2).all(|w| w[0] < w[1]);
        assert!(is_ascending, "{:?}: not in ascending order: {words:x?}", K::TYPE);
        assert!(words.iter().all(|w| w >> (K::TYPE.bits() - 1) <= 1));
    }

    #[test]
    fn ordered_bits_compare_like_keys() {
        ascending(&[0u8, 1, u8::MAX]);
        ascending(&[i8::MIN, -1, 0, i8::MAX]);
        ascending(&[0u16, 1, u16::MAX]);
        ascending(&[i16::MIN, -1, 0, i16::MAX]);
        let floats = [-f32::NAN, f32::NEG_INFINITY, -1.0, -0.0, 0.0, 1e-7, f32::INFINITY, f32::NAN];
        ascending(&floats.map(f16::from_f32));
        ascending(&floats.map(bf16::from_f32));
        ascending(&[0u32, 1, u32::MAX]);
        ascending(&[i32::MIN, -1, 0, i32::MAX]);
        ascending(&[-f32::NAN, f32::NEG_INFINITY, -1.0, -0.0, 0.0, 1e-40, f32::INFINITY, f32::NAN]);
        ascending(&[0u64, 1 << 32, u64::MAX]);
        ascending(&[i64::MIN, -1, 0, i64::MAX]);
        ascending(&[-f64::NAN, f64::NEG_INFINITY, -1.0, -0.0, 0.0, 5e-324, f64::MAX, f64::NAN]);
    }

    #[test]
    fn edges_have_the_same_order_as_their_values() {
        let floats = [f32::NEG_INFINITY, -2.0, -1e-40, 0.0, 1e-40, 1.0, f32::INFINITY];
        fn images<const N: usize, K: Key>(edges: [K; N]) -> [u64; N] {
            edges.map(|edge| K::TYPE.ordered_edge(edge.key_bits()))
        }
        let singles = images(floats);
        assert!(singles.is_sorted() && singles[2] < singles[3] && singles[3] < singles[4]);
        assert!(images(floats.map(f64::from)).is_sorted());
        assert_eq!(images([0.0f32]), images([-0.0f32]));
        assert!(images([i32::MIN, -1, 0, 1, i32::MAX]).is_sorted());
        assert!(images([i64::MIN, -1, 0, 1, i64::MAX]).is_sorted());
        assert_eq!(KeyType::I64.value((-5i64).key_bits()), -5.0);
        assert_eq!(KeyType::I32.value((-5i32).key_bits()), -5.0);
    }
}
