//! `multisplit graph`: prints the plan of a primitive. Works without a device or driver.

use std::io::Write as _;

use anyhow::{Context as _, Result};
use clap::{Args, Subcommand, ValueEnum, value_parser};
use multisplit::operations::sort::SortMethod;
use multisplit::operations::split::MAX_BUCKETS;
use multisplit::{Config, Error, PipelineCache};
use multisplit_bench::choice::Choice;
use multisplit_bench::network::Rmat;
use multisplit_bench::plans::{Method, Target};
use multisplit_bench::split::Rule;
use multisplit_bench::sssp::Source;
use multisplit_bench::{console, histogram, size, sort, split, sssp};

use crate::device::Devices;
use crate::plan_svg;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    #[command(subcommand)]
    subject: Subject,
}

/// Operation to plan.
#[derive(Debug, Subcommand)]
enum Subject {
    /// Exclusive scan of u32
    Scan {
        /// Algorithm
        #[arg(long, value_enum, default_value_t)]
        method: Method,
        #[command(flatten)]
        common: PlanOptions,
    },
    /// Multisplit of u32 keys, alone or with values
    Split {
        /// Number of buckets
        #[arg(long, value_name = "M", value_parser = value_parser!(u32).range(1..=i64::from(MAX_BUCKETS)), default_value_t = 8)]
        m: u32,
        /// Operation: keys or pairs, and the bucket function
        #[arg(long, value_enum, default_value_t)]
        op: split::Op,
        /// Algorithm
        #[arg(long, value_enum, default_value_t)]
        method: split::Method,
        #[command(flatten)]
        common: PlanOptions,
    },
    /// Radix sort
    Sort {
        /// Operation: keys or pairs, and their types
        #[arg(long, value_enum, default_value_t)]
        op: sort::Op,
        /// Algorithm
        #[arg(long, value_enum, default_value_t)]
        method: sort::Method,
        /// Sort with one multisplit per digit, into M buckets: 16, 32, 64, 128 or 256
        #[arg(long, value_name = "M", value_parser = parse_bucket_count, conflicts_with = "method")]
        m: Option<SortMethod>,
        #[command(flatten)]
        common: PlanOptions,
    },
    /// Histogram of f32 or u8
    Histogram {
        /// Number of bins
        #[arg(long, value_name = "M", value_parser = value_parser!(u32).range(1..=1 << 20), default_value_t = 256)]
        m: u32,
        /// Operation: the sample type and the kind of bins
        #[arg(long, value_enum, default_value_t)]
        op: Choice<histogram::Op>,
        /// Algorithm
        #[arg(long, value_enum, default_value_t)]
        method: histogram::Method,
        #[command(flatten)]
        common: PlanOptions,
    },
    /// Shortest paths: the start of a search and its first rounds
    Sssp {
        /// Network: rmat:VERTICES:EDGES, grid:VERTICES, or a file
        #[arg(long, conflicts_with_all = ["n", "m"])]
        graph: Option<Source>,
        /// Number of vertices of an R-MAT network
        #[arg(long, value_name = "N", value_parser = size::parse, default_value = "10000")]
        n: u64,
        /// Number of edges of an R-MAT network [default: four per vertex]
        #[arg(long, value_name = "M", value_parser = size::parse)]
        m: Option<u64>,
        /// Algorithm
        #[arg(long, value_enum, default_value_t)]
        method: sssp::Method,
        /// Number of rounds to show
        #[arg(long, default_value_t = 2)]
        rounds: u32,
        /// Output format
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
}

/// Options of all plans except shortest paths.
#[derive(Debug, Args)]
struct PlanOptions {
    /// Number of elements
    #[arg(long, value_name = "N", value_parser = size::parse, default_value = "2^24")]
    n: u64,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Plan a graph that is recorded once and submitted many times
    #[arg(long)]
    replay: bool,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// Text
    #[default]
    Text,
    /// DOT, for Graphviz
    Dot,
    /// SVG drawing
    Svg,
    /// JSON, for programs
    Json,
}

const EXAMPLES: &str = "\
Examples:
  multisplit graph scan
  multisplit graph scan --n 2^28 --method lookback
  multisplit graph split --m 256 --method block --op split_delta_pairs
  multisplit graph split --m 256 --format svg > split.svg
  multisplit graph sort --op sort_pairs_u32_u32 --n 2^20
  multisplit graph histogram --m 65536 --op histogram_range
  multisplit graph sort --n 2^20 --m 256
  multisplit graph sssp --n 5000 --m 20000 --method bucketing
  multisplit graph sssp --graph grid:10000 --method near-far
  multisplit graph scan --format dot | dot -Tsvg > scan.svg

Plans depend on the limits of the device. Without a usable device, the minimum limits that Vulkan \
guarantees are used.";

/// Parses `--m` of a sort: the number of buckets of each multisplit. Returns the sort method.
fn parse_bucket_count(text: &str) -> Result<SortMethod, String> {
    let radix_bits = (4..=8u32).find(|bits| (1u32 << bits).to_string() == text);
    let radix_bits = radix_bits.ok_or("the number of buckets must be 16, 32, 64, 128 or 256")?;
    Ok(SortMethod::Multisplit { radix_bits })
}

/// Returns an R-MAT network of this size.
fn network(vertices: u64, edges: u64) -> Result<Source> {
    let narrow = |number: u64| {
        let problem = "a network must have fewer than 2^32 vertices (--n) and edges (--m, by default 4 times --n)";
        u32::try_from(number).context(problem)
    };
    Ok(Source::Rmat(Rmat::of_size(narrow(vertices)?, narrow(edges)?)))
}

pub fn run(options: &Options, devices: &Devices) -> Result<()> {
    let mut target = target(devices)?;
    let mut sized = |common: &PlanOptions| {
        target.replayable = common.replay;
        (target, common.n, common.format)
    };
    let (plan, format) = match &options.subject {
        Subject::Scan { method, common } => {
            let (target, n, format) = sized(common);
            (target.with_method(method.value).scan(n)?.plan, format)
        }
        Subject::Split { m, op, method, common } => {
            let (target, n, format) = sized(common);
            let rule = Rule::new(op.value.function, *m);
            (split::plan(&target, &rule, method.value, op.value.pairs, n)?.plan, format)
        }
        Subject::Sort { op, method, m, common } => {
            let (target, n, format) = sized(common);
            (sort::plan(&target, op.value, m.unwrap_or(method.value), n)?.plan, format)
        }
        Subject::Sssp { graph, n, m, method, rounds, format } => {
            let made = network(*n, m.unwrap_or(n.saturating_mul(4)))?;
            let graph = graph.as_ref().unwrap_or(&made);
            (sssp::plan(&target, graph, *method, *rounds)?, *format)
        }
        Subject::Histogram { m, op, method, common } => {
            let (target, n, format) = sized(common);
            (histogram::plan(&target, op.value, *m, method.value, n)?.plan, format)
        }
    };
    let text = match format {
        Format::Text => plan.to_text(),
        Format::Dot => plan.to_dot(),
        Format::Svg => plan_svg::svg(&plan),
        Format::Json => plan.to_json(),
    };
    writeln!(std::io::stdout().lock(), "{}", text.trim_end())?;
    Ok(())
}

/// Returns the target for the device that other commands would use, or a generic target if no device is usable.
/// A device that is named on the command line must exist.
fn target(devices: &Devices) -> Result<Target> {
    let config = Config { pipeline_cache: PipelineCache::Off, ..Config::default() };
    let error = match devices.open_with(config) {
        Ok(context) => return Ok(Target::context(&context)),
        Err(error) => error,
    };
    let absent = matches!(
        error.downcast_ref(),
        Some(Error::NoLoader(_) | Error::NoDevice | Error::MissingRequirements { .. })
    );
    if !absent || devices.device_option().is_some() {
        return Err(error);
    }
    console::note(format_args!(
        "planned with the minimum limits that Vulkan guarantees, because {error}"
    ));
    Ok(Target::any())
}
