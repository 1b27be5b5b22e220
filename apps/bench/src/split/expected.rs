//! Checks every element of a split against the CPU: ordered by bucket, and stable within a bucket.
//!
//! The reference is a counting sort that does not store its output: it computes the position of each key and
//! compares the key found there. The positions are a permutation, so the whole output is checked. With all CPU cores,
//! this is fast enough to check every one of 2^28 elements.

use std::thread;

use anyhow::{Context as _, Result, bail};

use super::Rule;
use crate::data;

/// The expected position of each key of an input. It is the same for all methods.
pub struct Expected {
    /// The bucket of each key.
    ids: Vec<u16>,
    /// Keys per thread.
    share: usize,
    /// For each thread, the position of its first key of each bucket.
    begins: Vec<Vec<u32>>,
    /// The m + 1 bucket offsets.
    offsets: Vec<u32>,
}

impl Expected {
    /// Computes the positions of `keys` for `rule`.
    pub fn new(rule: &Rule, keys: &[u32]) -> Result<Self> {
        let mut ids = Vec::new();
        ids.try_reserve_exact(keys.len())
            .context("not enough host memory to verify the result; try a smaller --n")?;
        ids.resize(keys.len(), 0u16);
        let (buckets, share) = (rule.buckets as usize, data::share(keys.len()));
        let mut begins = vec![vec![0u32; buckets]; keys.len().div_ceil(share)];
        thread::scope(|scope| {
            let pieces = keys.chunks(share).zip(ids.chunks_mut(share)).zip(&mut begins);
            for ((keys, ids), counts) in pieces {
                scope.spawn(move || {
                    for (key, id) in keys.iter().zip(ids) {
                        let bucket = rule.id(*key);
                        *id = bucket as u16;
                        counts[bucket as usize] += 1;
                    }
                });
            }
        });
        let mut offsets = vec![0; buckets + 1];
        let mut next = 0;
        for (bucket, offset) in offsets.iter_mut().enumerate() {
            *offset = next;
            // The last offset is the end of the last bucket. It has no counts, so `get_mut` returns `None`.
            for count in begins.iter_mut().filter_map(|counts| counts.get_mut(bucket)) {
                (*count, next) = (next, next + *count);
            }
        }
        Ok(Self { ids, share, begins, offsets })
    }

    /// Checks the result of a split of `input`. The input values are indices.
    pub fn check(
        &self,
        input: &[u32],
        offsets: &[u32],
        keys: &[u32],
        values: Option<&[u32]>,
    ) -> Result<()> {
        if offsets != self.offsets {
            bail!("the split is wrong: the bucket offsets are {offsets:?}, not {:?}", self.offsets);
        }
        let n = input.len();
        if keys.len() != n || values.is_some_and(|values| values.len() != n) {
            bail!("the split is wrong: it does not have {n} elements");
        }
        let found = data::per_core(n, |range| {
            self.misplaced(range.start / self.share, input, keys, values)
        });
        let Some((index, place)) = found.into_iter().flatten().next() else { return Ok(()) };
        let (key, bucket) = (input[index], self.ids[index]);
        let got = match values {
            Some(values) => format!("key {} with value {}", keys[place], values[place]),
            None => format!("key {}", keys[place]),
        };
        bail!(
            "the split is wrong: element {place} of {n} is {got}, but should be key {key} (input element {index}, \
             bucket {bucket})"
        );
    }

    /// Finds the first key of a piece that is not at its expected position. Returns its index in the input and that
    /// position.
    fn misplaced(
        &self,
        piece: usize,
        input: &[u32],
        keys: &[u32],
        values: Option<&[u32]>,
    ) -> Option<(usize, usize)> {
        let first = piece * self.share;
        let mut next = self.begins[piece].clone();
        (first..input.len().min(first + self.share)).find_map(|index| {
            let next = &mut next[usize::from(self.ids[index])];
            let place = *next as usize;
            *next += 1;
            let right = values.is_none_or(|values| values[place] as usize == index);
            (keys[place] != input[index] || !right).then_some((index, place))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Expected;
    use crate::split::{Function, Rule};

    const INPUT: [u32; 6] = [2, 0, 2, 1, 0, 2];
    const OFFSETS: [u32; 4] = [0, 2, 3, 6];
    const KEYS: [u32; 6] = [0, 0, 1, 2, 2, 2];

    fn check(offsets: &[u32], keys: &[u32], values: Option<&[u32]>) -> Result<(), String> {
        let expected = Expected::new(&Rule::new(Function::Identity, 3), &INPUT)
            .expect("the positions can be computed");
        expected.check(&INPUT, offsets, keys, values).map_err(|error| error.to_string())
    }

    #[test]
    fn correct_splits_pass() {
        assert_eq!(check(&OFFSETS, &KEYS, None), Ok(()));
        assert_eq!(check(&OFFSETS, &KEYS, Some(&[1, 4, 3, 0, 2, 5])), Ok(()));
        let nothing = Expected::new(&Rule::new(Function::Delta, 2), &[])
            .expect("the positions can be computed");
        assert!(nothing.check(&[], &[0, 0, 0], &[], None).is_ok());
    }

    #[test]
    fn wrong_splits_are_reported() {
        let offsets = check(&[0, 2, 4, 6], &KEYS, None).expect_err("a wrong offset was accepted");
        assert!(offsets.contains("bucket offsets"), "{offsets}");
        let key = check(&OFFSETS, &[0, 0, 1, 2, 2, 7], None).expect_err("a wrong key was accepted");
        assert!(key.contains("element 5 of 6 is key 7, but should be key 2"), "{key}");
        let swapped = Some(&[1, 4, 3, 2, 0, 5][..]);
        let order = check(&OFFSETS, &KEYS, swapped).expect_err("an unstable order was accepted");
        assert!(order.contains("with value 2"), "{order}");
        assert!(check(&OFFSETS, &KEYS[..5], None).is_err());
    }
}
