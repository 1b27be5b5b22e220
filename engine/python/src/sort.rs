//! Sorts of buffers, as a whole or row by row.

use multisplit::Sort;
use pyo3::prelude::*;

use crate::buffer::{Buffer, with_keys, with_values};
use crate::engine::Engine;
use crate::error;

/// Describes a sort of `n` elements in rows of `row` elements.
fn description(n: u64, row: u64, descending: bool) -> PyResult<Sort> {
    let sort = if descending { Sort::descending() } else { Sort::ascending() };
    if row >= n {
        return Ok(sort);
    }
    if row == 0 || !n.is_multiple_of(row) {
        return Err(error::argument(format!(
            "the array has {n} elements, which is not a multiple of the row length {row}"
        )));
    }
    let too_many = |_| {
        let limit = u32::MAX;
        error::argument(format!("the rows have {n} elements, but at most {limit} can be sorted"))
    };
    let (end, row) = (u32::try_from(n).map_err(too_many)?, row as usize);
    let offsets: Vec<u32> = (0..=end).step_by(row).collect();
    Ok(sort.segments(&offsets))
}

/// A sorted copy of `keys`.
#[pyfunction]
pub(crate) fn sort(
    py: Python<'_>,
    engine: &Engine,
    keys: &Buffer,
    row: u64,
    descending: bool,
) -> PyResult<Buffer> {
    with_keys!(keys.data()?, array => {
        let how = description(array.len(), row, descending)?;
        let sorted = engine.run(py, |gpu| gpu.sort_with(array, &how))?;
        Ok(Buffer::new(sorted, keys.is_canonical()))
    })
}

/// Sorts `keys` in place; the caller must hold the only reference.
#[pyfunction]
pub(crate) fn sort_in_place(
    py: Python<'_>,
    engine: &Engine,
    keys: &Buffer,
    descending: bool,
) -> PyResult<()> {
    with_keys!(keys.data()?, array => {
        let how = if descending { Sort::descending() } else { Sort::ascending() };
        let mut array = array.clone();
        engine.run(py, |gpu| gpu.sort_in_place(&mut array, &how))
    })
}

/// The indices that sort `keys`, relative to the start of their row.
#[pyfunction]
pub(crate) fn argsort(
    py: Python<'_>,
    engine: &Engine,
    keys: &Buffer,
    row: u64,
    descending: bool,
) -> PyResult<Buffer> {
    with_keys!(keys.data()?, array => {
        let how = description(array.len(), row, descending)?;
        Ok(Buffer::new(engine.run(py, |gpu| gpu.argsort_with(array, &how))?, true))
    })
}

/// Sorted copies of `keys`, and `values` in the order of their keys.
#[pyfunction]
pub(crate) fn sort_pairs(
    py: Python<'_>,
    engine: &Engine,
    keys: &Buffer,
    values: &Buffer,
    row: u64,
    descending: bool,
) -> PyResult<(Buffer, Buffer)> {
    let canonical = (keys.is_canonical(), values.is_canonical());
    with_keys!(keys.data()?, keys => {
        let how = description(keys.len(), row, descending)?;
        with_values!(values.data()?, values => {
            let (keys, values) = engine.run(py, |gpu| gpu.sort_pairs_with(keys, values, &how))?;
            Ok((Buffer::new(keys, canonical.0), Buffer::new(values, canonical.1)))
        })
    })
}
