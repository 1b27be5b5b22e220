//! Converts elements of types that the device does not support to wider types and back. The elements compare in the
//! same order. Sorts, splits and top-k support all numbers; scans, reductions, merges, searches and run lengths support
//! only numbers of 32 and 64 bits.

use std::borrow::Cow;

use anyhow::{Context as _, Result};

use crate::formats::{Array, Data, Element, half};

/// Converts keys for sorts, splits and top-k: shifts times so that "not a time" comes last. Other keys are unchanged.
pub fn keys_of(keys: &Array) -> Cow<'_, Data> {
    match (keys.element(), keys.data()) {
        // The lowest number means "not a time", which NumPy sorts after all times.
        (Element::Time(_), Data::Bytes8(keys)) => {
            Cow::Owned(Data::Bytes8(keys.iter().map(|key| key.wrapping_sub(1)).collect()))
        }
        (_, data) => Cow::Borrowed(data),
    }
}

/// Widens elements to a type that the device can scan, reduce, merge or search.
pub fn widened(keys: &Array) -> Cow<'_, Data> {
    match (keys.element(), keys.data()) {
        (Element::U8, Data::Bytes1(keys)) => wide(keys, |&key| key.into()),
        (Element::I8, Data::Bytes1(keys)) => {
            wide(keys, |&key| i32::from(key.cast_signed()).cast_unsigned())
        }
        (Element::U16, Data::Bytes2(keys)) => wide(keys, |&key| key.into()),
        (Element::I16, Data::Bytes2(keys)) => {
            wide(keys, |&key| i32::from(key.cast_signed()).cast_unsigned())
        }
        (Element::F16, Data::Bytes2(keys)) => wide(keys, |&key| half::to_f32(key).to_bits()),
        (Element::Bf16, Data::Bytes2(keys)) => wide(keys, |&key| u32::from(key) << 16),
        _ => keys_of(keys),
    }
}

fn wide<T>(keys: &[T], word: impl Fn(&T) -> u32) -> Cow<'static, Data> {
    Cow::Owned(Data::Bytes4(keys.iter().map(word).collect()))
}

/// Converts keys from the device back to their original type.
pub fn narrowed(element: Element, keys: Data) -> Result<Array> {
    let keys = match (element, keys) {
        (Element::U8 | Element::I8, Data::Bytes4(keys)) => {
            Data::Bytes1(keys.iter().map(|&key| key as u8).collect())
        }
        (Element::U16 | Element::I16, Data::Bytes4(keys)) => {
            Data::Bytes2(keys.iter().map(|&key| key as u16).collect())
        }
        (Element::F16, Data::Bytes4(keys)) => {
            Data::Bytes2(keys.iter().map(|&key| half::from_f32(f32::from_bits(key))).collect())
        }
        (Element::Bf16, Data::Bytes4(keys)) => {
            Data::Bytes2(keys.iter().map(|&key| half::to_bf16(f32::from_bits(key))).collect())
        }
        (Element::Time(_), Data::Bytes8(keys)) => {
            Data::Bytes8(keys.iter().map(|key| key.wrapping_add(1)).collect())
        }
        (_, keys) => keys,
    };
    Array::new(element, keys)
        .context("internal error: the element size does not match the element type")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widened_keys_round_trip() {
        let check_round_trip = |element, data: Data| {
            let array = Array::new(element, data.clone()).expect("the element sizes match");
            let wide = widened(&array).into_owned();
            let narrow = narrowed(element, wide.clone()).expect("the elements can be narrowed");
            assert_eq!(narrow.data(), &data, "{element}");
            wide
        };
        let bytes = Data::Bytes1((0..=255).collect());
        assert_eq!(check_round_trip(Element::U8, bytes.clone()), Data::Bytes4((0..256).collect()));
        let Data::Bytes4(signed) = check_round_trip(Element::I8, bytes) else {
            panic!("widened elements must have 4 bytes")
        };
        assert_eq!(signed[200].cast_signed(), -56);
        check_round_trip(Element::F16, Data::Bytes2((0..=u16::MAX).collect()));
        check_round_trip(Element::Bf16, Data::Bytes2((0..=u16::MAX).collect()));
        check_round_trip(Element::I16, Data::Bytes2((0..=u16::MAX).collect()));
    }
}
