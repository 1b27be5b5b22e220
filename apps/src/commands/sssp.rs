//! `multisplit sssp`: shortest paths from vertices of a network.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use clap::error::ErrorKind;
use clap::{Args, value_parser};
use multisplit::Error;
use multisplit::network::{Network, ShortestPaths, UNREACHED, WeightKind};
use multisplit::primitives::sssp::{DEFAULT_BUCKETS, MAX_BUCKETS, SsspOptions, SsspSolver};

use crate::device::Devices;
use crate::files::{Array, Data, Element, OutputId, Outputs};
use crate::network::{Weighting, dijkstra};
use crate::sssp::{self, Found, Method, Source};
use crate::{plot, report};

/// Arguments of `multisplit sssp`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// The network: a file (.mtx, .gr, .el, .wel, each also .gz), or as for --generate
    #[arg(required_unless_present = "generate")]
    graph: Option<Source>,
    /// A network that is made: rmat, rmat:VERTICES:EDGES[:SEED], grid or grid:VERTICES
    #[arg(long, value_name = "KIND", conflicts_with = "graph")]
    generate: Option<Source>,
    /// Where paths begin; may be given several times
    #[arg(long, value_name = "VERTEX", default_value = "0")]
    source: Vec<u32>,
    /// How they are searched for
    #[arg(long, value_enum, default_value_t)]
    method: Method,
    /// The width of a bucket, or of the near set [default: from weights and degrees]
    #[arg(long)]
    delta: Option<f64>,
    /// Buckets of the methods that have some
    #[arg(long, value_parser = value_parser!(u32).range(1..=i64::from(MAX_BUCKETS)), default_value_t = DEFAULT_BUCKETS)]
    buckets: u32,
    /// Every edge costs 1, whatever the file says
    #[arg(long)]
    hops: bool,
    /// Write every distance to this file: u32, 4294967295 where there is no path, or f32, inf there
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Show a shortest path to this vertex
    #[arg(long, value_name = "VERTEX", alias = "to")]
    path_to: Option<u32>,
    /// Draw how much each round had to do (SVG)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print one JSON object for each source
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  multisplit sssp usa_ny.gr.gz --source 124213 --path-to 5 --method near-far
  multisplit sssp --generate rmat:800000:4800000:1 --source 0 --source 649276 --json
  multisplit sssp --generate grid:50000 --plot frontier.svg --verify
  multisplit sssp roads.mtx --method dijkstra -o distances.npy

Vertices are counted from 0, whatever the file does. Files without weights get weights from 0 to
1000 that depend on the two ends of an edge, unless --hops is given. The time is GPU time of a whole
search, of dijkstra the CPU's; MTEPS are arcs over it, in millions. The checksum is the sum, modulo
2^64, of mix64(v << 32 | d[v]) over the reached vertices v, mix64 being SplitMix64's finalizer.";

/// Searches, and says what was found.
pub fn run(options: &Options, devices: &Devices) -> Result<()> {
    options.check();
    let mut outputs = devices.outputs();
    let ids = OutputIds::begin(options, &mut outputs)?;
    let graph = options.graph.as_ref().or(options.generate.as_ref()).context("no network")?;
    let weighting = if options.hops { Weighting::Ones } else { Weighting::Own };
    let network = {
        let _span = tracing::info_span!("load").entered();
        graph.load(weighting, devices.bars())?
    };
    let searches = Searches { options, graph, network: &network, devices };
    match options.method.engine() {
        None => searches.on_the_host(&ids, &mut outputs)?,
        Some(method) => {
            let context = devices.open()?;
            let on_device = context.upload_network(&network)?;
            let wanted = SsspOptions {
                method,
                delta: options.delta,
                buckets: options.buckets,
                predecessors: options.path_to.is_some(),
                ..SsspOptions::default()
            };
            let mut solver = context.sssp(&on_device, &wanted)?;
            let device = context.properties().name.clone();
            searches.on_the_device(&mut solver, &device, &ids, &mut outputs)?;
        }
    }
    Ok(outputs.finish()?)
}

impl Options {
    /// Ends the program, with the status of wrong usage, where options do not go together.
    fn check(&self) {
        let one_file = self.output.is_some() || self.plot.is_some();
        if one_file && self.source.len() > 1 {
            let text = "-o and --plot are for one --source\n";
            clap::Error::raw(ErrorKind::ArgumentConflict, text).exit();
        }
        if self.plot.is_some() && self.method.engine().is_none() {
            let text = "--method dijkstra has no rounds to draw\n";
            clap::Error::raw(ErrorKind::ArgumentConflict, text).exit();
        }
    }
}

