//! `multisplit sssp`: shortest paths from one vertex of a network.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use clap::{Args, value_parser};
use multisplit::network::{Network, ShortestPaths, Weighting, dijkstra};
use multisplit::primitives::sssp::{DEFAULT_BUCKETS, MAX_BUCKETS, SsspOptions};

use crate::device::Devices;
use crate::sssp::{self, Method, Source};

/// Arguments of `multisplit sssp`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// The network: rmat, rmat:VERTICES:EDGES, grid, grid:VERTICES, or a file (.mtx, .gr, .el, .wel,
    /// each also .gz)
    graph: Source,
    /// Where paths begin
    #[arg(long, value_name = "VERTEX", default_value_t = 0)]
    source: u32,
    /// Show a shortest path to this vertex
    #[arg(long, value_name = "VERTEX")]
    to: Option<u32>,
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
    /// Write every distance to this file, a line for each vertex; - where there is no path
    #[arg(long, value_name = "FILE")]
    distances: Option<PathBuf>,
    /// Draw how much each round had to do (SVG)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  multisplit sssp rmat:100000:800000
  multisplit sssp usa_ny.gr.gz --source 124213 --to 5 --method near-far
  multisplit sssp grid:50000 --plot frontier.svg
  multisplit sssp roads.mtx --method dijkstra --distances roads.txt

Vertices are counted from 0, whatever the file does. Files without weights get weights from 0 to
1000 that depend on the two ends of an edge, unless --hops is given.";

/// Searches, and says what was found.
pub fn run(options: &Options, devices: &Devices) -> Result<()> {
    let weighting = if options.hops { Weighting::Ones } else { Weighting::Own };
    let network = options.graph.network(weighting)?;
    let paths = match options.method.engine() {
        None => {
            if options.plot.is_some() {
                bail!("--method dijkstra has no rounds to draw");
            }
            dijkstra(&network, options.source)?
        }
        Some(method) => {
            let wanted = SsspOptions {
                method,
                delta: options.delta,
                buckets: options.buckets,
                predecessors: options.to.is_some(),
                ..SsspOptions::default()
            };
            search(options, &network, &wanted, devices)?
        }
    };
    tell(options, &network, &paths)?;
    if let Some(file) = &options.distances {
        let lines = (0..network.vertices())
            .map(|vertex| paths.distance(vertex).map_or("-\n".to_owned(), |d| format!("{d}\n")));
        write(file, &lines.collect::<String>())?;
    }
    Ok(())
}

fn search(
    options: &Options,
    network: &Network,
    wanted: &SsspOptions,
    devices: &Devices,
) -> Result<ShortestPaths> {
    let context = devices.open()?;
    let on_device = context.upload_network(network)?;
    let mut solver = context.sssp(&on_device, wanted)?;
    let found = solver.solve(options.source)?;
    let statistics = found.statistics;
    let method = sssp::name(solver.method());
    let mut out = std::io::stdout().lock();
    writeln!(out, "{method} on {}", context.properties().name)?;
    writeln!(
        out,
        "{} rounds, {} relaxations, {} of them again",
        statistics.rounds, statistics.relaxations, statistics.rerelaxations
    )?;
    if let Some(file) = &options.plot {
        let title = format!("{} from {}: {method}", options.graph.name(), options.source);
        write(file, &sssp::frontier(&title, &solver.round_sizes()?))?;
    }
    Ok(found.paths)
}

fn tell(options: &Options, network: &Network, paths: &ShortestPaths) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let (vertices, reached) = (network.vertices(), paths.reached());
    writeln!(out, "{vertices} vertices, {} edges; {reached} reached", network.edges())?;
    let furthest = (0..vertices).filter_map(|v| paths.distance(v).map(|d| (d, v)));
    let furthest = furthest.reduce(|a, b| if b.0 > a.0 { b } else { a });
    if let Some((distance, vertex)) = furthest {
        writeln!(out, "the furthest is {vertex}, at {distance}")?;
    }
    match options.to.map(|to| (to, paths.path_to(to), paths.distance(to))) {
        Some((to, Some(path), Some(distance))) => {
            writeln!(out, "to {to}: {distance}, over {} edges", path.len() - 1)?;
            let vertices: Vec<_> = path.iter().map(u32::to_string).collect();
            writeln!(out, "{}", vertices.join(" "))?;
        }
        Some((to, ..)) if to >= vertices => bail!("--to {to}: there are {vertices} vertices"),
        Some((to, ..)) => writeln!(out, "to {to}: no path")?,
        None => {}
    }
    Ok(())
}

fn write(file: &PathBuf, text: &str) -> Result<()> {
    std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}
