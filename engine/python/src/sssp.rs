//! Shortest paths in a network given as an edge list.

use multisplit::{Context, Error};
use multisplit_sssp::network::{Direction, EdgeList, EdgeWeights, Network, ShortestPaths};
use multisplit_sssp::{DeviceNetwork, Options, Solver};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::array::{HostArray, Kind};
use crate::engine::Engine;
use crate::error;

/// Finds shortest paths from `source`. `edges` has the start vertices of all edges, followed by the end vertices.
/// Writes the distance of each vertex to `distances` (floats as bits; the maximum `u32` if there is no path), and
/// the predecessor of each vertex to `predecessors`.
#[pyfunction]
#[pyo3(signature = (engine, edges, weights, directed, source, distances, predecessors))]
#[allow(clippy::too_many_arguments, reason = "they are keyword arguments in Python")]
pub(crate) fn sssp(
    py: Python<'_>,
    engine: &Engine,
    edges: &Bound<'_, PyAny>,
    weights: Option<&Bound<'_, PyAny>>,
    directed: bool,
    source: u32,
    distances: &Bound<'_, PyAny>,
    predecessors: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let ends = HostArray::of(edges)?;
    let (from, to) = ends.elements::<u32>()?.split_at(ends.len() / 2);
    let edges = EdgeList {
        from: from.to_vec(),
        to: to.to_vec(),
        weights: weights.map_or(Ok(EdgeWeights::Ones), edge_weights)?,
    };
    if edges.from.len() != edges.to.len() {
        return Err(error::argument("each edge needs a start and an end vertex"));
    }
    let mut distances = HostArray::of(distances)?;
    let mut predecessors = predecessors.map(HostArray::of).transpose()?;
    let vertices = distances.len() as u64;
    let direction = if directed { Direction::Directed } else { Direction::Undirected };
    let options = Options { predecessors: predecessors.is_some(), ..Options::default() };
    let search = |gpu: &Context| -> multisplit_sssp::Result<ShortestPaths> {
        let network = Network::new(vertices, direction, &edges)?;
        let on_device = DeviceNetwork::upload(gpu, &network)?;
        Ok(Solver::new(gpu, &on_device, &options)?.solve(source)?.paths)
    };
    let found = engine.run(py, |gpu| Ok::<_, Error>(search(gpu)))?;
    let paths = found.map_err(|error| error::raise_search(&error))?;
    copy(&paths.distances, &mut distances)?;
    match &mut predecessors {
        Some(out) => copy(&paths.predecessors, out),
        None => Ok(()),
    }
}

fn edge_weights(weights: &Bound<'_, PyAny>) -> PyResult<EdgeWeights> {
    let weights = HostArray::of(weights)?;
    match weights.kind() {
        Kind::U32 => Ok(EdgeWeights::U32(weights.elements::<u32>()?.to_vec())),
        Kind::F32 => Ok(EdgeWeights::F32(weights.elements::<f32>()?.to_vec())),
        _ => Err(PyTypeError::new_err("weights must have the type uint32 or float32")),
    }
}

fn copy(from: &[u32], to: &mut HostArray<'_>) -> PyResult<()> {
    let to = to.elements_mut::<u32>()?;
    if from.len() != to.len() {
        return Err(error::argument("the output must have one element per vertex"));
    }
    to.copy_from_slice(from);
    Ok(())
}