struct OutputIds {
    distances: Option<OutputId>,
    plot: Option<OutputId>,
}

impl OutputIds {
    fn begin(options: &Options, outputs: &mut Outputs) -> Result<Self> {
        let distances = outputs.begin_if(options.output.as_deref())?;
        Ok(Self { distances, plot: outputs.begin_if(options.plot.as_deref())? })
    }
}

/// Searches in a network that has been loaded.
struct Searches<'s> {
    options: &'s Options,
    graph: &'s Source,
    network: &'s Network,
    devices: &'s Devices,
}

impl Searches<'_> {
    fn on_the_host(&self, ids: &OutputIds, outputs: &mut Outputs) -> Result<()> {
        for &source in &self.options.source {
            let start = Instant::now();
            let paths = dijkstra(self.network, source)?;
            let found = Found::new(self.graph, self.network, &paths, start.elapsed());
            self.tell(&found.by("dijkstra", "the CPU", None), &paths)?;
            self.write(&paths, ids, outputs)?;
        }
        Ok(())
    }

    fn on_the_device(
        &self,
        solver: &mut SsspSolver,
        device: &str,
        ids: &OutputIds,
        outputs: &mut Outputs,
    ) -> Result<()> {
        let method = sssp::name(solver.method());
        for &source in &self.options.source {
            let start = Instant::now();
            let result = {
                let _span = tracing::info_span!("sssp", source).entered();
                solver.solve(source)?
            };
            let elapsed = start.elapsed();
            // Once more, now that every pipeline has been compiled.
            let time = match solver.time_runs(source, 1) {
                Ok(times) => times.first().map_or(elapsed, |&ns| Duration::from_secs_f64(ns / 1e9)),
                Err(Error::NoTimestamps { .. }) => elapsed,
                Err(error) => return Err(error.into()),
            };
            let found = Found::new(self.graph, self.network, &result.paths, time);
            if self.devices.verify() {
                verify(self.network, &result.paths)?;
            }
            let found = found.by(method, device, Some(result.statistics));
            self.tell(&found, &result.paths)?;
            self.write(&result.paths, ids, outputs)?;
            if let Some(id) = ids.plot {
                let title = format!("{} from {source}: {method}", self.graph.name());
                let drawing = plot::rounds(&title, &solver.round_sizes()?);
                outputs.bytes(id, drawing.as_bytes())?;
            }
        }
        if self.devices.verify() {
            report::summary("every distance verified against the CPU");
        }
        Ok(())
    }

    fn tell(&self, found: &Found, paths: &ShortestPaths) -> Result<()> {
        let path = match self.options.path_to {
            Some(to) if to >= self.network.vertices() => {
                bail!("--path-to {to}: there are {} vertices", self.network.vertices())
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
                writeln!(out, "{}", sssp::path_text(paths, to, path.as_deref()))?;
            }
        }
        Ok(())
    }

    /// A path to a vertex. Dijkstra's paths on the CPU come with their predecessors.
    fn path(&self, paths: &ShortestPaths, to: u32) -> Result<Option<Vec<u32>>> {
        let path = paths.path_to(to);
        if path.is_none() && paths.distance(to).is_some() {
            bail!("no path to {to} was kept, though it is reached");
        }
        Ok(path)
    }

    fn write(&self, paths: &ShortestPaths, ids: &OutputIds, outputs: &mut Outputs) -> Result<()> {
        let Some(id) = ids.distances else { return Ok(()) };
        let (element, nowhere) = match paths.kind {
            WeightKind::U32 => (Element::U32, UNREACHED),
            WeightKind::F32 => (Element::F32, f32::INFINITY.to_bits()),
        };
        let word = |&bits: &u32| if bits == UNREACHED { nowhere } else { bits };
        let words = paths.distances.iter().map(word).collect();
        let array = Array::new(element, Data::Bytes4(words)).context("distances of 4 bytes")?;
        Ok(outputs.array(id, &array)?)
    }
}

/// Compares with Dijkstra's, every vertex.
fn verify(network: &Network, paths: &ShortestPaths) -> Result<()> {
    let _span = tracing::info_span!("verify").entered();
    let expected = dijkstra(network, paths.source)?;
    let differs = |vertex: &u32| expected.distance(*vertex) != paths.distance(*vertex);
    if let Some(vertex) = (0..network.vertices()).find(differs) {
        let text = |paths: &ShortestPaths| {
            paths.distance(vertex).map_or("no path".to_owned(), |distance| distance.to_string())
        };
        bail!(
            "the search is wrong: vertex {vertex} is at {}, the CPU says {}",
            text(paths),
            text(&expected)
        );
    }
    Ok(())
}
