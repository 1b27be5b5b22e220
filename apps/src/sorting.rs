//! Sorts of keys that fit the device, by rounds of splits: a digit a round, from the lowest on.

use std::ops::Range;

use anyhow::Result;
use bytemuck::Pod;
use multisplit::Context;
use multisplit::primitives::multisplit::{Bucket, KeyType, Method, Split};

use crate::files::Element;
use crate::word::{self, Word};

/// What is sorted, and how.
#[derive(Clone, Copy, Debug)]
pub struct Sort {
    pub key: Element,
    pub descending: bool,
    pub method: SortMethod,
}

/// How a sort is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortMethod {
    /// What suits the device.
    Auto,
    /// Rounds of a single pass with decoupled look-back.
    OneSweep,
    /// Rounds of multisplits of so many bits.
    Multisplit { radix_bits: u32 },
}

/// Bits of a digit where nothing else is asked for.
const RADIX_BITS: u32 = 8;

/// Sorts `keys`; stable.
pub fn keys<K: Word>(context: &Context, sort: &Sort, keys: &[K]) -> Result<Vec<K>> {
    let mut sorted = encoded(sort, keys);
    for split in rounds::<K>(sort) {
        sorted = context.split(&split, &sorted)?.keys;
    }
    Ok(decoded(sort, sorted))
}

/// Sorts `keys`, each of which takes its value along; stable.
pub fn pairs<K: Word, V: Pod>(
    context: &Context,
    sort: &Sort,
    keys: &[K],
    values: &[V],
) -> Result<(Vec<K>, Vec<V>)> {
    let (mut sorted, mut values) = (encoded(sort, keys), values.to_vec());
    for split in rounds::<K>(sort) {
        let result = context.split_pairs(&split, &sorted, &values)?;
        (sorted, values) = (result.keys, result.values);
    }
    Ok((decoded(sort, sorted), values))
}

/// Bytes of device memory that a sort takes for each element, in all arrays together.
pub fn bytes_each(key_bytes: usize, value_bytes: usize) -> usize {
    2 * (key_bytes + value_bytes)
}

fn rounds<K: Word>(sort: &Sort) -> impl Iterator<Item = Split> + use<K> {
    let width = 8 * size_of::<K>() as u32;
    let key = if width == 64 { KeyType::U64 } else { KeyType::U32 };
    let (method, radix_bits) = match sort.method {
        SortMethod::Auto => (Method::Auto, RADIX_BITS),
        SortMethod::OneSweep => (Method::OneSweep, RADIX_BITS),
        SortMethod::Multisplit { radix_bits } => (Method::Auto, radix_bits),
    };
    let digits = (0..width).step_by(radix_bits as usize);
    let digits = digits.map(move |shift| -> Range<u32> { shift..(shift + radix_bits).min(width) });
    digits.map(move |Range { start: shift, end }| {
        let bits = end - shift;
        Split::new(key, 1 << bits, Bucket::Digit { shift, bits }).by(method)
    })
}

/// Keys as unsigned numbers that are to ascend.
fn encoded<K: Word>(sort: &Sort, keys: &[K]) -> Vec<K> {
    let flip = if sort.descending { u64::MAX } else { 0 };
    keys.iter().map(|key| K::from_bits(word::ordered(sort.key, key.bits()) ^ flip)).collect()
}

fn decoded<K: Word>(sort: &Sort, keys: Vec<K>) -> Vec<K> {
    let flip = if sort.descending { u64::MAX } else { 0 };
    let decode = |key: K| {
        let flipped = K::from_bits(key.bits() ^ flip);
        K::from_bits(word::unordered(sort.key, flipped.bits()))
    };
    keys.into_iter().map(decode).collect()
}
