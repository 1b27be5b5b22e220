//! Sorts of keys that fit the device, by rounds of splits: a digit a round, from the lowest on.

use anyhow::Result;
use bytemuck::Pod;
use multisplit::Context;
use multisplit::primitives::multisplit::{Bucket, KeyType, Method, Split};

use crate::word::Word;

/// What is sorted, and how.
#[derive(Clone, Copy, Debug)]
pub struct Sort {
    pub key: KeyType,
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
    let mut sorted = keys.to_vec();
    for split in rounds(sort) {
        sorted = context.split(&split, &sorted)?.keys;
    }
    Ok(sorted)
}

/// Sorts `keys`, each of which takes its value along; stable.
pub fn pairs<K: Word, V: Pod>(
    context: &Context,
    sort: &Sort,
    keys: &[K],
    values: &[V],
) -> Result<(Vec<K>, Vec<V>)> {
    let (mut keys, mut values) = (keys.to_vec(), values.to_vec());
    for split in rounds(sort) {
        let result = context.split_pairs(&split, &keys, &values)?;
        (keys, values) = (result.keys, result.values);
    }
    Ok((keys, values))
}

/// Bytes of device memory that a sort takes for each element, in all arrays together.
pub fn bytes_each(key_bytes: usize, value_bytes: usize) -> usize {
    2 * (key_bytes + value_bytes)
}

fn rounds(sort: &Sort) -> impl Iterator<Item = Split> + use<> {
    let Sort { key, descending, method } = *sort;
    let (method, radix_bits) = match method {
        SortMethod::Auto => (Method::Auto, RADIX_BITS),
        SortMethod::OneSweep => (Method::OneSweep, RADIX_BITS),
        SortMethod::Multisplit { radix_bits } => (Method::Auto, radix_bits),
    };
    (0..key.bits()).step_by(radix_bits as usize).map(move |shift| {
        let bits = radix_bits.min(key.bits() - shift);
        let digit = Bucket::OrderedDigit { shift, bits, descending };
        Split::new(key, 1 << bits, digit).by(method)
    })
}
