//! Verification of splits against the CPU: `--verify`.

use std::collections::HashMap;

use anyhow::{Context as _, Result, bail};

use multisplit::Key;
use rayon::prelude::*;

use super::{KeyRule, Whole};
use crate::formats::Data;
use crate::number::Number;

/// Compares every element of a split of `keys` and `values` with the CPU's result.
///
/// Only the device can evaluate a user's GLSL function, so for such a function the buckets are taken from the
/// result. This still checks that equal keys share a bucket and that the split is stable and complete.
pub fn verify<K: Number>(
    rule: &KeyRule<K>,
    keys: &[K],
    values: Option<&Data>,
    whole: &Whole<K>,
) -> Result<()> {
    if whole.keys.len() != keys.len() {
        bail!("the split is wrong: it has {} elements, not {}", whole.keys.len(), keys.len());
    }
    let seen = seen_buckets(rule, whole)?;
    let bucket = |&key: &K| rule.id(key).or_else(|| seen.get(&key.key_bits()).copied());
    let ids: Option<Vec<u64>> = keys.par_iter().map(bucket).collect();
    let ids = ids.context("the split is wrong: a key is missing")?;

    let mut next = vec![0; rule.buckets as usize + 1];
    for &id in &ids {
        let count = next.get_mut(id as usize + 1);
        *count.context("the split is wrong: on the CPU, the bucket of a key is out of range")? += 1;
    }
    for bucket in 1..next.len() {
        next[bucket] += next[bucket - 1];
    }
    if whole.offsets != next {
        bail!("the split is wrong: the bucket offsets are {:?}, not {next:?}", whole.offsets);
    }
    let pair = values.zip(whole.values.as_ref());
    for (index, (key, &id)) in keys.iter().zip(&ids).enumerate() {
        let place = next[id as usize] as usize;
        next[id as usize] += 1;
        // Compare bits, because NaN is not equal to itself.
        let same_key = whole.keys[place].key_bits() == key.key_bits();
        if !same_key || pair.is_some_and(|(from, to)| !same(from, index, to, place)) {
            let n = keys.len();
            bail!(
                "the split is wrong: element {place} of {n} differs from the CPU's result, which is input element {index} (bucket {id})"
            );
        }
    }
    Ok(())
}

/// For a user's function, maps the bits of each key to the bucket that contains the key in the result. Otherwise empty.
fn seen_buckets<K: Key>(rule: &KeyRule<K>, whole: &Whole<K>) -> Result<HashMap<u64, u64>> {
    let mut seen = HashMap::new();
    if rule.glsl().is_none() {
        return Ok(seen);
    }
    for (bucket, ends) in whole.offsets.windows(2).enumerate() {
        let keys = whole.keys.get(ends[0] as usize..ends[1] as usize);
        for &key in keys.context("the split is wrong: its offsets are invalid")? {
            let before = *seen.entry(key.key_bits()).or_insert(bucket as u64);
            if before != bucket as u64 {
                bail!("the split is wrong: a key is in bucket {before} and in bucket {bucket}");
            }
        }
    }
    Ok(seen)
}

/// Whether value `index` of `from` equals value `place` of `to`.
fn same(from: &Data, index: usize, to: &Data, place: usize) -> bool {
    let bytes = from.element_bytes();
    let [from_bytes, to_bytes] = [(from, index), (to, place)]
        .map(|(data, at)| data.bytes().get(at * bytes..(at + 1) * bytes));
    to.element_bytes() == bytes && from_bytes == to_bytes
}

#[cfg(test)]
mod tests {
    use multisplit::operations::split::Method;

    use super::*;
    use crate::split::KeyFunction;

    fn check(function: KeyFunction<u32>, out: &[u32], values: &[u32], offsets: &[u64]) -> bool {
        let rule = KeyRule { buckets: 2, function };
        let whole = Whole {
            keys: out.to_vec(),
            values: Some(Data::Bytes4(values.to_vec())),
            offsets: offsets.to_vec(),
            method: Method::Direct,
            parts: 1,
        };
        let indices = Data::Bytes4((0..4).collect());
        verify(&rule, &[1, 0, 1, 0], Some(&indices), &whole).is_ok()
    }

    #[test]
    fn correct_splits_pass_and_wrong_splits_fail() {
        let glsl = || KeyFunction::Glsl(Box::default());
        for function in [KeyFunction::Identity, glsl()] {
            assert!(check(function.clone(), &[0, 0, 1, 1], &[1, 3, 0, 2], &[0, 2, 4]));
            assert!(!check(function.clone(), &[0, 0, 1, 1], &[3, 1, 0, 2], &[0, 2, 4]));
            assert!(!check(function.clone(), &[0, 0, 1, 1], &[1, 3, 0, 2], &[0, 1, 4]));
            assert!(!check(function, &[0, 0, 0, 1], &[1, 3, 0, 2], &[0, 2, 4]));
        }
        // Only the device can evaluate the function, so any order of the buckets is accepted.
        assert!(check(glsl(), &[1, 1, 0, 0], &[0, 2, 1, 3], &[0, 2, 4]));
        assert!(!check(KeyFunction::Identity, &[1, 1, 0, 0], &[0, 2, 1, 3], &[0, 2, 4]));
    }
}
