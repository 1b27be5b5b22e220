//! `multisplit bench histogram`: all operations, bin counts and methods, with optional tuning parameters.

use anyhow::{Context as _, Result, bail};
use clap::{Args, value_parser};
use multisplit::Array;
use multisplit::operations::histogram::HistogramTuning;
use serde::Serialize;

use crate::histogram::{BYTES, HistogramPlan, Method, Op, Spread, expected, samples};
use crate::measure::Bench;
use crate::output::Output;
use crate::plans::Target;
use crate::size;
use crate::subjects::cases::POISON;

/// Arguments of `multisplit bench histogram` alone. None has a default that clap knows, so that one
/// given to another subject can be refused.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of histogram")]
pub struct HistogramOptions {
    /// Numbers of bins, up to 2^20, separated by commas [default: as --m]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = value_parser!(u32).range(1..=1 << 20))]
    bins: Vec<u32>,
    /// Histograms, separated by commas [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_enum)]
    histograms: Vec<Op>,
    /// Counting methods, separated by commas [default: auto]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_enum)]
    count_by: Vec<Method>,
    /// Distribution of the samples [default: uniform]
    #[arg(long, value_enum)]
    samples: Option<Spread>,
    /// Override kernel sizes: threads=512,loads=2,tiles=16,min-groups=1056,
    /// copies=4,copies-bytes=32768,passes=6,registers=8,cells-per-bin=8,
    /// cells=2048,lookup-threads=1024; lists separated by semicolons are measured one after
    /// another
    #[arg(long, value_name = "LISTS", value_delimiter = ';', value_parser = tune)]
    tune: Vec<Sizes>,
}

const BINS: [u32; 9] = [2, 4, 8, 16, 32, 64, 128, 256, 65_536];
/// Few bin counts, because a software driver compiles kernels for each.
const SOFTWARE_BINS: [u32; 2] = [8, 64];
const OPS: [Op; 4] = [Op::Even, Op::Range, Op::Bytes, Op::Pixels];

/// Tuning parameters that differ from the device's.
#[derive(Clone, Debug, Serialize)]
struct Sizes {
    tune: String,
    #[serde(skip)]
    pairs: Vec<(String, u32)>,
}

/// Parses parameters separated by commas.
fn tune(text: &str) -> Result<Sizes, String> {
    let pairs = text.split(',').map(pair).collect::<Result<_, _>>()?;
    Ok(Sizes { tune: text.to_owned(), pairs })
}

/// Parses `name=number`.
fn pair(text: &str) -> Result<(String, u32), String> {
    let (name, number) = text.split_once('=').ok_or("expected NAME=NUMBER")?;
    let number = number.parse().map_err(|_| format!("`{number}` is not a number"))?;
    let pair = (name.to_owned(), number);
    apply(&mut HistogramTuning::for_device(&multisplit::DeviceProperties::default()), &pair)
        .map_err(|error| error.to_string())?;
    Ok(pair)
}

fn apply(tuning: &mut HistogramTuning, (name, number): &(String, u32)) -> Result<()> {
    let field = match name.as_str() {
        "threads" => &mut tuning.threads,
        "loads" => &mut tuning.loads,
        "tiles" => &mut tuning.tiles,
        "min-groups" => &mut tuning.min_groups,
        "copies" => &mut tuning.copies,
        "copies-bytes" => &mut tuning.copies_bytes,
        "passes" => &mut tuning.max_passes,
        "registers" => &mut tuning.register_bins,
        "cells-per-bin" => &mut tuning.cells_per_bin,
        "cells" => &mut tuning.cells,
        "lookup-threads" => &mut tuning.lookup_threads,
        other => bail!("unknown size `{other}`"),
    };
    *field = *number;
    Ok(())
}

impl HistogramOptions {
    /// Whether any option was given.
    pub fn any(&self) -> bool {
        let lists = self.bins.is_empty() && self.histograms.is_empty() && self.count_by.is_empty();
        !lists || self.samples.is_some() || !self.tune.is_empty()
    }

