//! `multisplit sssp`: shortest paths from vertices of a network.

mod files;
mod found;
mod options;

pub use options::Options;

use std::io::Write as _;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use multisplit::Error;
use multisplit_bench::network::{Loaded, dijkstra};
use multisplit_bench::sssp::{self, Source};
use multisplit_bench::{console, plot};
use multisplit_sssp::network::{Network, ShortestPaths};
use multisplit_sssp::{DeviceNetwork, Error as SearchError, Solver};

use crate::device::Devices;
use files::SearchFiles;
use found::{Found, is_exact, path_text};

/// Runs the searches and prints the results.
pub fn run(options: &Options, devices: &Devices) -> Result<()> {
    options.check();
    let mut files = SearchFiles::begin(options, devices)?;
    let graph = options.graph().context("no network")?;
    let loaded = {
        let _span = tracing::info_span!("load").entered();
        graph.load(options.weighting(graph), options.graph_format(), devices.bars())?
    };
    let searches = Searches { options, graph, loaded: &loaded, devices };
    match options.method.engine() {
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
    files.finish()
}

/// Searches in one loaded network.
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
            self.report(&found.by("dijkstra", "the CPU", None), &paths)?;
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
            let found = found.by(method, device, Some(result.statistics));
            self.report(&found, &result.paths)?;
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

    fn report(&self, found: &Found, paths: &ShortestPaths) -> Result<()> {
        let path = match self.options.path_to {
            Some(to) if to >= self.network().vertices() => {
                bail!(
                    "--path-to {to}: the network has {} vertices, numbered from 0",
                    self.network().vertices()
                )
            }
            Some(to) => Some((to, self.path(paths, to)?)),
            None => None,
        };
        let mut out = std::io::stdout().lock();
        if self.options.json {
            let path = path.as_ref().map(|(_, path)| path.as_deref());
            writeln!(out, "{}", found.json(path)?)?;
        } else {
            writeln!(out, "{}", found.text())?;
            if let Some((to, path)) = path {
                writeln!(out, "{}", path_text(paths, to, path.as_deref()))?;
            }
        }
        if !is_exact(self.network(), paths) {
            console::note("distances are 32-bit floats, so large sums are rounded to 24 bits");
        }
        Ok(())
    }

    /// Returns the path to a vertex, or an error if the vertex is reached but its predecessors were not kept.
    fn path(&self, paths: &ShortestPaths, to: u32) -> Result<Option<Vec<u32>>> {
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
        bail!(
            "the search is wrong: the distance of vertex {vertex} is {}, but {} on the CPU",
            text(paths),
            text(&expected)
        );
    }
    Ok(())
}
