//! Keys of every type as files hold them, and an unsigned number that compares like a key.

use multisplit::half::{bf16, f16};
use multisplit::{Key, KeyType};

use crate::formats::Data;
use crate::histogram::Number;

/// A key type that the device sorts, with its form in files.
pub trait FileKey: Key + Number {
    /// The keys as elements of a file.
    fn into_data(keys: Vec<Self>) -> Data;
}

macro_rules! file_keys {
    ($($key:ty: $data:ident;)*) => {$(
        impl FileKey for $key {
            fn into_data(keys: Vec<Self>) -> Data {
                Data::$data(bytemuck::allocation::cast_vec(keys))
            }
        }
    )*};
}

file_keys! {
    u8: Bytes1;
    i8: Bytes1;
    u16: Bytes2;
    i16: Bytes2;
    f16: Bytes2;
    bf16: Bytes2;
    u32: Bytes4;
    i32: Bytes4;
    f32: Bytes4;
    u64: Bytes8;
    i64: Bytes8;
    f64: Bytes8;
}

/// Calls the generic function `$function` with the key type that `$element` names as its type
/// parameter. Elements that are not keys are an error of the caller's.
macro_rules! with_key_type {
    ($element:expr, $object:ident.$function:ident($($argument:expr),*)) => {
        match $element {
            $crate::formats::Element::U8 => $object.$function::<u8>($($argument),*),
            $crate::formats::Element::I8 => $object.$function::<i8>($($argument),*),
            $crate::formats::Element::U16 => $object.$function::<u16>($($argument),*),
            $crate::formats::Element::I16 => $object.$function::<i16>($($argument),*),
            $crate::formats::Element::F16 => {
                $object.$function::<multisplit::half::f16>($($argument),*)
            }
            $crate::formats::Element::Bf16 => {
                $object.$function::<multisplit::half::bf16>($($argument),*)
            }
            other => $crate::file_key::with_wide_key_type!(other, $object.$function($($argument),*)),
        }
    };
}
pub(crate) use with_key_type;

/// The same for types of 32 and 64 bits only.
macro_rules! with_wide_key_type {
    ($element:expr, $object:ident.$function:ident($($argument:expr),*)) => {
        match $element {
            $crate::formats::Element::U32 => $object.$function::<u32>($($argument),*),
            $crate::formats::Element::I32 => $object.$function::<i32>($($argument),*),
            $crate::formats::Element::F32 => $object.$function::<f32>($($argument),*),
            $crate::formats::Element::U64 => $object.$function::<u64>($($argument),*),
            $crate::formats::Element::I64 => $object.$function::<i64>($($argument),*),
            $crate::formats::Element::F64 => $object.$function::<f64>($($argument),*),
            other => Err(anyhow::anyhow!("{other} are not keys")),
        }
    };
}
pub(crate) use with_wide_key_type;

/// An unsigned number that compares like the key; floats in the order of `total_cmp`.
pub fn rank<K: Key>(key: K) -> u64 {
    let (bits, width) = (key.key_bits(), K::TYPE.bits());
    let sign = 1 << (width - 1);
    match K::TYPE {
        KeyType::U8 | KeyType::U16 | KeyType::U32 | KeyType::U64 => bits,
        key if key.is_float() && bits & sign != 0 => !bits & (u64::MAX >> (64 - width)),
        _ => bits ^ sign,
    }
}

#[cfg(test)]
mod tests {
    use multisplit::half::f16;

    use super::{FileKey, rank};
    use crate::formats::Data;
    use crate::histogram::Number as _;

    #[test]
    fn ranks_compare_like_keys() {
        assert!([i8::MIN, -1, 0, 1, i8::MAX].map(rank).is_sorted());
        let halves = [-f32::NAN, -2.0, -0.0, 0.0, 1e-7, f32::NAN].map(f16::from_f32);
        assert!(halves.map(rank).is_sorted_by(|a, b| a < b));
        assert!([i32::MIN, -1, 0, 1, i32::MAX].map(rank).is_sorted());
        assert!([i64::MIN, -1, 0, 1, i64::MAX].map(rank).is_sorted());
        let floats =
            [-f32::NAN, f32::NEG_INFINITY, -1.0, -0.0, 0.0, 1e-40, f32::INFINITY, f32::NAN];
        assert!(floats.map(rank).is_sorted_by(|a, b| a < b));
        let doubles = [-f64::NAN, -1.0, -0.0, 0.0, 5e-324, f64::MAX, f64::NAN];
        assert!(doubles.map(rank).is_sorted_by(|a, b| a < b));
        assert_eq!(rank(7u32), 7);
    }

    #[test]
    fn keys_keep_their_bits_in_files() {
        let keys = [-1.5f64, f64::NAN, 0.0];
        let data = f64::into_data(keys.to_vec());
        let found = f64::from_data(&data).expect("keys of 8 bytes");
        // By their bits, because NaN is not equal to itself.
        assert_eq!(
            found.iter().map(|key| key.to_bits()).collect::<Vec<_>>(),
            keys.map(f64::to_bits)
        );
        assert!(u32::from_data(&data).is_none());
        assert!(matches!(i32::into_data(vec![-1]), Data::Bytes4(words) if words == [u32::MAX]));
    }
}
