//! Splits arrays that exceed one plan. Each piece of the array is split by itself. Then the elements
//! are moved so that each bucket contains its elements from all pieces.

use super::bucket_layout::BucketLayout;
use super::pieces::{Destination, SplitPiece};
use super::{Extent, Owned, Records, narrow_array, sort_large, widen_array};
use crate::call::Caller;
use crate::error::{Error, Result};
use crate::memory::{AnyArray, Input};
use crate::operations::Count;
use crate::operations::full_sort::sort_of;
use crate::operations::sort::Sort;
use crate::operations::split::{Buckets, Method, check_function, of_words};

/// Splits arrays of up to 2^32 - 1 elements. The output arrays may be the input arrays, except for
/// full sorts.
pub(in crate::call) fn split_large(
    caller: Caller<'_>,
    from: Records<'_>,
    output: Destination<'_>,
    buckets: &Buckets,
) -> Result<(AnyArray, Method)> {
    if from.key.is_narrow() {
        return split_words(caller, from, output, buckets);
    }
    if buckets.split().method == Method::FullSort {
        return sort_fully(caller, from, output, buckets);
    }
    let spare;
    let to_pieces = match output {
        Destination::Elements(_) => {
            spare = Owned::like(caller, "split", from, from.keys.len())?;
            Destination::Elements(spare.records())
        }
        words => words,
    };
    let (pieces, method) = split_pieces(caller, from, to_pieces, buckets)?;
    let layout = BucketLayout::new(&pieces, buckets.count(), 0);
    match output {
        Destination::Elements(to) => layout.move_all(caller, &pieces, to)?,
        Destination::Permutation(words) => layout.place_all(caller, &pieces, words)?,
    }
    Ok((offsets_of(caller, &layout)?, method))
}

/// Splits keys of 8 and 16 bits as 32-bit words. These take four times the memory of 8-bit keys,
/// and twice that of 16-bit keys.
fn split_words(
    caller: Caller<'_>,
    from: Records<'_>,
    output: Destination<'_>,
    buckets: &Buckets,
) -> Result<(AnyArray, Method)> {
    check_function(caller.policy, buckets.split())?;
    let (split, form) = of_words(buckets.split());
    let (key, buckets) = ((from.key, form), &Buckets::from(split));
    let words = widen_array(caller, key, from.keys)?;
    let wide = |keys, values| Records::new(buckets.key(), keys, values);
    let Destination::Elements(to) = output else {
        return split_large(caller, wide(&words, from.values), output, buckets);
    };
    // A full sort reads its input again, so it needs separate output arrays.
    let out = match buckets.split().method {
        Method::FullSort => {
            AnyArray::uninit(caller.context, "keys.words_out", words.element(), words.len())?
        }
        _ => words.clone(),
    };
    let wide_to = Destination::Elements(wide(&out, to.values));
    let split = split_large(caller, wide(&words, from.values), wide_to, buckets)?;
    narrow_array(caller, key, &out, to.keys)?;
    Ok(split)
}

/// Splits every piece. Returns an error if the bucket function returned an id that is out of range.
fn split_pieces<'a>(
    caller: Caller<'_>,
    from: Records<'a>,
    to: Destination<'a>,
    buckets: &Buckets,
) -> Result<(Vec<SplitPiece<'a>>, Method)> {
    // A permutation does not need smaller pieces: its elements are at most as large as the keys.
    let extent = Extent::of(caller.policy, from.max_element_bytes());
    let mut pieces = Vec::new();
    for piece in extent.pieces(0..from.keys.len()) {
        let to = match to {
            Destination::Elements(records) => Destination::Elements(records.from(piece.start)),
            words => words,
        };
        let (from, len) = (from.from(piece.start), piece.end - piece.start);
        pieces.push(SplitPiece::new(caller, from, to, len, buckets)?);
    }
    let method = pieces.last().map_or(Method::Auto, |piece| piece.method);
    match pieces.iter().map(|piece| piece.keys_out_of_range).sum() {
        0 => Ok((pieces, method)),
        keys => Err(Error::BucketOutOfRange { keys, buckets: buckets.count() }),
    }
}

/// Implements [`Method::FullSort`]: sorts by the whole key. Takes the bucket offsets from a separate
/// split, and discards the keys that this split writes.
fn sort_fully(
    caller: Caller<'_>,
    from: Records<'_>,
    output: Destination<'_>,
    buckets: &Buckets,
) -> Result<(AnyArray, Method)> {
    let n = from.keys.len();
    let sort = match sort_of(buckets.split(), Count::Host(n))?.descending {
        true => Sort::descending(),
        false => Sort::ascending(),
    };
    let Destination::Elements(sorted) = output else {
        let what = "number of keys of a permutation with Method::FullSort";
        let limit = Extent::of_plan(caller.policy, from.max_element_bytes());
        return Err(Error::TooLarge { what, asked: n, limit });
    };
    if let (Some(values), Some(values_out)) = (from.values, sorted.values) {
        caller.context.copy_into(values, values_out)?;
    }
    caller.context.copy_into(from.keys, sorted.keys)?;
    let layout = {
        let keys = Records { values: None, ..from };
        let spare = Owned::like(caller, "split", keys, n)?;
        let counted = buckets.clone().method(Method::Auto);
        let spare = Destination::Elements(spare.records());
        let (pieces, _) = split_pieces(caller, keys, spare, &counted)?;
        BucketLayout::new(&pieces, buckets.count(), 0)
    };
    sort_large(caller, sorted, &sort)?;
    Ok((offsets_of(caller, &layout)?, Method::FullSort))
}

fn offsets_of(caller: Caller<'_>, layout: &BucketLayout) -> Result<AnyArray> {
    // The cast is lossless, because there are at most 2^32 - 1 elements.
    let offsets: Vec<u32> = layout.offsets.iter().map(|&begin| begin as u32).collect();
    Input::host(&offsets).on_device(caller.context, "offsets")
}
