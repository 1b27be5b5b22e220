//! `multisplit bench`: benchmarks, sizes, and output files.

use std::cell::RefCell;
use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, Parser, value_parser};
use multisplit::ash::vk::PhysicalDeviceType;
use multisplit::operations::split::MAX_BUCKETS;
use multisplit::{Context, Error};

use crate::clock::Clock;
use crate::figures::distinct;
use crate::measure::{Bench, Timing, too_large};
use crate::output::Output;
use crate::paper::PaperOptions;
use crate::plans::Target;
use crate::subjects::{Subject, family, histogram, host, sort, split, sssp, topk, words};
use crate::{console, size};

/// Arguments of `multisplit bench`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Subjects to measure, one after the other
    #[arg(value_enum, default_value = "all")]
    subject: Vec<Subject>,
    /// Numbers of elements, separated by commas [default: 2^16,2^20,2^22,2^25,2^28; for sorts and
    /// topk also 2^12,2^14; for splits and histograms 2^25,2^28; for paper 2^25; for publish
    /// those of its tables; on a software driver 2^13,2^16, for paper 2^16]
    #[arg(long, value_name = "LIST", value_parser = size::parse, value_delimiter = ',')]
    pub(crate) n: Vec<u64>,
    /// Numbers of buckets of splits and of bins of histograms, separated by commas [default:
    /// 2,4,8,16,32,64,128,256, for histograms also 65536; for publish those of its tables; on a
    /// software driver 8,64, for publish 8,256, for paper all eight]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = value_parser!(u32).range(1..=i64::from(MAX_BUCKETS)))]
    pub(crate) m: Vec<u32>,
    /// Number of runs; the median time is reported [default: 20, on a software driver 5]
    #[arg(long, value_name = "K", value_parser = value_parser!(u32).range(1..=10_000))]
    reps: Option<u32>,
    /// Milliseconds of warm-up before each measurement, to raise the device clock [default: 500,
    /// for publish 150; on a software driver 20]
    #[arg(long, value_name = "MS", value_parser = value_parser!(u64).range(..=60_000))]
    warmup: Option<u64>,
    #[command(flatten)]
    #[allow(missing_docs, reason = "clap would take it for the text above the options")]
    pub files: FileOptions,
    /// Print the time of each pass to standard error
    #[arg(long)]
    passes: bool,
    /// Print the driver's pipeline statistics (registers, spills) to standard error
    #[arg(long)]
    pub statistics: bool,
    /// With lane-order ranking, verify the ranks of one tile in N; 0 verifies none [default: 256]
    #[arg(long, value_name = "N")]
    canary: Option<u32>,
    /// Do not enable the features for maximal reconvergence and subgroup-uniform control flow
    #[arg(long)]
    pub without_reconvergence: bool,
    #[command(flatten)]
    split: split::SplitOptions,
    #[command(flatten)]
    histogram: histogram::HistogramOptions,
    #[command(flatten)]
    sort: sort::SortOptions,
    #[command(flatten)]
    family: family::FamilyOptions,
    #[command(flatten)]
    topk: topk::TopKOptions,
    #[command(flatten)]
    pub(crate) sssp: sssp::SearchOptions,
    #[command(flatten)]
    pub(crate) paper: PaperOptions,
    #[command(flatten)]
    #[allow(missing_docs, reason = "clap would take it for the text above the options")]
    pub publish: PublishOptions,
}

/// Arguments of `multisplit bench publish` alone.
#[derive(Debug, Default, PartialEq, Args)]
#[command(next_help_heading = "Options of publish")]
pub struct PublishOptions {
    /// Do not start measurements after this many minutes; a note reports what is missing [default: 10]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..=10_000))]
    pub(crate) minutes: Option<u64>,
    /// Compare with this file of an earlier run, and print cells that became slower by more than 3%.
    /// The exit status is 1 if any slowdown exceeds the noise of the samples
    #[arg(long, value_name = "OLD")]
    pub compare: Option<PathBuf>,
    /// Read this file of an earlier run instead of measuring: print its tables, or compare it (--compare)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "html", "n", "m", "minutes"])]
    pub from: Option<PathBuf>,
}

