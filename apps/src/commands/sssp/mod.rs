//! `multisplit sssp`: shortest paths from vertices of a network, and their output files.

mod found;
mod options;

pub use options::Options;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use multisplit::Error;
use multisplit_bench::network::{Loaded, dijkstra};
use multisplit_bench::sssp::{self, Source};
use multisplit_bench::{console, plot};
use multisplit_sssp::network::{Network, ShortestPaths, UNREACHED, WeightKind};
use multisplit_sssp::{DeviceNetwork, Error as SearchError, Solver};

use crate::device::Devices;
use crate::formats::{Array, Data, Element, Format};
use crate::outputs::{OutputId, Outputs};
use found::{Found, is_exact, path_text};

pub fn run(options: &Options, devices: &Devices) -> Result<()> {
    options.check();
    let mut files = SearchFiles::begin(options, devices)?;
    let graph = options.graph().context("internal error: there is no network")?;
    let loaded = {
        let _span = tracing::info_span!("load").entered();
        graph.load(options.weighting(graph), options.graph_format(), devices.bars())?
    };
    let searches = Searches { options, graph, loaded: &loaded, devices };
    match options.method.value {
        None => searches.on_the_host(&mut files)?,
        Some(method) => {
            let context = devices.open()?;
            let on_device = DeviceNetwork::upload(&context, &loaded.network)?;
            let solver_options = multisplit_sssp::Options {
                method,
                delta: options.delta,
                buckets: options.buckets,
                predecessors: options.wants_predecessors(),
                ..multisplit_sssp::Options::default()
            };
            let mut solver = Solver::new(&context, &on_device, &solver_options)?;
            let device = context.properties().name.clone();
            searches.on_the_device(&mut solver, &device, &mut files)?;
        }
    }
    Ok(files.outputs.finish()?)
}

struct Searches<'s> {
    options: &'s Options,
    graph: &'s Source,
    loaded: &'s Loaded,
    devices: &'s Devices,
}

impl Searches<'_> {
    fn network(&self) -> &Network {
        &self.loaded.network
    }

    fn on_the_host(&self, files: &mut SearchFiles) -> Result<()> {
        for (index, &source) in self.options.source.iter().enumerate() {
            let start = Instant::now();
            let paths = dijkstra(self.network(), source)?;
            let found = Found::new(self.graph, self.loaded, &paths, start.elapsed());
            self.report(found.by("dijkstra", "the CPU", None), &paths)?;
            files.write(index, &paths, self.options.path_to)?;
        }
        Ok(())
    }

    fn on_the_device(
        &self,
        solver: &mut Solver,
        device: &str,
        files: &mut SearchFiles,
    ) -> Result<()> {
        let method = sssp::name(solver.method());
        for (index, &source) in self.options.source.iter().enumerate() {
            let start = Instant::now();
            let result = {
                let _span = tracing::info_span!("sssp", source).entered();
                solver.solve(source)?
            };
            let elapsed = start.elapsed();
            // Run again for timing, now that all pipelines are compiled.
            let time = match solver.time_runs(source, 1) {
                Ok(times) => times.first().map_or(elapsed, |&ns| Duration::from_secs_f64(ns / 1e9)),
                Err(SearchError::Engine(Error::NoTimestamps { .. })) => elapsed,
                Err(error) => return Err(error.into()),
            };
            let found = Found::new(self.graph, self.loaded, &result.paths, time);
            if self.devices.common.verify {
                verify(self.network(), &result.paths)?;
            }
            self.report(found.by(method, device, Some(result.statistics)), &result.paths)?;
            files.write(index, &result.paths, self.options.path_to)?;
            if files.has_plot() {
                let title = format!("{} from {source}: {method}", self.graph.name());
                files.write_plot(index, &plot::rounds(&title, &solver.round_sizes()?))?;
            }
        }
        if self.devices.common.verify {
            console::summary("every distance verified against the CPU");
        }
        Ok(())
    }

    fn report(&self, mut found: Found, paths: &ShortestPaths) -> Result<()> {
        let to = self.options.path_to;
        found.path = to.map(|to| self.path(paths, to)).transpose()?;
        let mut out = std::io::stdout().lock();
        if self.options.json {
            writeln!(out, "{}", serde_json::to_string(&found)?)?;
        } else {
            writeln!(out, "{}", found.text())?;
            if let Some((to, path)) = to.zip(found.path) {
                writeln!(out, "{}", path_text(paths, to, path.as_deref()))?;
            }
        }
        if !is_exact(self.network(), paths) {
            console::note(
                "distances are 32-bit floats, so some sums may be rounded to 24 significant bits",
            );
        }
        Ok(())
    }

    /// Returns the path to a vertex; `None` if it is not reached.
    fn path(&self, paths: &ShortestPaths, to: u32) -> Result<Option<Vec<u32>>> {
        let vertices = self.network().vertices();
        if to >= vertices {
            bail!(
                "--path-to {to} does not exist: the network has {vertices} vertices, numbered from 0"
            );
        }
        let path = paths.path_to(to);
        if path.is_none() && paths.distance(to).is_some() {
            bail!("internal error: vertex {to} is reached, but its path is missing");
        }
        Ok(path)
    }
}

