//! Checks that arrays are sorted, searches them, and verifies merges and searches on the CPU.

use anyhow::{Result, bail};
use multisplit::Context;
use multisplit::operations::{Merge, Search};
use multisplit_bench::key_order::rank;
use multisplit_bench::size;
use rayon::prelude::*;

use crate::formats::Place;
use crate::number::Number;

/// Maps a key to an unsigned number, so that keys sorted as given by `how` have ascending numbers.
fn place_in_order<K: Number>(how: Merge, key: K) -> u64 {
    match how {
        Merge::Ascending => rank(key),
        Merge::Descending => !rank(key),
    }
}

/// Rejects arrays that are not sorted, because results would be wrong.
pub fn check<K: Number>(place: &Place, how: Merge, keys: &[K]) -> Result<()> {
    let rank = |key: K| place_in_order(how, key);
    let falls = keys.windows(2).position(|pair| rank(pair[1]) < rank(pair[0]));
    let Some(at) = falls.map(|before| size::grouped(before as u64 + 1)) else { return Ok(()) };
    match how {
        Merge::Ascending => bail!(
            "{place} is not sorted: element {at}, counted from 0, is less than the previous one; sort it first"
        ),
        Merge::Descending => bail!(
            "{place} is not sorted from large to small: element {at}, counted from 0, is greater than the \
             previous one; sort it first, or omit --descending"
        ),
    }
}

/// Compares a merge with one on the CPU.
pub fn verify_merge<K: Number>(how: Merge, first: &[K], second: &[K], merged: &[K]) -> Result<()> {
    let (a, b, found) = (first.len(), second.len(), merged.len());
    if found != a + b {
        bail!("the merge is wrong: {a} and {b} elements were merged into {found}");
    }
    let (mut i, mut j) = (0, 0);
    for (at, &found) in merged.iter().enumerate() {
        let take_first = match (first.get(i), second.get(j)) {
            (Some(&a), Some(&b)) => place_in_order(how, a) <= place_in_order(how, b),
            (one, _) => one.is_some(),
        };
        let expected = if take_first { first.get(i) } else { second.get(j) };
        (i, j) = (i + usize::from(take_first), j + usize::from(!take_first));
        // Compare bits, because NaN is not equal to itself.
        if expected.map(|key| key.key_bits()) != Some(found.key_bits()) {
            bail!("the merge is wrong: element {at} differs from the CPU's result");
        }
    }
    Ok(())
}

/// For each needle, counts the elements of `sorted` that are less, or less or equal, as given by `how`.
pub fn search<K: Number>(
    context: &Context,
    how: Search,
    sorted: &[K],
    needles: &[K],
) -> Result<Vec<u32>> {
    if u32::try_from(sorted.len()).is_err() {
        bail!(
            "the first input has {} numbers, but at most 4,294,967,295 are supported (positions are 32-bit)",
            sorted.len()
        );
    }
    Ok(match how {
        Search::LowerBound => context.lower_bound(sorted, needles)?,
        Search::UpperBound => context.upper_bound(sorted, needles)?,
    })
}

/// Compares positions with those of a search on the CPU.
pub fn verify_search<K: Number>(
    how: Search,
    sorted: &[K],
    needles: &[K],
    positions: &[u32],
) -> Result<()> {
    let (n, found) = (needles.len(), positions.len());
    if found != n {
        bail!("the search is wrong: it returned {found} positions for {n} numbers");
    }
    let expected = |needle: K| {
        sorted.partition_point(|&key| match how {
            Search::LowerBound => rank(key) < rank(needle),
            Search::UpperBound => rank(key) <= rank(needle),
        })
    };
    let all = needles.par_iter().zip(positions);
    let differs = |(&needle, &found): (&K, &u32)| found as usize != expected(needle);
    if let Some(at) = all.position_first(differs) {
        let (found, expected) = (positions[at], expected(needles[at]));
        bail!(
            "the search is wrong: the position of needle {at} is {found}, but {expected} on the CPU"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn wrong_merges_are_detected() {
        assert!(verify_merge(Merge::Ascending, &[1u32, 3], &[2], &[1, 2, 3]).is_ok());
        assert!(verify_merge(Merge::Ascending, &[1u32, 3], &[2], &[1, 3, 2]).is_err());
    }

    #[test]
    fn unsorted_arrays_are_reported_with_the_position() {
        let place = Place::new(Path::new("a.npy"));
        assert!(check(&place, Merge::Ascending, &[-0.0f32, 0.0, f32::NAN]).is_ok());
        let problem = check(&place, Merge::Ascending, &[1u32, 2, 1])
            .expect_err("an unsorted array was accepted");
        assert!(problem.to_string().contains("a.npy is not sorted: element 2"), "{problem}");
        let problem = check(&place, Merge::Descending, &[1u32, 2])
            .expect_err("an unsorted array was accepted");
        assert!(problem.to_string().contains("from large to small: element 1"), "{problem}");
        assert!(check::<u32>(&place, Merge::Descending, &[]).is_ok());
    }
}
