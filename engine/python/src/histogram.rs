//! Histograms of buffers.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::buckets::bins;
use crate::buffer::{Buffer, Data, with_kinds};
use crate::engine::Engine;

/// Counts samples into bins, or sums their weights, which are 32-bit unsigned integers.
#[pyfunction]
#[pyo3(signature = (engine, samples, weights, function))]
pub(crate) fn histogram(
    py: Python<'_>,
    engine: &Engine,
    samples: &Buffer,
    weights: Option<&Buffer>,
    function: &Bound<'_, PyTuple>,
) -> PyResult<Buffer> {
    let weights = match weights.map(Buffer::data).transpose()? {
        None => None,
        Some(Data::U32(weights)) => Some(weights),
        Some(_) => return Err(PyTypeError::new_err("weights must have the type uint32")),
    };
    let other_type = || {
        PyTypeError::new_err(
            "samples must have the type uint32, int32, float32, uint64, int64 or float64",
        )
    };
    with_kinds!(
        samples.data()?, samples => {
            let how = bins(function)?;
            let found = engine.run(py, |gpu| match weights {
                Some(weights) => gpu.histogram_weighted(samples, weights, how),
                None => gpu.histogram(samples, how),
            })?;
            Ok(Buffer::new(found.counts, true))
        },
        [U32 I32 F32 U64 I64 F64],
        Err(other_type())
    )
}
