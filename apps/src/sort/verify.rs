//! Whether a sort is the CPU's: `--verify`.

use anyhow::{Result, bail};
use multisplit::primitives::sort::Sort;

use super::{Sorted, gathered, gathered_data, indices};
use crate::files::Data;
use crate::word::{Word, ordered};

/// Compares a sort of `keys` and `values` with what the CPU makes of them, every element.
pub fn verify<K: Word>(
    sort: &Sort,
    keys: &[K],
    values: Option<&Data>,
    sorted: &Sorted<K>,
) -> Result<()> {
    let mut order = indices(keys.len())?;
    let rank = |&index: &u32| {
        let rank = ordered(sort.key, keys[index as usize].bits());
        if sort.descending { !rank } else { rank }
    };
    order.sort_by_key(rank);
    let wrong = |what: &str, at: Option<usize>| match at {
        Some(at) => format!("the sort is wrong: {what} {at} of {} is not the CPU's", keys.len()),
        None => format!("the sort is wrong: not as many {what}s came back as went in"),
    };
    if let Some(at) = difference(&gathered(keys, &order), &sorted.keys) {
        bail!(wrong("key", at));
    }
    if let Some(found) = &sorted.order
        && let Some(at) = difference(&order, found)
    {
        bail!(wrong("index", at));
    }
    let expected = values.map(|values| gathered_data(values, &order)).transpose()?;
    if let Some((expected, found)) = expected.zip(sorted.values.as_ref())
        && let Some(at) = difference(expected.bytes(), found.bytes())
    {
        bail!(wrong("value", at.map(|byte| byte / expected.element_bytes())));
    }
    Ok(())
}

/// The first place where two arrays differ; none inside where they differ in length.
fn difference<T: PartialEq>(expected: &[T], found: &[T]) -> Option<Option<usize>> {
    if expected.len() != found.len() {
        return Some(None);
    }
    expected.iter().zip(found).position(|(expected, found)| expected != found).map(Some)
}
