//! Searches in sorted buffers.

use multisplit::{Array, Key};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::buffer::{Buffer, Data};
use crate::engine::Engine;

/// For each of `needles`, the number of keys in `sorted` that are less than the needle. If `right` is set, also counts
/// the keys that are equal to the needle.
#[pyfunction]
pub(crate) fn search(
    py: Python<'_>,
    engine: &Engine,
    sorted: &Buffer,
    needles: &Buffer,
    right: bool,
) -> PyResult<Buffer> {
    match (sorted.data()?, needles.data()?) {
        (Data::U32(sorted), Data::U32(needles)) => bound(py, engine, sorted, needles, right),
        (Data::I32(sorted), Data::I32(needles)) => bound(py, engine, sorted, needles, right),
        (Data::F32(sorted), Data::F32(needles)) => bound(py, engine, sorted, needles, right),
        (Data::U64(sorted), Data::U64(needles)) => bound(py, engine, sorted, needles, right),
        (Data::I64(sorted), Data::I64(needles)) => bound(py, engine, sorted, needles, right),
        (Data::F64(sorted), Data::F64(needles)) => bound(py, engine, sorted, needles, right),
        _ => Err(PyTypeError::new_err(
            "the keys and the values to search for must have the same type, of 4 or 8 bytes",
        )),
    }
}

fn bound<K: Key>(
    py: Python<'_>,
    engine: &Engine,
    sorted: &Array<K>,
    needles: &Array<K>,
    right: bool,
) -> PyResult<Buffer> {
    let found = engine.run(py, |gpu| match right {
        true => gpu.upper_bound(sorted, needles),
        false => gpu.lower_bound(sorted, needles),
    })?;
    Ok(Buffer::new(found, true))
}
