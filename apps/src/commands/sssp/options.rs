//! Options of `multisplit sssp`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, value_parser};
use multisplit_bench::network::{Format, HASHED_MAX, Weighting};
use multisplit_bench::size;
use multisplit_bench::sssp::{Method, Source};
use multisplit_sssp::{DEFAULT_BUCKETS, MAX_BUCKETS};

use crate::report;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Network: a file (.mtx, .gr, .el, .wel, each also .gz or .zst), - for standard input, or a value
    /// of --generate
    #[arg(required_unless_present = "generate")]
    graph: Option<Source>,
    /// Generate a network: rmat, rmat:VERTICES:EDGES[:SEED], grid or grid:VERTICES
    #[arg(long, value_name = "KIND", conflicts_with = "graph")]
    generate: Option<Source>,
    /// Format of the file [default: by its name, else by its first lines]
    #[arg(long, value_enum, conflicts_with = "generate")]
    graph_format: Option<GraphFormat>,
    /// Start vertex; may be given several times
    #[arg(long, value_name = "VERTEX", value_parser = size::parse_index, default_value = "0")]
    pub source: Vec<u32>,
    /// Algorithm
    #[arg(long, value_enum, default_value_t)]
    pub method: Method,
    /// Range of distances of a bucket, or of the near set [default: derived from weights and degrees]
    #[arg(long, allow_negative_numbers = true)]
    pub delta: Option<f64>,
    /// Number of buckets, for methods with buckets
    #[arg(long, value_parser = value_parser!(u32).range(1..=i64::from(MAX_BUCKETS)), default_value_t = DEFAULT_BUCKETS)]
    pub buckets: u32,
    /// Edge weights
    #[arg(long, value_enum, default_value_t)]
    weights: Weights,
    /// Count edges instead of adding weights; same as --weights ones
    #[arg(long, conflicts_with = "weights")]
    hops: bool,
    /// Write every distance to this file: u32, with 4294967295 for vertices that cannot be reached, or
    /// f32, with inf. With several sources, {} in the name is replaced by the source
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write the predecessor of each vertex on a shortest path (u32); 4294967295 for the source and
    /// for vertices that cannot be reached
    #[arg(long, value_name = "FILE")]
    pub predecessors: Option<PathBuf>,
    /// Show a shortest path to this vertex
    #[arg(long, value_name = "VERTEX", alias = "to")]
    pub path_to: Option<u32>,
    /// Write the vertices of that path (u32)
    #[arg(long, value_name = "FILE", requires = "path_to")]
    pub path: Option<PathBuf>,
    /// Draw the number of queue entries of each round (SVG)
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Print one JSON object for each source
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum GraphFormat {
    /// Matrix Market
    Mtx,
    /// DIMACS
    Gr,
    /// Two vertices per line, counted from 0
    El,
    /// Two vertices and a weight per line
    Wel,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Weights {
    /// Weights of the file, or 1 for unweighted files; for generated networks the same as `hash`
    #[default]
    File,
    /// 0 to 1000, the range in the GPU Multisplit paper, from a hash of the two vertices
    Hash,
    /// Every edge has weight 1
    Ones,
}

const EXAMPLES: &str = "\
Examples:
  multisplit sssp usa_ny.gr.gz --source 124213 --path-to 5 --method near-far
  multisplit sssp --generate rmat:800000:4800000:1 --source 0 --source 649276 --json
  multisplit sssp --generate grid:50000 --plot frontier.svg --verify
  multisplit sssp roads.mtx --method dijkstra -o distances.npy --predecessors tree.npy
  multisplit sssp friends.el --weights hash --source 0 --source 7 -o 'from-{}.npy'
  zcat roads.gr.gz | multisplit sssp - --source 3

Vertices are numbered from 0, also if the file numbers them from 1. Edges of files without weights \
cost 1; with --weights hash they get weights from 0 to 1000, computed from the two vertices of the \
edge. The output says which weights were used. The time is the GPU time of a whole search, or the \
time of dijkstra on the CPU. MTEPS are millions of arcs per second of that time. The checksum is the sum, \
modulo 2^64, of mix64(v << 32 | d[v]) over all reached vertices v; mix64 is the finalizer of \
SplitMix64.";

impl Options {
    /// Exits with the usage-error status if options conflict.
    pub fn check(&self) {
        for (option, file) in [
            ("-o", &self.output),
            ("--predecessors", &self.predecessors),
            ("--path", &self.path),
            ("--plot", &self.plot),
        ] {
            let per_source =
                file.as_ref().is_none_or(|file| file.as_os_str().to_string_lossy().contains("{}"));
            if self.source.len() > 1 && !per_source {
                report::usage_error(format_args!(
                    "{option} must contain {{}} if there are several --source; it is replaced by the source"
                ));
            }
        }
        if let Some(Source::File(kind)) = &self.generate {
            report::usage_error(format_args!(
                "--generate {kind}: unknown network; use rmat, rmat:VERTICES:EDGES[:SEED], grid or grid:VERTICES"
            ));
        }
        if self.plot.is_some() && self.method.value.is_none() {
            report::usage_error(
                "--plot draws the rounds of a search, but --method dijkstra has none; use another method",
            );
        }
    }

    pub fn graph(&self) -> Option<&Source> {
        self.graph.as_ref().or(self.generate.as_ref())
    }

    pub fn graph_format(&self) -> Option<Format> {
        Some(match self.graph_format? {
            GraphFormat::Mtx => Format::MatrixMarket,
            GraphFormat::Gr => Format::Dimacs,
            GraphFormat::El => Format::EdgeList,
            GraphFormat::Wel => Format::WeightedEdgeList,
        })
    }

    pub fn weighting(&self, graph: &Source) -> Weighting {
        match (self.weights, graph) {
            _ if self.hops => Weighting::Ones,
            (Weights::Ones, _) => Weighting::Ones,
            (Weights::Hash, _) => Weighting::Hashed(HASHED_MAX),
            (Weights::File, Source::File(_)) => Weighting::OwnOrOnes,
            (Weights::File, _) => Weighting::Own,
        }
    }

    /// Whether an option that needs predecessors is given.
    pub fn wants_predecessors(&self) -> bool {
        self.path_to.is_some() || self.predecessors.is_some()
    }
}
