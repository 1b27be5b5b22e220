//! `multisplit bench histogram`: the requested operations, bin counts and methods, with optional tuning parameters.

use anyhow::{Context as _, Result, bail};
use clap::{Args, value_parser};
use multisplit::operations::histogram::{HistogramMethod, HistogramTuning};
use multisplit::{Array, Bound};

use crate::choice::{Choice, Named as _, or_default};
use crate::histogram::{BYTES, Method, Op, Spread, expected, plan, samples};
use crate::measure::{Bench, Case};
use crate::plans::Target;
use crate::size;
use crate::subjects::words::POISON;
use crate::tune::Tune;

/// Arguments for the subject `histogram`. No option has a default in clap, so that
/// options given for another subject can be rejected.
#[derive(Debug, Default, PartialEq, Args)]
#[command(next_help_heading = "Options of histogram")]
pub struct HistogramOptions {
    /// Numbers of bins, up to 2^20, separated by commas [default: the numbers of --m]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = value_parser!(u32).range(1..=1 << 20))]
    bins: Vec<u32>,
    /// Histograms, separated by commas [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_enum)]
    histograms: Vec<Choice<Op>>,
    /// Counting methods, separated by commas [default: auto]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_enum)]
    count_by: Vec<Method>,
    /// Distribution of the samples [default: uniform]
    #[arg(long, value_enum)]
    samples: Option<Spread>,
    /// Override kernel sizes: threads=512,loads=2,tiles=16,min-groups=1056,
    /// copies=4,copies-bytes=32768,passes=6,registers=8,cells-per-bin=8,
    /// cells=2048,table-threads=1024; lists separated by semicolons are measured one after
    /// another
    #[arg(long, value_name = "LISTS", value_delimiter = ';')]
    tune: Vec<Tune<HistogramTuning>>,
}

const BINS: [u32; 9] = [2, 4, 8, 16, 32, 64, 128, 256, 65_536];
/// Only a few bin counts, because a software driver compiles kernels for each count.
const SOFTWARE_BINS: [u32; 2] = [8, 64];

impl HistogramOptions {
    /// Measures histograms of `n` elements, with `m` bins unless `--bins` is given.
    pub fn measure(&self, bench: &Bench<'_>, n: u64, m: &[u32]) -> Result<()> {
        let spread = self.samples.unwrap_or_default();
        let default = if bench.is_software() { &SOFTWARE_BINS[..] } else { &BINS };
        let bins = or_default(or_default(&self.bins, m), default);
        for floats in [true, false] {
            let ops = or_default(&self.histograms, Op::CHOICES).iter();
            let mut ops = ops.filter(|op| op.value.floats() == floats).peekable();
            if ops.peek().is_none() {
                continue;
            }
            // Allocate device memory first, so that a size that does not fit fails before generating the
            // input.
            let device = bench.context.zeroed::<u32>(n)?;
            let words = samples(floats, spread, n)?;
            bench.context.write(&device, 0, &words)?;
            let input = Input { bench, n, words, device };
            ops.try_for_each(|op| self.measure_op(&input, *op, bins))?;
        }
        Ok(())
    }

    fn measure_op(&self, input: &Input<'_, '_>, op: Choice<Op>, bins: &[u32]) -> Result<()> {
        let bins = if op.value.floats() { bins } else { &[BYTES] };
        // One target for each set of tuning parameters.
        let mut targets = vec![(None, input.bench.target); self.tune.len().max(1)];
        for ((tuned, target), tune) in targets.iter_mut().zip(&self.tune) {
            tune.apply(&mut target.policy.histogram);
            *tuned = Some(tune).filter(|_| self.tune.len() > 1);
        }
        for &m in bins {
            let words = &input.words[..op.value.words(input.n) as usize];
            let expected = expected(op.value, m, words, input.n);
            for (tune, target) in &targets {
                for method in or_default(&self.count_by, &HistogramMethod::CHOICES[..1]) {
                    // Ballots support neither more than 256 bins nor several channels.
                    let ballots = method.value == HistogramMethod::Ballots;
                    if ballots && (m > BYTES || op.value.channels() > 1) {
                        continue;
                    }
                    if let Some(tune) = tune {
                        input.bench.output().line(tune)?;
                    }
                    let (name, n) = (method.name, size::show(input.n));
                    input
                        .measure(target, op, m, method.value, &expected)
                        .with_context(|| format!("{} ({name}), n = {n}, m = {m}", op.name))?;
                }
            }
        }
        Ok(())
    }
}

/// The samples of one size, on the host and the device.
struct Input<'b, 'c> {
    bench: &'b Bench<'c>,
    n: u64,
    words: Vec<u32>,
    device: Array<u32>,
}

impl Input<'_, '_> {
    fn measure(
        &self,
        target: &Target,
        op: Choice<Op>,
        m: u32,
        method: HistogramMethod,
        expected: &[u32],
    ) -> Result<()> {
        let context = self.bench.context;
        let histogram = plan(target, op.value, m, method, self.n)?;
        let counts = context.upload(&vec![POISON; expected.len()])?;
        // Samples of every type are stored as words.
        let samples = Bound::untyped(histogram.imports[0], &self.device, 0);
        let bound = vec![samples, (histogram.imports[1], &counts).into()];
        let case = Case::new(op.name, histogram.method, self.n, bound);
        self.bench.measure(&Case { m: m.into(), ..case }, &histogram.plan, || {
            let got = context.download(&counts)?;
            if let Some(bin) = got.iter().zip(expected).position(|(got, expected)| got != expected)
            {
                let (got, expected) = (got[bin], expected[bin]);
                bail!("the histogram is wrong: bin {bin} has {got}, but {expected} on the CPU");
            }
            Ok(())
        })
    }
}
