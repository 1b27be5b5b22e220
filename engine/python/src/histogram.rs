//! Histograms of buffers.

use multisplit::{Array, Sample};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::array::Element;
use crate::buckets::bins;
use crate::buffer::{Buffer, Data};
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
    match samples.data()? {
        Data::U32(samples) => count(py, engine, samples, weights, function),
        Data::I32(samples) => count(py, engine, samples, weights, function),
        Data::F32(samples) => count(py, engine, samples, weights, function),
        Data::U64(samples) => count(py, engine, samples, weights, function),
        Data::I64(samples) => count(py, engine, samples, weights, function),
        Data::F64(samples) => count(py, engine, samples, weights, function),
        _ => Err(PyTypeError::new_err(
            "samples must have the type uint32, int32, float32, uint64, int64 or float64",
        )),
    }
}

fn count<S: Sample + Element>(
    py: Python<'_>,
    engine: &Engine,
    samples: &Array<S>,
    weights: Option<&Array<u32>>,
    function: &Bound<'_, PyTuple>,
) -> PyResult<Buffer> {
    let how = bins::<S>(function)?;
    let found = engine.run(py, |gpu| match weights {
        Some(weights) => gpu.histogram_weighted(samples, weights, how),
        None => gpu.histogram(samples, how),
    })?;
    Ok(Buffer::new(found.counts, true))
}
