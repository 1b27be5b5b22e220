//! `multisplit bench`: what is measured, on which sizes, and where the figures go.

mod histogram;
mod measure;
mod output;
mod page;
mod sort;
mod split;
mod sssp;
mod stages;
mod subjects;

use anyhow::{Result, bail};
use clap::error::ErrorKind;
use clap::{Args, Parser, value_parser};
use multisplit::{Config, Context, Error};

pub use self::output::Output;

use self::measure::{Bench, Timing};
use self::subjects::Subject;
use crate::device::Devices;
use crate::jobs::bytes_of;
use crate::{figures, report, size};

/// Arguments of `multisplit bench`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// What is measured
    #[arg(value_enum, default_value_t)]
    subject: Subject,
    /// How many elements; several, separated by commas [default: 2^16,2^20,2^22,2^25,2^28; for
    /// splits and histograms 2^25,2^28]
    #[arg(long, value_name = "LIST", value_parser = size::parse, value_delimiter = ',')]
    n: Vec<u64>,
    /// Runs that each figure is the median of
    #[arg(long, value_name = "K", value_parser = value_parser!(u32).range(1..=10_000), default_value_t = 20)]
    reps: u32,
    /// Milliseconds of running before each measurement, so that the clocks are up
    #[arg(long, value_name = "MS", value_parser = value_parser!(u64).range(..=60_000), default_value_t = 500)]
    warmup: u64,
    /// Write the JSON lines to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    json: Option<std::path::PathBuf>,
    #[command(flatten)]
    page: page::PageOptions,
    /// Print the time of each pass, on standard error
    #[arg(long)]
    passes: bool,
    /// Print what the driver says of each pipeline (registers, spills), on standard error
    #[arg(long)]
    statistics: bool,
    #[command(flatten)]
    split: split::SplitOptions,
    #[command(flatten)]
    histogram: histogram::HistogramOptions,
    #[command(flatten)]
    sort: sort::SortOptions,
    #[command(flatten)]
    sssp: sssp::SearchOptions,
}

const SIZES: [u64; 5] = [1 << 16, 1 << 20, 1 << 22, 1 << 25, 1 << 28];
/// The paper's size, and one that no cache hides.
const SPLIT_SIZES: [u64; 2] = [1 << 25, 1 << 28];
/// From what one workgroup sorts to what no cache hides.
const SORT_SIZES: [u64; 7] = [1 << 12, 1 << 14, 1 << 16, 1 << 20, 1 << 22, 1 << 25, 1 << 28];
/// Input and output.
const ARRAYS: u64 = 2;

impl Options {
    fn sizes(&self) -> &[u64] {
        match self.subject {
            _ if !self.n.is_empty() => &self.n,
            Subject::Split | Subject::Histogram => &SPLIT_SIZES,
            Subject::Sssp => &[],
            Subject::Sort => &SORT_SIZES,
            _ => &SIZES,
        }
    }

    /// Measures on this device; before each size the copy kernel, if its rate is wanted besides.
    fn measure(&self, context: &Context, copies: bool, output: &mut Output) -> Result<()> {
        let timing = Timing { runs: self.reps, warmup_ms: self.warmup, passes: self.passes };
        let bench = Bench { context, timing };
        if self.subject == Subject::Sssp {
            self.sssp.measure(&bench, output)?;
        }
        for &n in self.sizes() {
            if let Some(reason) = too_large(context, n, ARRAYS) {
                report::note(format_args!("n = {} left out: {reason}", size::show(n)));
                continue;
            }
            if copies && self.subject.lacks_copy() {
                // The ceiling of everything else.
                bench.measure(Subject::Copy, n, output)?;
            }
            let measured = match self.subject {
                Subject::Split => self.split.measure(&bench, n, output),
                Subject::Histogram => self.histogram.measure(&bench, n, output),
                Subject::Sort => self.sort.measure(&bench, n, output),
                subject => bench.measure(subject, n, output),
            };
            match measured {
                // Another process may hold what the device has.
                Err(error) if does_not_fit(&error) => {
                    report::note(format_args!("n = {} left out: {error:#}", size::show(n)));
                }
                other => other?,
            }
        }
        Ok(())
    }

