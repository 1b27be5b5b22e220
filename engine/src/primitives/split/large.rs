//! Splits of arrays that one plan cannot hold: by pieces, whose buckets are then put next to each other.

use bytemuck::Pod;

use super::full_sort;
use super::host::Output;
use super::narrow::of_words;
use crate::device::context::Context;
use crate::error::{Error, Result};
use crate::memory::Array;
use crate::primitives::key::{Key, KeyType};
use crate::primitives::large::{Extent, PieceOutput, PieceSplitter, Places, Records, SplitPiece};
use crate::primitives::multisplit::{Buckets, Method, check_function};
use crate::primitives::narrow::{Form, narrow_array, widen_array};
use crate::primitives::sort::{Sort, sort_large};
use crate::primitives::{Count, Policy, copy_into};

/// Splits arrays of up to 2^32 - 1 elements. The outputs may be the inputs, except of a full sort.
pub(super) fn split_large<K: Key, V: Pod>(
    at: (&Context, &Policy),
    keys: &Array<K>,
    output: Output<'_, K, V>,
    buckets: &Buckets<K>,
) -> Result<(Array<u32>, Method)> {
    if K::TYPE.is_narrow() {
        return split_words(at, keys, output, buckets);
    }
    if buckets.split().method == Method::FullSort {
        return sort_fully(at, keys, output, buckets);
    }
    let (context, _) = at;
    let n = keys.len();
    let spare_keys;
    let spare_values;
    let (given, to) = match output {
        Output::Keys(_) => {
            spare_keys = Array::uninit(context, "split.keys", n)?;
            let to = Records::<K, V>::new(&spare_keys, None);
            (Records::new(keys, None), PieceOutput::Elements(to))
        }
        Output::Pairs { values: (values, _), .. } => {
            spare_keys = Array::uninit(context, "split.keys", n)?;
            spare_values = Array::uninit(context, "split.values", n)?;
            let to = Records::new(&spare_keys, Some(&spare_values));
            (Records::new(keys, Some(values)), PieceOutput::Elements(to))
        }
        Output::Permutation(words) => (Records::new(keys, None), PieceOutput::Permutation(words)),
    };
    let (pieces, method) = split_pieces(at, given, to, buckets)?;
    let places = Places::new(&pieces, buckets.count(), 0);
    match output {
        Output::Keys(keys) => places.move_all(at, &pieces, Records::new(keys, None))?,
        Output::Pairs { keys, values: (_, values) } => {
            places.move_all(at, &pieces, Records::new(keys, Some(values)))?;
        }
        Output::Permutation(words) => places.place_all(at, &pieces, words)?,
    }
    Ok((offsets_of(context, &places)?, method))
}

/// Splits narrow keys as words, which take four times their memory, or twice that.
fn split_words<K: Key, V: Pod>(
    at: (&Context, &Policy),
    keys: &Array<K>,
    output: Output<'_, K, V>,
    buckets: &Buckets<K>,
) -> Result<(Array<u32>, Method)> {
    check_function(at.1, buckets.split())?;
    let (split, form) = of_words(buckets.split());
    let given = (keys, output, form);
    match split.key {
        KeyType::I32 => split_as::<K, i32, V>(at, given, &split.into()),
        KeyType::F32 => split_as::<K, f32, V>(at, given, &split.into()),
        _ => split_as::<K, u32, V>(at, given, &split.into()),
    }
}

fn split_as<K: Key, W: Key, V: Pod>(
    at: (&Context, &Policy),
    (keys, output, form): (&Array<K>, Output<'_, K, V>, Form),
    buckets: &Buckets<W>,
) -> Result<(Array<u32>, Method)> {
    let words = widen_array::<K, W>(at, form, keys)?;
    let full_sort = buckets.split().method == Method::FullSort;
    // A full sort reads its input again.
    let out = if full_sort { Array::uninit(at.0, "keys.out", keys.len())? } else { words.clone() };
    let (wide, to) = match output {
        Output::Keys(keys) => (Output::Keys(&out), Some(keys)),
        Output::Pairs { keys, values } => (Output::Pairs { keys: &out, values }, Some(keys)),
        Output::Permutation(places) => (Output::Permutation(places), None),
    };
    let split = split_large::<W, V>(at, &words, wide, buckets)?;
    if let Some(to) = to {
        narrow_array(at, form, &out, to)?;
    }
    Ok(split)
}

/// Splits every piece. Keys that belong to no bucket are an error.
fn split_pieces<'r, K: Key, V: Pod>(
    (context, policy): (&Context, &Policy),
    given: Records<'r, K, V>,
    to: PieceOutput<'r, K, V>,
    buckets: &Buckets<K>,
) -> Result<(Vec<SplitPiece<'r, K, V>>, Method)> {
    // A permutation's words are no wider than keys.
    let extent = Extent::of(policy, given.widest());
    let mut splitter = PieceSplitter::new((context, policy), buckets)?;
    let mut pieces = Vec::new();
    for piece in extent.pieces(0..given.keys.len()) {
        let to = match to {
            PieceOutput::Elements(records) => PieceOutput::Elements(records.from(piece.start)),
            words => words,
        };
        let len = piece.end - piece.start;
        pieces.push(splitter.split(given.from(piece.start), to, len)?);
    }
    match splitter.keys_out_of_range {
        0 => Ok((pieces, splitter.method)),
        keys => Err(Error::BucketOutOfRange { keys, buckets: buckets.count() }),
    }
}

/// A sort by the whole key. Where buckets begin is counted by a split whose elements go nowhere.
fn sort_fully<K: Key, V: Pod>(
    at: (&Context, &Policy),
    keys: &Array<K>,
    output: Output<'_, K, V>,
    buckets: &Buckets<K>,
) -> Result<(Array<u32>, Method)> {
    let (context, policy) = at;
    let n = keys.len();
    let sort = match full_sort::sort_of(buckets.split(), Count::Host(n))?.descending {
        true => Sort::descending(),
        false => Sort::ascending(),
    };
    let sorted = match output {
        Output::Keys(out) => Records::new(out, None),
        Output::Pairs { keys: out, values: (values, values_out) } => {
            copy_into(context, values, values_out)?;
            Records::new(out, Some(values_out))
        }
        Output::Permutation(_) => {
            let what = "number of keys of a permutation by a full sort";
            return Err(Error::TooLarge { what, asked: n, limit: policy.max_elements });
        }
    };
    copy_into(context, keys, sorted.keys)?;
    let places = {
        let spare = Array::uninit(context, "split.keys", n)?;
        let to = PieceOutput::Elements(Records::<K, V>::new(&spare, None));
        let counted = buckets.clone().method(Method::Auto);
        let (pieces, _) = split_pieces(at, Records::new(keys, None), to, &counted)?;
        Places::new(&pieces, buckets.count(), 0)
    };
    sort_large(at, sorted, &sort)?;
    Ok((offsets_of(context, &places)?, Method::FullSort))
}

fn offsets_of(context: &Context, places: &Places) -> Result<Array<u32>> {
    // At most 2^32 - 1: more elements were refused.
    let offsets: Vec<u32> = places.offsets.iter().map(|&begin| begin as u32).collect();
    context.upload_named("offsets", &offsets)
}
