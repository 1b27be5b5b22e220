//! Bucket and bin functions, described in Python as a tuple whose first element is the name.

use multisplit::{Bins, Buckets, Key, Sample};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::array::{Element, HostArray};
use crate::error;

/// The name of a function, followed by its arguments.
pub(crate) type Function<'a, 'py> = &'a Bound<'py, PyTuple>;

fn name(function: Function<'_, '_>) -> PyResult<String> {
    function.get_item(0)?.extract()
}

/// Buckets of a split: `("range", splitters)`, `("even", ends, m)`, `("identity", m)` or
/// `("glsl", m, source, parameters, table)`.
pub(crate) fn buckets<K: Key + Element>(function: Function<'_, '_>) -> PyResult<Buckets<K>> {
    let first = function.get_item(1)?;
    match name(function)?.as_str() {
        "range" => Ok(Buckets::range(HostArray::of(&first)?.elements::<K>()?)),
        "even" => {
            let count = function.get_item(2)?.extract()?;
            match HostArray::of(&first)?.elements::<K>()? {
                &[low, high] => Ok(Buckets::even(low..high, count)),
                _ => Err(error::argument("even buckets need two ends")),
            }
        }
        "identity" => Ok(Buckets::identity(first.extract()?)),
        #[cfg(feature = "glsl")]
        "glsl" => Ok(Buckets::glsl(first.extract()?, glsl(function)?)),
        other => Err(error::argument(format!("unknown bucket function: {other}"))),
    }
}

/// Bins of a histogram: `("range", edges, closed)`, `("identity", m)` or `("glsl", m, source, parameters, table)`.
pub(crate) fn bins<S: Sample + Element>(function: Function<'_, '_>) -> PyResult<Bins<S>> {
    let first = function.get_item(1)?;
    match name(function)?.as_str() {
        "range" => {
            let bins = Bins::range(HostArray::of(&first)?.elements::<S>()?);
            Ok(if function.get_item(2)?.extract()? { bins.closed() } else { bins })
        }
        "identity" => Ok(Bins::identity(first.extract()?)),
        #[cfg(feature = "glsl")]
        "glsl" => Ok(Bins::glsl(first.extract()?, glsl(function)?)),
        other => Err(error::argument(format!("unknown bin function: {other}"))),
    }
}

#[cfg(feature = "glsl")]
fn glsl(function: Function<'_, '_>) -> PyResult<multisplit::Glsl> {
    let source: String = function.get_item(2)?.extract()?;
    let parameters: [u32; 3] = function.get_item(3)?.extract()?;
    let table = function.get_item(4)?;
    let glsl = multisplit::Glsl::new(source).parameters(parameters);
    if table.is_none() {
        return Ok(glsl);
    }
    Ok(glsl.table(HostArray::of(&table)?.elements::<u32>()?))
}