/// Arguments for input and output files.
#[derive(Debug, Args)]
pub struct FileOptions {
    /// Write the JSON lines to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write a report with plots as one self-contained HTML file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Include the figures of this file of JSON lines in the report or the published tables, for
    /// example CUB's
    #[arg(long, value_name = "FILE")]
    pub against: Vec<PathBuf>,
}

const SIZES: [u64; 5] = [1 << 16, 1 << 20, 1 << 22, 1 << 25, 1 << 28];
/// The size used in the GPU Multisplit paper, and a size that exceeds all caches.
const SPLIT_SIZES: [u64; 2] = [1 << 25, 1 << 28];
/// The smallest size is sorted by a single workgroup; the largest exceeds all caches.
const SORT_SIZES: [u64; 7] = [1 << 12, 1 << 14, 1 << 16, 1 << 20, 1 << 22, 1 << 25, 1 << 28];
/// Small sizes, so that a software driver finishes within minutes.
const SOFTWARE_SIZES: [u64; 2] = [1 << 13, 1 << 16];
/// Milliseconds of warm-up of published cells. Short, because cells are measured without pauses between them.
const PUBLISH_WARMUP: u64 = 150;
/// Number of arrays of most operations: an input and an output.
const ARRAYS: u64 = 2;

impl Options {
    /// Subjects to measure, without duplicates.
    fn subjects(&self) -> Vec<Subject> {
        distinct(self.subject.iter().flat_map(|subject| match subject {
            Subject::All => Subject::EVERY.to_vec(),
            one => vec![*one],
        }))
    }

    fn sizes(&self, subject: Subject, software: bool) -> &[u64] {
        match subject {
            _ if !self.n.is_empty() => &self.n,
            _ if software => &SOFTWARE_SIZES,
            Subject::Split | Subject::Histogram => &SPLIT_SIZES,
            Subject::Sort | Subject::Topk => &SORT_SIZES,
            _ => &SIZES,
        }
    }

    /// Runs the benchmarks on this device. With `copies`, measures the copy kernel at each size
    /// first, unless the output already has that measurement.
    pub fn measure(&self, context: &Context, copies: bool, output: &mut Output) -> Result<()> {
        self.measure_by(&self.bench(context, output)?, copies)
    }

    /// Like [`measure`](Self::measure), but with the parameters of `bench`.
    pub(crate) fn measure_by(&self, bench: &Bench<'_>, copies: bool) -> Result<()> {
        for subject in self.subjects() {
            if subject == Subject::Sssp {
                self.sssp.measure(bench)?;
                continue;
            }
            for &n in self.sizes(subject, bench.is_software()) {
                if copies && subject != Subject::Copy && !bench.output().has_copy(n) {
                    // Plots derive the ceiling of the rates from the copy rate.
                    self.measure_size(bench, Subject::Copy, n)?;
                }
                self.measure_size(bench, subject, n)?;
            }
        }
        Ok(())
    }

    /// Measurement parameters for this device.
    pub(crate) fn timing(&self, context: &Context) -> Timing {
        let (runs, warmup) = match is_software(context) {
            true => (5, 20),
            false if self.is_publish() => (20, PUBLISH_WARMUP),
            false => (20, 500),
        };
        Timing {
            runs: self.reps.unwrap_or(runs),
            warmup_ms: self.warmup.unwrap_or(warmup),
            passes: self.passes,
        }
    }

