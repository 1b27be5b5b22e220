//! Verification of sorts against the CPU: `--verify`.

use anyhow::{Result, bail};
use rayon::prelude::*;

use super::request::{self, SortRequest, Sorted};
use crate::formats::Data;
use crate::number::Number;

/// Compares every element of a sort of `keys` and `values` with the CPU's result. The CPU sorts on all cores.
pub fn verify<K: Number>(
    request: SortRequest,
    keys: &[K],
    values: Option<&Data>,
    sorted: &Sorted<K>,
) -> Result<()> {
    let n = keys.len();
    let lost = |what: &str| format!("the sort is wrong: the number of {what} has changed");
    let wrong = |what: &str, at: usize| {
        format!("the sort is wrong: {what} {at} of {n} differs from the CPU's result")
    };
    if sorted.keys.len() != n {
        bail!(lost("keys"));
    }
    if sorted.order.as_ref().is_some_and(|order| order.len() != n) {
        bail!(lost("indices"));
    }
    if let (Some(from), Some(to)) = (values, &sorted.values)
        && (to.len() != n || to.element_bytes() != from.element_bytes())
    {
        bail!("the sort is wrong: the number or size of the values has changed");
    }
    let length = request.rows.map_or(n, |length| length as usize).max(1);
    if sorted.order.is_none() && values.is_none() {
        // Comparing ranks is enough, because keys with equal ranks have equal bits.
        let at = match size_of::<K>() {
            ..=4 => wrong_key(keys, &sorted.keys, length, |key| request.rank(key) as u32),
            _ => wrong_key(keys, &sorted.keys, length, |key| request.rank(key)),
        };
        return at.map_or(Ok(()), |at| bail!(wrong("key", at)));
    }
    let order = match size_of::<K>() {
        ..=4 => stable_order(
            keys,
            length,
            |key, index| (request.rank(key) << 32) | u64::from(index),
            |packed| packed as u32,
        )?,
        _ => stable_order(
            keys,
            length,
            |key, index| (u128::from(request.rank(key)) << 32) | u128::from(index),
            |packed| packed as u32,
        )?,
    };
    // Compare bits, because NaN is not equal to itself.
    let found = sorted.keys.par_iter().zip(&order);
    let differs = |(key, &index): (&K, &u32)| key.key_bits() != keys[index as usize].key_bits();
    if let Some(at) = found.position_first(differs) {
        bail!(wrong("key", at));
    }
    if let Some(found) = &sorted.order
        && let Some(at) = request
            .in_whole(found)
            .par_iter()
            .zip(&order)
            .position_first(|(found, expected)| found != expected)
    {
        bail!(wrong("index", at));
    }
    if let (Some(from), Some(to)) = (values, &sorted.values) {
        let bytes = from.element_bytes();
        let from = |index: u32| &from.bytes()[index as usize * bytes..][..bytes];
        let found = to.bytes().par_chunks(bytes).zip(&order);
        if let Some(at) = found.position_first(|(found, &index)| found != from(index)) {
            bail!(wrong("value", at));
        }
    }
    Ok(())
}

/// Index of the first key of `found` that differs from the rows of `keys` sorted by rank.
fn wrong_key<K: Number, R: Ord + Copy + Send + Sync>(
    keys: &[K],
    found: &[K],
    length: usize,
    rank: impl Fn(K) -> R + Sync,
) -> Option<usize> {
    let mut expected: Vec<R> = keys.par_iter().map(|&key| rank(key)).collect();
    expected.par_chunks_mut(length).for_each(|row| row.par_sort_unstable());
    let found = found.par_iter().zip(&expected);
    found.position_first(|(&found, expected)| rank(found) != *expected)
}

/// The index of each key after a stable sort of the rows. Keys are packed with their indices, so that no two
/// are equal and an unstable sort gives the same order.
fn stable_order<K: Number, P: Ord + Copy + Send + Sync>(
    keys: &[K],
    length: usize,
    pack: impl Fn(K, u32) -> P + Sync,
    index: impl Fn(P) -> u32 + Send + Sync,
) -> Result<Vec<u32>> {
    let indices = request::indices(keys.len())?;
    let pairs = keys.par_iter().zip(indices);
    let mut packed: Vec<P> = pairs.map(|(&key, index)| pack(key, index)).collect();
    packed.par_chunks_mut(length).for_each(|row| row.par_sort_unstable());
    Ok(packed.into_par_iter().map(index).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(
        rows: Option<u64>,
        keys: &[f64],
        out: &[f64],
        values: Option<[&[u32]; 2]>,
        order: Option<&[u32]>,
    ) -> Result<(), String> {
        let request = SortRequest { descending: true, rows, ..SortRequest::default() };
        let [from, to] = match values {
            Some(both) => both.map(|values| Some(Data::Bytes4(values.to_vec()))),
            None => [None, None],
        };
        let order = order.map(<[u32]>::to_vec);
        let sorted = Sorted { keys: out.to_vec(), values: to, order, whole: true };
        verify(request, keys, from.as_ref(), &sorted).map_err(|error| error.to_string())
    }

    #[test]
    fn correct_sorts_pass_and_wrong_sorts_are_reported() {
        let keys = [1.0, f64::NAN, -0.0, 0.0, 1.0];
        let out = [f64::NAN, 1.0, 1.0, 0.0, -0.0];
        let order: &[u32] = &[1, 0, 4, 3, 2];
        let values: [&[u32]; 2] = [&[10, 11, 12, 13, 14], &[11, 10, 14, 13, 12]];
        for (values, order) in [(None, None), (Some(values), None), (None, Some(order))] {
            assert_eq!(check(None, &keys, &out, values, order), Ok(()));
            let mut bad = out;
            bad.swap(3, 4);
            let problem =
                check(None, &keys, &bad, values, order).expect_err("swapped zeros were accepted");
            assert!(problem.contains("key 3 of 5 differs"), "{problem}");
            assert!(check(None, &keys, &out[..4], values, order).is_err());
        }
        // Equal keys keep their order.
        let unstable: &[u32] = &[1, 4, 0, 3, 2];
        let problem = check(None, &keys, &out, None, Some(unstable))
            .expect_err("an unstable order was accepted");
        assert!(problem.contains("index 1 of 5 differs"), "{problem}");
        let unstable: [&[u32]; 2] = [values[0], &[11, 14, 10, 13, 12]];
        let problem = check(None, &keys, &out, Some(unstable), None)
            .expect_err("an unstable order was accepted");
        assert!(problem.contains("value 1 of 5 differs"), "{problem}");
        // Rows are sorted separately, and their indices are relative to the start of the row.
        let (keys, out) = ([1.0, 2.0, 3.0, 4.0], [2.0, 1.0, 4.0, 3.0]);
        assert_eq!(check(Some(2), &keys, &out, None, None), Ok(()));
        assert_eq!(check(Some(2), &keys, &out, None, Some(&[1, 0, 1, 0])), Ok(()));
        assert!(check(None, &keys, &out, None, None).is_err());
    }
}
