//! Splits of buffers into contiguous buckets.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::buckets::buckets;
use crate::buffer::{Buffer, with_keys, with_values};
use crate::engine::Engine;

/// The keys in bucket order, the values in the same order, and the bucket offsets.
type Parts = (Buffer, Option<Buffer>, Buffer);

/// Splits `keys`, with their `values` if given, into buckets.
#[pyfunction]
#[pyo3(signature = (engine, keys, values, function))]
pub(crate) fn split(
    py: Python<'_>,
    engine: &Engine,
    keys: &Buffer,
    values: Option<&Buffer>,
    function: &Bound<'_, PyTuple>,
) -> PyResult<Parts> {
    let canonical = (keys.is_canonical(), values.is_none_or(Buffer::is_canonical));
    with_keys!(keys.data()?, keys => {
        let how = buckets(function)?;
        match values {
            Some(values) => with_values!(values.data()?, values => {
                let found = engine.run(py, |gpu| gpu.split_pairs(keys, values, how))?;
                let values = Buffer::new(found.values, canonical.1);
                let keys = Buffer::new(found.keys, canonical.0);
                Ok((keys, Some(values), Buffer::new(found.offsets, true)))
            }),
            None => {
                let found = engine.run(py, |gpu| gpu.split(keys, how))?;
                Ok((Buffer::new(found.keys, canonical.0), None, Buffer::new(found.offsets, true)))
            }
        }
    })
}

/// The position of each key after a split, and the bucket offsets.
#[pyfunction]
pub(crate) fn split_permutation(
    py: Python<'_>,
    engine: &Engine,
    keys: &Buffer,
    function: &Bound<'_, PyTuple>,
) -> PyResult<(Buffer, Buffer)> {
    with_keys!(keys.data()?, keys => {
        let how = buckets(function)?;
        let found = engine.run(py, |gpu| gpu.split_permutation(keys, how))?;
        Ok((Buffer::new(found.permutation, true), Buffer::new(found.offsets, true)))
    })
}
