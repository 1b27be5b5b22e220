//! Top-k, runs of equal keys, scans and reductions of buffers.

use multisplit::{Array, Operator, Scan, TopK};
use pyo3::prelude::*;

use crate::buffer::{Buffer, Data, with_keys, with_numbers};
use crate::engine::Engine;
use crate::error;

/// The `k` largest or smallest keys of each row, and their indices.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "they are keyword arguments in Python")]
pub(crate) fn topk(
    py: Python<'_>,
    engine: &Engine,
    keys: &Buffer,
    row: u64,
    k: u64,
    largest: bool,
    sorted: bool,
) -> PyResult<(Buffer, Buffer)> {
    with_keys!(keys.data()?, array => {
        let how = if largest { TopK::largest(k) } else { TopK::smallest(k) };
        let how = if sorted { how } else { how.unsorted() };
        let how = if row < array.len() { how.rows(row) } else { how };
        let found = engine.run(py, |gpu| gpu.topk(array, &how))?;
        Ok((Buffer::new(found.keys, keys.is_canonical()), Buffer::new(found.indices, true)))
    })
}

/// The first key of each run of adjacent keys with equal bits, and the run lengths.
#[pyfunction]
pub(crate) fn run_lengths(
    py: Python<'_>,
    engine: &Engine,
    keys: &Buffer,
) -> PyResult<(Buffer, Buffer)> {
    with_numbers!(keys.data()?, array => {
        let (found, lengths) = engine.run(py, |gpu| gpu.run_lengths(array))?;
        Ok((Buffer::new(found, keys.is_canonical()), Buffer::new(lengths, true)))
    })
}

/// Inclusive or exclusive scan of each row.
#[pyfunction]
pub(crate) fn scan(
    py: Python<'_>,
    engine: &Engine,
    elements: &Buffer,
    row: u64,
    operator: &str,
    inclusive: bool,
) -> PyResult<Buffer> {
    let how = scan_of(operator, inclusive)?;
    with_numbers!(elements.data()?, array => {
        let how = if row < array.len() { how.rows(row) } else { how };
        Ok(Buffer::new(engine.run(py, |gpu| gpu.scan_with(array, &how))?, are_integers(elements)))
    })
}

/// Inclusive or exclusive scan of each segment. `offsets` has the start of each segment and the end of the last one.
#[pyfunction]
pub(crate) fn scan_segments(
    py: Python<'_>,
    engine: &Engine,
    elements: &Buffer,
    offsets: &Buffer,
    operator: &str,
    inclusive: bool,
) -> PyResult<Buffer> {
    let (how, offsets) = (scan_of(operator, inclusive)?, words(offsets)?);
    with_numbers!(elements.data()?, array => {
        let scanned = engine.run(py, |gpu| gpu.scan_segments(array, offsets, &how))?;
        Ok(Buffer::new(scanned, are_integers(elements)))
    })
}

fn scan_of(operator: &str, inclusive: bool) -> PyResult<Scan> {
    let operator = named(operator)?;
    Ok(if inclusive { Scan::inclusive(operator) } else { Scan::exclusive(operator) })
}

/// Whether scans of the elements are canonical. Sums of floats may be zeros and NaNs of either sign, so they are not.
fn are_integers(elements: &Buffer) -> bool {
    matches!(elements.kind_name(), "u4" | "i4" | "u8" | "i8")
}

/// Reduction of all elements.
#[pyfunction]
pub(crate) fn reduce<'py>(
    py: Python<'py>,
    engine: &Engine,
    elements: &Buffer,
    operator: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let operator = named(operator)?;
    with_numbers!(elements.data()?, array => {
        let combined = engine.run(py, |gpu| gpu.reduce(array, operator))?;
        Ok(combined.into_pyobject(py)?.into_any())
    })
}

/// Reduction of each segment. `offsets` has the start of each segment and the end of the last one.
#[pyfunction]
pub(crate) fn reduce_segments(
    py: Python<'_>,
    engine: &Engine,
    elements: &Buffer,
    offsets: &Buffer,
    operator: &str,
) -> PyResult<Buffer> {
    let (operator, offsets) = (named(operator)?, words(offsets)?);
    with_numbers!(elements.data()?, array => {
        let reduced = engine.run(py, |gpu| gpu.reduce_segments(array, offsets, operator))?;
        Ok(Buffer::new(reduced, false))
    })
}

/// Returns the offsets of segments; rejects types other than uint32.
fn words(offsets: &Buffer) -> PyResult<&Array<u32>> {
    match offsets.data()? {
        Data::U32(offsets) => Ok(offsets),
        _ => Err(error::argument("offsets must have the type uint32")),
    }
}

fn named(operator: &str) -> PyResult<Operator> {
    let found = Operator::ALL.into_iter().find(|one| one.name() == operator);
    found.ok_or_else(|| error::argument(format!("unknown operator: {operator}")))
}
