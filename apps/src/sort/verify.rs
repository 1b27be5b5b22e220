//! Whether a sort is what the CPU computes: `--verify`.

use anyhow::{Result, bail};
use multisplit::Key;

use super::{SortRequest, Sorted, gathered, gathered_data, indices};
use crate::formats::Data;

/// Compares a sort of `keys` and `values` with what the CPU makes of them, every element.
pub fn verify<K: Key>(
    request: SortRequest,
    keys: &[K],
    values: Option<&Data>,
    sorted: &Sorted<K>,
) -> Result<()> {
    let mut order = indices(keys.len())?;
    let length = request.rows.map_or(keys.len(), |length| length as usize).max(1);
    for row in order.chunks_mut(length) {
        row.sort_by_key(|&index| request.rank(keys[index as usize]));
    }
    let wrong = |what: &str, at: Option<usize>| match at {
        Some(at) => format!(
            "the sort is wrong: {what} {at} of {} differs from the CPU's result",
            keys.len()
        ),
        None => format!("the sort is wrong: not as many {what}s came back as went in"),
    };
    // By their bytes, because NaN is not equal to itself.
    let (expected, found) = (gathered(keys, &order), bytemuck::cast_slice(&sorted.keys));
    if let Some(at) = difference::<u8>(bytemuck::cast_slice(&expected), found) {
        bail!(wrong("key", at.map(|byte| byte / size_of::<K>())));
    }
    if let Some(found) = &sorted.order
        && let Some(at) = difference(&order, &request.in_whole(found))
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