    /// Measures histograms of `n` elements, with `m` bins unless `--bins` is given.
    pub fn measure(&self, bench: &Bench<'_>, n: u64, m: &[u32], output: &mut Output) -> Result<()> {
        let ops = if self.histograms.is_empty() { &OPS[..] } else { &self.histograms };
        let spread = self.samples.unwrap_or_default();
        let default = if bench.software { &SOFTWARE_BINS[..] } else { &BINS };
        let asked = if self.bins.is_empty() { m } else { &self.bins };
        let bins = if asked.is_empty() { default } else { asked };
        for floats in [true, false] {
            let ops: Vec<Op> = ops.iter().copied().filter(|op| op.floats() == floats).collect();
            if ops.is_empty() {
                continue;
            }
            // Allocate device memory first, so that a size that does not fit fails before generating the
            // input.
            let device_samples = bench.context.zeroed::<u32>(n)?;
            let words = samples(floats, spread, n)?;
            bench.context.write(&device_samples, 0, &words)?;
            let input = Input { bench, n, words: &words, device: &device_samples };
            for op in ops {
                self.measure_op(&input, op, bins, output)?;
            }
        }
        Ok(())
    }

    /// The targets to measure, one for each set of tuning parameters.
    fn targets(&self, bench: &Bench<'_>) -> Result<Vec<(Option<&Sizes>, Target)>> {
        let mut targets = Vec::new();
        for sizes in &self.tune {
            let mut target = Target::context(bench.context);
            sizes.pairs.iter().try_for_each(|p| apply(&mut target.policy.histogram, p))?;
            targets.push((Some(sizes), target));
        }
        if targets.is_empty() {
            targets.push((None, Target::context(bench.context)));
        }
        Ok(targets)
    }

    fn measure_op(
        &self,
        input: &Input<'_>,
        op: Op,
        bins: &[u32],
        output: &mut Output,
    ) -> Result<()> {
        let methods = if self.count_by.is_empty() { &[Method::Auto][..] } else { &self.count_by };
        let bins = if op.floats() { bins } else { &[BYTES] };
        for &m in bins {
            let words = &input.words[..op.words(input.n) as usize];
            let expected = expected(op, m, words, input.n);
            let targets = self.targets(input.bench)?;
            for ((sizes, target), &method) in
                targets.iter().flat_map(|t| methods.iter().map(move |m| (t, m)))
            {
                // Skip cases that a method does not support.
                if method == Method::Ballots && (m > BYTES || op.channels() > 1) {
                    continue;
                }
                if let (Some(sizes), true) = (sizes, self.tune.len() > 1) {
                    output.line(sizes)?;
                }
                input.measure(target, op, m, method, &expected, output).with_context(|| {
                    format!("{} ({method:?}), n = {}, m = {m}", op.name(), size::show(input.n))
                })?;
            }
        }
        Ok(())
    }
}

/// The samples of one size, on the host and the device.
struct Input<'i> {
    bench: &'i Bench<'i>,
    n: u64,
    words: &'i [u32],
    device: &'i Array<u32>,
}

impl Input<'_> {
    fn measure(
        &self,
        target: &Target,
        op: Op,
        m: u32,
        method: Method,
        expected: &[u32],
        output: &mut Output,
    ) -> Result<()> {
        let context = self.bench.context;
        let histogram = HistogramPlan::new(target, op, m, method, self.n, true)?;
        let executable = context.instantiate(histogram.plan.clone())?;
        let counts = context.upload(&vec![POISON; expected.len()])?;
        let bound = histogram.bind(self.device, &counts);
        context.run(&executable, &bound)?;
        let got = context.download(&counts)?;
        if let Some(bin) = got.iter().zip(expected).position(|(got, expected)| got != expected) {
            let (got, expected) = (got[bin], expected[bin]);
            bail!("the histogram is wrong: bin {bin} has {got}, but {expected} on the CPU");
        }
        let names = (op.name(), histogram.method);
        self.bench.figure(names, (self.n, m.into()), &executable, &bound, output)
    }
}
