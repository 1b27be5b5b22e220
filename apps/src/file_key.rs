//! Key types and their representation in files.

use multisplit::Key;
use multisplit::half::{bf16, f16};

use crate::formats::Data;
use crate::histogram::Number;

/// A key type that the device sorts, with its representation in files.
pub trait FileKey: Key + Number {
    /// Converts keys to file elements.
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

/// Calls the generic function `$function` with the key type for `$element` as its type parameter. Elements
/// that are not keys are a bug in the caller.
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

/// Like `with_key_type!`, for 32-bit and 64-bit types only.
macro_rules! with_wide_key_type {
    ($element:expr, $object:ident.$function:ident($($argument:expr),*)) => {
        match $element {
            $crate::formats::Element::U32 => $object.$function::<u32>($($argument),*),
            $crate::formats::Element::I32 => $object.$function::<i32>($($argument),*),
            $crate::formats::Element::F32 => $object.$function::<f32>($($argument),*),
            $crate::formats::Element::U64 => $object.$function::<u64>($($argument),*),
            $crate::formats::Element::I64 => $object.$function::<i64>($($argument),*),
            $crate::formats::Element::F64 => $object.$function::<f64>($($argument),*),
            other => Err(anyhow::anyhow!("{other} is not a key type")),
        }
    };
}
pub(crate) use with_wide_key_type;

#[cfg(test)]
mod tests {
    use super::FileKey;
    use crate::formats::Data;
    use crate::histogram::Number as _;

    #[test]
    fn keys_keep_their_bits_in_files() {
        let keys = [-1.5f64, f64::NAN, 0.0];
        let data = f64::into_data(keys.to_vec());
        let found = f64::from_data(&data).expect("keys of 8 bytes");
        // Compare bits, because NaN is not equal to itself.
        assert_eq!(
            found.iter().map(|key| key.to_bits()).collect::<Vec<_>>(),
            keys.map(f64::to_bits)
        );
        assert!(u32::from_data(&data).is_none());
        assert!(matches!(i32::into_data(vec![-1]), Data::Bytes4(words) if words == [u32::MAX]));
    }
}
