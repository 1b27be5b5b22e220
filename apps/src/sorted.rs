//! What is done with sorted arrays of any size, merges and searches: in one go where they fit the device, else
//! part by part.

use anyhow::{Result, bail};
use multisplit::primitives::{Merge, Search};

use crate::file_key::{FileKey, rank};
use crate::formats::Place;
use crate::parts::{Room, in_order};
use crate::size;

/// An unsigned number that ascends where the keys go as `how` says.
fn place_in_order<K: FileKey>(how: Merge, key: K) -> u64 {
    match how {
        Merge::Ascending => rank(key),
        Merge::Descending => !rank(key),
    }
}

/// Refuses what is not in order: of an array that is not sorted, results would be wrong.
pub fn check<K: FileKey>(place: &Place, how: Merge, keys: &[K]) -> Result<()> {
    let rank = |key: K| place_in_order(how, key);
    let falls = keys.windows(2).position(|pair| rank(pair[1]) < rank(pair[0]));
    let Some(at) = falls.map(|before| size::grouped(before as u64 + 1)) else { return Ok(()) };
    match how {
        Merge::Ascending => bail!(
            "{place} is not sorted: element {at}, counted from 0, is below the one before it; sort it first"
        ),
        Merge::Descending => bail!(
            "{place} is not sorted from large to small: element {at}, counted from 0, is above the one before \
             it; sort it first, or leave out --descending"
        ),
    }
}

/// How many of the first `count` elements of the merged arrays are of the first one, whose elements come before
/// equal ones of the second.
fn of_first<K: FileKey>(how: Merge, first: &[K], second: &[K], count: usize) -> usize {
    let mut low = count.saturating_sub(second.len());
    let mut high = count.min(first.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let other = second[count - middle - 1];
        if place_in_order(how, first[middle]) <= place_in_order(how, other) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// Both arrays in one.
pub fn merge<K: FileKey>(room: &Room<'_>, how: Merge, first: &[K], second: &[K]) -> Result<Vec<K>> {
    let bytes = size_of::<K>() as u64;
    let n = first.len() + second.len();
    let mut merged = Vec::with_capacity(n);
    in_order(n, room.max_elements(2 * bytes, bytes), |part| {
        let [begin, end] = [part.start, part.end].map(|at| of_first(how, first, second, at));
        let others = &second[part.start - begin..part.end - end];
        merged.extend(room.context.merge_with(&first[begin..end], others, how)?);
        Ok(())
    })?;
    Ok(merged)
}

/// Compares a merge with the CPU's.
pub fn verify_merge<K: FileKey>(how: Merge, first: &[K], second: &[K], merged: &[K]) -> Result<()> {
    if merged.len() != first.len() + second.len() {
        bail!("the merge of {} and {} elements has {}", first.len(), second.len(), merged.len());
    }
    let (mut i, mut j) = (0, 0);
    for (at, &found) in merged.iter().enumerate() {
        let take_first = match (first.get(i), second.get(j)) {
            (Some(&a), Some(&b)) => place_in_order(how, a) <= place_in_order(how, b),
            (one, _) => one.is_some(),
        };
        let expected = if take_first { first.get(i) } else { second.get(j) };
        (i, j) = (i + usize::from(take_first), j + usize::from(!take_first));
        // By their bits, because NaN is not equal to itself.
        if expected.map(|key| key.key_bits()) != Some(found.key_bits()) {
            bail!("the merge is wrong: element {at} differs from the CPU's result");
        }
    }
    Ok(())
}

/// For each needle, how many elements of `sorted` are less, or less or equal. Of parts of `sorted` that is the
/// sum of what each part gives.
pub fn search<K: FileKey>(
    room: &Room<'_>,
    how: Search,
    sorted: &[K],
    needles: &[K],
) -> Result<Vec<u32>> {
    if u32::try_from(sorted.len()).is_err() {
        bail!("positions have 32 bits, and there are {} sorted elements", sorted.len());
    }
    let bytes = size_of::<K>() as u64;
    let mut positions = Vec::with_capacity(needles.len());
    // Half of the memory is for each.
    in_order(needles.len(), room.max_elements(2 * (bytes + 4), bytes), |wanted| {
        let wanted = &needles[wanted];
        let mut found = vec![0u32; wanted.len()];
        in_order(sorted.len(), room.max_elements(2 * bytes, bytes), |part| {
            let part = &sorted[part];
            let before = match how {
                Search::LowerBound => room.context.lower_bound(part, wanted)?,
                Search::UpperBound => room.context.upper_bound(part, wanted)?,
            };
            found.iter_mut().zip(before).for_each(|(sum, before)| *sum += before);
            Ok(())
        })?;
        positions.extend(found);
        Ok(())
    })?;
    Ok(positions)
}

/// Compares positions with the CPU's.
pub fn verify_search<K: FileKey>(
    how: Search,
    sorted: &[K],
    needles: &[K],
    positions: &[u32],
) -> Result<()> {
    if positions.len() != needles.len() {
        bail!("the search for {} needles gave {} positions", needles.len(), positions.len());
    }
    for (at, (&needle, &found)) in needles.iter().zip(positions).enumerate() {
        let expected = sorted.partition_point(|&key| match how {
            Search::LowerBound => rank(key) < rank(needle),
            Search::UpperBound => rank(key) <= rank(needle),
        });
        if found as usize != expected {
            bail!("the search is wrong: position {at} is {found}, and {expected} on the CPU");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use multisplit::primitives::Merge;

    use super::{check, of_first, verify_merge};
    use crate::formats::Place;

    #[test]
    fn parts_of_a_merge_begin_where_those_before_end() {
        let (first, second) = ([1u32, 3, 3, 9], [0u32, 3, 3, 4, 10]);
        let found: Vec<usize> =
            (0..=9).map(|count| of_first(Merge::Ascending, &first, &second, count)).collect();
        assert_eq!(found, [0, 0, 1, 2, 3, 3, 3, 3, 4, 4]);
        assert_eq!(of_first(Merge::Descending, &[5i32, 1], &[4, 4, 2], 3), 1);
        assert!(verify_merge(Merge::Ascending, &[1u32, 3], &[2], &[1, 2, 3]).is_ok());
        assert!(verify_merge(Merge::Ascending, &[1u32, 3], &[2], &[1, 3, 2]).is_err());
    }

    #[test]
    fn what_is_not_sorted_is_named_with_its_place() {
        let place = Place::new(Path::new("a.npy"));
        assert!(check(&place, Merge::Ascending, &[-0.0f32, 0.0, f32::NAN]).is_ok());
        let problem = check(&place, Merge::Ascending, &[1u32, 2, 1]).expect_err("not sorted");
        assert!(problem.to_string().contains("a.npy is not sorted: element 2"), "{problem}");
        let problem = check(&place, Merge::Descending, &[1u32, 2]).expect_err("not sorted");
        assert!(problem.to_string().contains("from large to small: element 1"), "{problem}");
        assert!(check::<u32>(&place, Merge::Descending, &[]).is_ok());
    }
}
