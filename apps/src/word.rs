//! Keys of any type as words of bits, and the order of those bits that is the order of the keys.

use anyhow::{Result, bail};
use bytemuck::Pod;
use multisplit::primitives::multisplit::KeyType;

use crate::files::{Data, Element};

/// The bits of a key.
pub trait Word: Pod + Eq + std::hash::Hash + Send + Sync {
    /// The bits, zero-extended.
    fn bits(self) -> u64;

    /// Words as what files hold.
    fn data(words: Vec<Self>) -> Data;
}

impl Word for u32 {
    fn bits(self) -> u64 {
        self.into()
    }

    fn data(words: Vec<Self>) -> Data {
        Data::Bytes4(words)
    }
}

impl Word for u64 {
    fn bits(self) -> u64 {
        self
    }

    fn data(words: Vec<Self>) -> Data {
        Data::Bytes8(words)
    }
}

/// An unsigned number that compares as the key of these bits does; floats in the order of
/// `total_cmp`.
pub fn ordered(key: KeyType, bits: u64) -> u64 {
    let all = u64::MAX >> (64 - key.bits());
    let sign = 1 << (key.bits() - 1);
    match key {
        KeyType::U32 | KeyType::U64 => bits,
        KeyType::I32 | KeyType::I64 => bits ^ sign,
        KeyType::F32 | KeyType::F64 if bits & sign != 0 => !bits & all,
        KeyType::F32 | KeyType::F64 => bits | sign,
    }
}

/// What the library calls keys of this type.
pub fn key_type(element: Element) -> Result<KeyType> {
    Ok(match element {
        Element::U32 => KeyType::U32,
        Element::I32 => KeyType::I32,
        Element::F32 => KeyType::F32,
        Element::U64 => KeyType::U64,
        Element::I64 => KeyType::I64,
        Element::F64 => KeyType::F64,
        Element::U8 | Element::U16 | Element::Bytes16 => {
            bail!("{element} are neither sorted nor split")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::ordered;
    use multisplit::primitives::multisplit::KeyType;

    #[test]
    fn the_order_is_that_of_the_keys() {
        let ints = [i32::MIN, -1, 0, 1, i32::MAX];
        assert!(ints.map(|i| ordered(KeyType::I32, i.cast_unsigned().into())).is_sorted());
        let longs = [i64::MIN, -1, 0, 1, i64::MAX];
        assert!(longs.map(|i| ordered(KeyType::I64, i.cast_unsigned())).is_sorted());
        let floats =
            [-f32::NAN, f32::NEG_INFINITY, -1.0, -0.0, 0.0, 1e-40, f32::INFINITY, f32::NAN];
        let order = floats.map(|f| ordered(KeyType::F32, f.to_bits().into()));
        assert!(order.is_sorted_by(|a, b| a < b), "{order:?}");
        let doubles = [-f64::NAN, -1.0, -0.0, 0.0, 5e-324, f64::MAX, f64::NAN];
        assert!(doubles.map(|f| ordered(KeyType::F64, f.to_bits())).is_sorted_by(|a, b| a < b));
        assert_eq!(ordered(KeyType::U32, 7), 7);
    }
}