    pub(crate) fn bench<'c>(
        &self,
        context: &'c Context,
        output: &'c mut Output,
    ) -> Result<Bench<'c>> {
        let mut target = Target::context(context);
        if let Some(period) = self.canary {
            target.policy.split.canary_period = period;
        }
        let clock = if is_software(context) { None } else { Some(Clock::new(context)?) };
        let (timing, output) = (self.timing(context), RefCell::new(output));
        Ok(Bench { context, target, timing, clock, output })
    }

    fn measure_size(&self, bench: &Bench<'_>, subject: Subject, n: u64) -> Result<()> {
        if let Some(reason) = too_large(bench.context, n, ARRAYS) {
            console::note(format_args!("n = {} skipped: {reason}", size::show(n)));
            return Ok(());
        }
        let measured = match subject {
            Subject::Split => self.split.measure(bench, n, &self.m),
            Subject::Histogram => self.histogram.measure(bench, n, &self.m),
            Subject::Sort => self.sort.measure(bench, n),
            Subject::Topk => self.topk.measure(bench, n),
            Subject::Host => host::measure(bench, n),
            Subject::Family => self.family.measure(bench, n),
            subject => words::measure(bench, subject, n),
        };
        match measured {
            // The check above does not include the workspace, and other processes use memory too.
            Err(error) if does_not_fit(&error) => {
                console::note(format_args!("n = {} skipped: {error:#}", size::show(n)));
                Ok(())
            }
            other => other,
        }
    }

    /// Whether the subjects include `publish`.
    pub fn is_publish(&self) -> bool {
        self.subject.contains(&Subject::Publish)
    }

    /// Whether the subjects include `paper`.
    pub fn is_paper(&self) -> bool {
        self.subject.contains(&Subject::Paper)
    }

    /// Rejects options that do not apply to the subjects.
    pub fn check(&self) -> Result<(), &'static str> {
        let subjects = self.subjects();
        let has = |subject| subjects.contains(&subject);
        let (split, histogram) = (has(Subject::Split), has(Subject::Histogram));
        let (paper, publish) = (has(Subject::Paper), self.is_publish());
        // `paper` accepts --graph, but no other options of sssp.
        let graph = if paper { self.sssp.graph.clone() } else { Vec::new() };
        let no_search = sssp::SearchOptions { graph, ..Default::default() };
        Err(match () {
            () if !split && given(&self.split) => {
                "--op, --method and --distribution need `multisplit bench split`"
            }
            () if !histogram && given(&self.histogram) => {
                "--bins, --histograms, --count-by, --samples and --tune need `multisplit bench histogram`"
            }
            () if !split && !histogram && !paper && !publish && !self.m.is_empty() => {
                "--m needs `multisplit bench split`, `histogram`, `paper` or `publish`"
            }
            () if !has(Subject::Sort) && given(&self.sort) => {
                "--sorts and --sort-by need `multisplit bench sort`"
            }
            () if !has(Subject::Family) && given(&self.family) => {
                "--family needs `multisplit bench family`"
            }
            () if !has(Subject::Topk) && given(&self.topk) => {
                "--k, --topk-rows and --topk-by need `multisplit bench topk`"
            }
            () if !has(Subject::Sssp) && self.sssp != no_search => {
                "--graph needs `multisplit bench sssp` or `paper`; the other options of sssp need `multisplit bench sssp`"
            }
            () if subjects == [Subject::Sssp] && !self.n.is_empty() => {
                "`multisplit bench sssp` takes networks (--graph), not sizes"
            }
            () if !paper && given(&self.paper) => "--table needs `multisplit bench paper`",
            () if paper && subjects.len() > 1 => {
                "`multisplit bench paper` cannot be combined with other subjects"
            }
            () if paper && self.n.len() > 1 => "`multisplit bench paper` takes only one --n",
            () if !publish && given(&self.publish) => {
                "--minutes, --compare and --from need `multisplit bench publish`"
            }
            () if publish && subjects.len() > 1 => {
                "`multisplit bench publish` cannot be combined with other subjects"
            }
            () if !publish && self.files.html.is_none() && !self.files.against.is_empty() => {
                "--against needs --html or `multisplit bench publish`"
            }
            () => return Ok(()),
        })
    }
}

const EXAMPLES: &str = "\
Examples:
  multisplit bench > ours.jsonl
  multisplit bench paper --html paper.html
  multisplit bench publish --json new.jsonl --compare old.jsonl
  multisplit bench publish --from new.jsonl --compare old.jsonl
  multisplit bench publish --from new.jsonl --against cub.jsonl
  multisplit bench all --html report.html --json all.jsonl
  multisplit bench scan --n 2^25,2^28 --passes
  multisplit bench copy --reps 100 --json copy.jsonl
  multisplit bench scan --n 2^20 --statistics
  multisplit bench sort --n 2^20 --ranking promised,probed
  multisplit bench split --op split_delta_keys,split_delta_pairs --method block,onesweep
  multisplit bench split --n 2^25 --m 256 --distribution binomial
  multisplit bench split --n 2^20,2^25 --html report.html --against cub.jsonl
  multisplit bench sort --n 2^20,2^25 --sorts sort_keys_u32 --sort-by onesweep,r8
  multisplit bench family --n 2^25 --family select_if_u32,unique_u32
  multisplit bench topk --n 3200000 --k 2048 --topk-rows 16
  multisplit bench histogram --bins 2,256,65536 --tune cells=2048,loads=8
  multisplit bench sssp --graph rmat,usa_ny.gr.gz --search near-far,multisplit
  multisplit bench sssp --graph grid --search near-far --tune-search local_hops=16

