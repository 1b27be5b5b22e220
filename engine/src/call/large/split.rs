//! Splits of arrays that exceed one plan: the pieces are split, and then their buckets are
//! concatenated.

use bytemuck::Pod;

use super::places::Places;
use super::{Extent, Owned, Records, narrow_array, sort_large, widen_array};
use crate::call::Caller;
use crate::call::split::{Output, split_plan};
use crate::elements::key::{Key, KeyType};
use crate::error::{Error, Result};
use crate::memory::Array;
use crate::operations::Count;
use crate::operations::full_sort::sort_of;
use crate::operations::shared::widening::Form;
use crate::operations::sort::Sort;
use crate::operations::split::of_words;
use crate::operations::split::{Buckets, Method, check_function};

/// A piece that has been split into buckets.
pub(super) struct SplitPiece<'a, K, V> {
    /// Location of the split elements; for a permutation, of the input elements.
    pub elements: Records<'a, K, V>,
    pub len: u64,
    /// Start of each bucket within the piece, followed by the length of the piece.
    pub offsets: Vec<u32>,
    /// Number of keys whose bucket index is out of range.
    keys_out_of_range: u64,
    method: Method,
}

impl<'a, K, V> SplitPiece<'a, K, V> {
    /// Creates a piece with a single bucket.
    pub fn of_one_bucket(elements: Records<'a, K, V>, len: u64) -> Self {
        let (offsets, method) = (vec![0, len as u32], Method::Auto);
        Self { elements, len, offsets, keys_out_of_range: 0, method }
    }

    pub fn buckets(&self) -> u32 {
        self.offsets.len().saturating_sub(1) as u32
    }
}

/// Splits a piece of `len` elements.
pub(super) fn split_piece<'a, K: Key, V: Pod>(
    caller: Caller<'_>,
    from: Records<'a, K, V>,
    to: Output<'a, K, V>,
    len: u64,
    buckets: &Buckets<K>,
) -> Result<SplitPiece<'a, K, V>> {
    let split = split_plan(caller, "split.piece", (from, to, len), buckets)?;
    let elements = match to {
        Output::Elements(records) => records,
        Output::Permutation(_) => from,
    };
    let offsets = within(caller.context.download(&split.offsets)?, len);
    let (keys_out_of_range, method) = (split.keys_out_of_range, split.method);
    Ok(SplitPiece { elements, len, offsets, keys_out_of_range, method })
}

/// Splits arrays of up to 2^32 - 1 elements. The outputs may alias the inputs, except for full
/// sorts.
pub(in crate::call) fn split_large<K: Key, V: Pod>(
    caller: Caller<'_>,
    from: Records<'_, K, V>,
    output: Output<'_, K, V>,
    buckets: &Buckets<K>,
) -> Result<(Array<u32>, Method)> {
    if K::TYPE.is_narrow() {
        return split_words(caller, from, output, buckets);
    }
    if buckets.split().method == Method::FullSort {
        return sort_fully(caller, from, output, buckets);
    }
    let spare;
    let to_pieces = match output {
        Output::Elements(_) => {
            spare = Owned::like(caller, "split", from, from.keys.len())?;
            Output::Elements(spare.records())
        }
        words => words,
    };
    let (pieces, method) = split_pieces(caller, from, to_pieces, buckets)?;
    let places = Places::new(&pieces, buckets.count(), 0);
    match output {
        Output::Elements(to) => places.move_all(caller, &pieces, to)?,
        Output::Permutation(words) => places.place_all(caller, &pieces, words)?,
    }
    Ok((offsets_of(caller, &places)?, method))
}

/// Splits narrow keys as words, which take four times the memory of 8-bit keys and twice that of
/// 16-bit keys.
fn split_words<K: Key, V: Pod>(
    caller: Caller<'_>,
    from: Records<'_, K, V>,
    output: Output<'_, K, V>,
    buckets: &Buckets<K>,
) -> Result<(Array<u32>, Method)> {
    check_function(caller.policy, buckets.split())?;
    let (split, form) = of_words(buckets.split());
    match split.key {
        KeyType::I32 => split_as::<K, i32, V>(caller, from, output, form, &split.into()),
        KeyType::F32 => split_as::<K, f32, V>(caller, from, output, form, &split.into()),
        _ => split_as::<K, u32, V>(caller, from, output, form, &split.into()),
    }
}