    /// Ends the program, with the status of wrong usage, where an option means nothing.
    fn check(&self) {
        if self.subject != Subject::Split && self.split.any() {
            let text = "--m, --op, --method and --distribution are for `multisplit bench split`\n";
            clap::Error::raw(ErrorKind::ArgumentConflict, text).exit();
        }
        if self.subject != Subject::Histogram && self.histogram.any() {
            let text = "--bins, --histograms, --count-by, --samples and --tune are for `multisplit \
                        bench histogram`\n";
            clap::Error::raw(ErrorKind::ArgumentConflict, text).exit();
        }
        if self.subject != Subject::Sort && self.sort.any() {
            let text = "--sorts and --sort-by are for `multisplit bench sort`\n";
            clap::Error::raw(ErrorKind::ArgumentConflict, text).exit();
        }
        if self.subject != Subject::Sssp && self.sssp.any() {
            let text = "the options of sssp are for `multisplit bench sssp`\n";
            clap::Error::raw(ErrorKind::ArgumentConflict, text).exit();
        }
        if self.subject == Subject::Sssp && !self.n.is_empty() {
            let text = "`multisplit bench sssp` takes networks (--graph), not sizes\n";
            clap::Error::raw(ErrorKind::ArgumentConflict, text).exit();
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  multisplit bench > ours.jsonl
  multisplit bench scan --n 2^25,2^28 --passes
  multisplit bench copy --reps 100 --json copy.jsonl
  multisplit bench scan --n 2^20 --statistics
  multisplit bench split --op split_delta_keys,split_delta_pairs --method block,onesweep
  multisplit bench split --n 2^25 --m 256 --distribution binomial
  multisplit bench split --n 2^20,2^25 --html report.html --against cub.jsonl
  multisplit bench sort --n 2^20,2^25 --sorts sort_keys_u32 --sort-by onesweep,r8
  multisplit bench histogram --bins 2,256,65536 --tune cells=2048,loads=8
  multisplit bench sssp --graph rmat,usa_ny.gr.gz --search near-far,multisplit
  multisplit bench sssp --graph grid --search near-far --tune-search local_hops=16

Each line has anchor, op, n, m (0: no buckets), ms (GPU time), gps (10^9 elements a second) and
method; the first one names the device. Every configuration is checked against the CPU once.
Sizes that the device cannot hold are left out, with a note. A small scan takes one workgroup
whatever it is asked to take; its method is then `one-workgroup`.

Lines of splits have the distribution too, and the milliseconds of each stage: prescan_ms, scan_ms
and postscan_ms, for onesweep histogram_ms and sweep_ms; for both clear_ms, which is everything
before. Stages are timed one by one, ms without a stop between them. Values of pairs are indices.

Lines of sssp have graph, edges, method, delta, ms (GPU time of a whole search, the mean over the
sources), mteps (arcs / time), rounds, relaxations, and of methods with passes for it the share
of the time that bucketing takes.";

/// Measures, and prints the figures as they come.
pub fn run(options: &Options, devices: &Devices) -> Result<()> {
    options.check();
    let config = Config { pipeline_statistics: options.statistics, ..Config::default() };
    let context = devices.open_with(config)?;
    let mut page = options.page.begin(devices)?;
    let mut output = Output::create(options.json.as_deref())?;
    output.device(context.properties())?;
    options.measure(&context, page.is_some(), &mut output)?;
    if output.is_empty() && options.subject != Subject::Sssp {
        bail!("nothing was measured: no size fits the device; try a smaller --n");
    }
    output.table();
    if let Some(page) = page.take() {
        page.write(output.text())?;
    }
    if options.statistics {
        output::statistics(&context.pipeline_statistics());
    }
    Ok(())
}

/// Measures what these arguments of `multisplit bench` ask for, on a device that is open.
pub fn measure(arguments: &str, context: &Context, output: &mut Output) -> Result<()> {
    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: Options,
    }
    let words = std::iter::once("bench").chain(arguments.split_whitespace());
    Line::try_parse_from(words)?.options.measure(context, false, output)
}

/// Why so many arrays of `n` words do not fit the device.
fn too_large(context: &Context, n: u64, arrays: u64) -> Option<String> {
    let properties = context.properties();
    let array = bytes_of(n);
    if array > properties.max_allocation {
        let (array, most) = (figures::bytes(array), figures::bytes(properties.max_allocation));
        return Some(format!("an array takes {array}, an allocation {most} at most"));
    }
    // A tenth is left for the workspace, for staging, and for others.
    let (all, room) = (array.saturating_mul(arrays), properties.device_memory / 10 * 9);
    (all > room).then(|| {
        let memory = figures::bytes(properties.device_memory);
        format!("input and output take {}, the device has {memory}", figures::bytes(all))
    })
}

fn does_not_fit(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(Error::OutOfMemory { .. } | Error::TooLarge { .. }))
}