The first line names the device. Each other line has anchor, op, n, m (buckets, bins, row length \
or k; 0: none), ms (GPU time), gps (10^9 elements per second) and method. Every configuration is \
verified against the CPU once. Sizes that exceed the device's limits are skipped, with a note. A \
small scan always takes one workgroup; its method is then `one-workgroup`.

Lines of sorts and splits also have the ranking: `probed` if they rely on the order of atomics that a \
probe found on the device, otherwise `promised`. If the driver supports pipeline statistics \
(registers, local memory), the last lines contain them, except with publish; -v prints them too. A \
warning names each ranking kernel that uses local memory.

Lines of `host` are measured by the host's clock and include transfers: a sort into the caller's \
memory, and its transfers alone.

Lines of splits also have the distribution and the milliseconds of each stage: prescan_ms, scan_ms \
and postscan_ms, or those of other methods, such as sweep_ms; and clear_ms for all other passes. Stages \
are timed one by one; ms is the time of an uninterrupted run. Values of pairs are indices.

`multisplit bench paper` runs the experiments of the paper (GPU Multisplit, Ashkiani et al. 2017) \
and prints its tables, with the figures of this device below those of the paper's GTX 1080; --json \
has the lines.

`multisplit bench publish` measures every cell of the tables in docs/performance.md; --n and --m \
replace its sizes, and --ranking its rankings (all that the device supports). Its first line also \
has commit (MULTISPLIT_COMMIT, which `./x bench` sets), date and, if known, clocks; each cell has its raw \
samples, samples_ms; the last line is the number of cells. --compare takes such a file, as --from \
does. A change is noise if the 95% intervals of the two medians overlap. With --json or --from, \
standard output gets the tables in Markdown, or with --compare the comparison.

Lines of sssp have graph, edges, method, delta, ms (GPU time of a whole search, the mean over the \
sources), mteps (millions of arcs per second), rounds and relaxations. For methods with separate \
bucketing passes, bucketing_share is the share of the time that these passes take.";

/// Parser of the arguments of `multisplit bench` in a string.
#[derive(Parser)]
pub(crate) struct Line {
    #[command(flatten)]
    options: Options,
}

impl Line {
    pub(crate) fn parse(arguments: &str) -> Result<Options> {
        let words = std::iter::once("bench").chain(arguments.split_whitespace());
        Ok(Self::try_parse_from(words)?.options)
    }
}

/// Runs the benchmarks given by arguments of `multisplit bench` on an open device.
pub fn measure(arguments: &str, context: &Context, output: &mut Output) -> Result<()> {
    Line::parse(arguments)?.measure(context, false, output)
}

/// Whether any of these options was given.
fn given<T: Default + PartialEq>(options: &T) -> bool {
    *options != T::default()
}

/// Whether the device is a software driver, for which the defaults are smaller.
pub(crate) fn is_software(context: &Context) -> bool {
    context.properties().device_type == PhysicalDeviceType::CPU
}

fn does_not_fit(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(Error::OutOfMemory { .. } | Error::TooLarge { .. }))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{Line, Subject};

    /// Whether these are valid arguments of `multisplit bench`.
    pub fn parses(arguments: &str) -> bool {
        Line::parse(arguments).is_ok()
    }

    #[test]
    fn bench_all_measures_every_subject_once() {
        let subjects = |line: &str| Line::parse(line).expect("the arguments are valid").subjects();
        assert_eq!(subjects(""), Subject::EVERY);
        assert_eq!(subjects("scan all").len(), Subject::EVERY.len());
        assert_eq!(subjects("sort copy sort"), [Subject::Sort, Subject::Copy]);
        assert!(!parses("nothing") && !parses("split --m 0"));
    }
}