fn split_as<K: Key, W: Key, V: Pod>(
    caller: Caller<'_>,
    from: Records<'_, K, V>,
    output: Output<'_, K, V>,
    form: Form,
    buckets: &Buckets<W>,
) -> Result<(Array<u32>, Method)> {
    let words = widen_array::<K, W>(caller, form, from.keys)?;
    let wide = Records::new(&words, from.values);
    match output {
        Output::Permutation(places) => {
            split_large(caller, wide, Output::Permutation(places), buckets)
        }
        Output::Elements(to) => {
            // A full sort reads its input again.
            let out = match buckets.split().method {
                Method::FullSort => Array::uninit(caller.context, "keys.out", words.len())?,
                _ => words.clone(),
            };
            let wide_to = Output::Elements(Records::new(&out, to.values));
            let split = split_large(caller, wide, wide_to, buckets)?;
            narrow_array(caller, form, &out, to.keys)?;
            Ok(split)
        }
    }
}

/// Splits every piece. Returns an error if a bucket index is out of range.
fn split_pieces<'a, K: Key, V: Pod>(
    caller: Caller<'_>,
    from: Records<'a, K, V>,
    to: Output<'a, K, V>,
    buckets: &Buckets<K>,
) -> Result<(Vec<SplitPiece<'a, K, V>>, Method)> {
    // The words of a permutation are not wider than keys.
    let extent = Extent::of(caller.policy, from.widest());
    let mut pieces = Vec::new();
    for piece in extent.pieces(0..from.keys.len()) {
        let to = match to {
            Output::Elements(records) => Output::Elements(records.from(piece.start)),
            words => words,
        };
        let (from, len) = (from.from(piece.start), piece.end - piece.start);
        pieces.push(split_piece(caller, from, to, len, buckets)?);
    }
    let method = pieces.last().map_or(Method::Auto, |piece| piece.method);
    match pieces.iter().map(|piece| piece.keys_out_of_range).sum() {
        0 => Ok((pieces, method)),
        keys => Err(Error::BucketOutOfRange { keys, buckets: buckets.count() }),
    }
}

/// Sorts by the whole key. The bucket offsets come from a split whose elements are discarded.
fn sort_fully<K: Key, V: Pod>(
    caller: Caller<'_>,
    from: Records<'_, K, V>,
    output: Output<'_, K, V>,
    buckets: &Buckets<K>,
) -> Result<(Array<u32>, Method)> {
    let n = from.keys.len();
    let sort = match sort_of(buckets.split(), Count::Host(n))?.descending {
        true => Sort::descending(),
        false => Sort::ascending(),
    };
    let Output::Elements(sorted) = output else {
        let what = "number of keys of a permutation with Method::FullSort";
        return Err(Error::TooLarge { what, asked: n, limit: caller.policy.max_elements });
    };
    if let (Some(values), Some(values_out)) = (from.values, sorted.values) {
        caller.context.copy_into(values, values_out)?;
    }
    caller.context.copy_into(from.keys, sorted.keys)?;
    let places = {
        let keys = Records::<K, V>::new(from.keys, None);
        let spare = Owned::like(caller, "split", keys, n)?;
        let counted = buckets.clone().method(Method::Auto);
        let spare = Output::Elements(spare.records());
        let (pieces, _) = split_pieces(caller, keys, spare, &counted)?;
        Places::new(&pieces, buckets.count(), 0)
    };
    sort_large(caller, sorted, &sort)?;
    Ok((offsets_of(caller, &places)?, Method::FullSort))
}

fn offsets_of(caller: Caller<'_>, places: &Places) -> Result<Array<u32>> {
    // At most 2^32 - 1, because larger arrays are rejected.
    let offsets: Vec<u32> = places.offsets.iter().map(|&begin| begin as u32).collect();
    caller.context.upload_named("offsets", &offsets)
}

/// Clamps offsets read from the device to a valid sequence for `len` elements, so that later steps
/// stay within the arrays even if the device wrote wrong values.
fn within(mut offsets: Vec<u32>, len: u64) -> Vec<u32> {
    let end = u32::try_from(len).unwrap_or(u32::MAX);
    let mut before = 0;
    for offset in &mut offsets {
        before = (*offset).clamp(before, end);
        *offset = before;
    }
    if let Some(last) = offsets.last_mut() {
        *last = end;
    }
    if let Some(first) = offsets.first_mut() {
        *first = 0;
    }
    offsets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_stay_within_the_piece() {
        assert_eq!(within(vec![0, 2, 2, 7], 7), [0, 2, 2, 7]);
        assert_eq!(within(vec![3, 9, 2, 4], 7), [0, 7, 7, 7]);
        assert_eq!(within(vec![0, 1, 1, 1], 7), [0, 1, 1, 7]);
    }
}