/// Compares the distance of every vertex with Dijkstra's algorithm.
fn verify(network: &Network, paths: &ShortestPaths) -> Result<()> {
    let _span = tracing::info_span!("verify").entered();
    let expected = dijkstra(network, paths.source)?;
    let differs = |vertex: &u32| expected.distance(*vertex) != paths.distance(*vertex);
    if let Some(vertex) = (0..network.vertices()).find(differs) {
        let text = |paths: &ShortestPaths| {
            paths.distance(vertex).map_or("no path".to_owned(), |distance| distance.to_string())
        };
        let [found, expected] = [paths, &expected].map(text);
        bail!(
            "the search is wrong: the distance of vertex {vertex} is {found}, but {expected} on the CPU"
        );
    }
    Ok(())
}

struct SearchFiles {
    outputs: Outputs,
    /// One entry per source.
    files: Vec<Files>,
}

#[derive(Clone, Copy)]
struct Files {
    distances: Option<OutputId>,
    predecessors: Option<OutputId>,
    path: Option<OutputId>,
    plot: Option<OutputId>,
}

impl SearchFiles {
    /// Opens the files of every source before the first search.
    fn begin(options: &Options, devices: &Devices) -> Result<Self> {
        let mut outputs = devices.outputs();
        let mut files = Vec::new();
        for &source in &options.source {
            let mut begin = |file: &Option<PathBuf>| {
                let name = file.as_deref().map(|file| of_source(file, source));
                outputs.begin_if(name.as_deref())
            };
            files.push(Files {
                distances: begin(&options.output)?,
                predecessors: begin(&options.predecessors)?,
                path: begin(&options.path)?,
                plot: begin(&options.plot)?,
            });
        }
        Ok(Self { outputs, files })
    }

    /// Writes the requested files of one source, except the plot.
    fn write(&mut self, index: usize, paths: &ShortestPaths, to: Option<u32>) -> Result<()> {
        let Files { distances, predecessors, path, .. } = self.files[index];
        if let Some(id) = distances {
            self.outputs.array(id, &distances_of(paths)?, Format::Text)?;
        }
        if let Some(id) = predecessors {
            let predecessors = Array::words(paths.predecessors.clone());
            self.outputs.array(id, &predecessors, Format::Text)?;
        }
        if let Some((id, to)) = path.zip(to) {
            let vertices = Array::words(paths.path_to(to).unwrap_or_default());
            self.outputs.array(id, &vertices, Format::Text)?;
        }
        Ok(())
    }

    fn has_plot(&self) -> bool {
        self.files.iter().any(|files| files.plot.is_some())
    }

    fn write_plot(&mut self, index: usize, drawing: &str) -> Result<()> {
        let plot = self.files[index].plot;
        plot.map_or(Ok(()), |id| Ok(self.outputs.bytes(id, drawing.as_bytes())?))
    }
}

/// Replaces `{}` in the file name with the source.
fn of_source(file: &Path, source: u32) -> PathBuf {
    match file.to_str() {
        Some(name) => name.replace("{}", &source.to_string()).into(),
        None => file.to_owned(),
    }
}

/// The distances as an array of their type. Unreached vertices have an infinite distance (f32) or the maximum (u32).
fn distances_of(paths: &ShortestPaths) -> Result<Array> {
    let (element, unreached) = match paths.kind {
        WeightKind::U32 => (Element::U32, UNREACHED),
        WeightKind::F32 => (Element::F32, f32::INFINITY.to_bits()),
    };
    let word = |&bits: &u32| if bits == UNREACHED { unreached } else { bits };
    let words = paths.distances.iter().map(word).collect();
    Array::new(element, Data::Bytes4(words))
        .context("internal error: distances do not have 4 bytes")
}
