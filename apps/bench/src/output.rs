//! Output of figures: JSON lines for programs, a table for people.
//!
//! The CUDA benchmarks of these operations use the same JSON keys, so that files of both can be joined.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal as _, Write};

use anyhow::Result;
use multisplit::{Context, PassTime, PipelineStatistics};
use serde::Serialize;

use crate::figures::{self, elements_per_nanosecond, six_digits};
use crate::ranking::Ranking;
use crate::stages::SplitFigure;
use crate::{console, passes, size};

/// Name of this program: the value of the key `anchor`.
pub const ANCHOR: &str = "multisplit";

/// The copy kernel's name in figures.
pub const COPY: &str = "copy_kernel_u32";

/// One measured figure, and its JSON line.
#[derive(Clone, Debug, Serialize)]
pub struct Figure {
    anchor: &'static str,
    op: &'static str,
    n: u64,
    /// Bucket count, bin count, row length or k, depending on the operation; 0 if it has none.
    pub m: u64,
    /// Milliseconds of GPU time.
    ms: f64,
    /// Rate in 10^9 elements per second.
    gps: f64,
    method: &'static str,
    /// `None` for operations that do not rank keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    ranking: Option<Ranking>,
    /// See [`Timed::settled`]. Written only if false.
    #[serde(skip_serializing_if = "is_true")]
    settled: bool,
    #[serde(flatten)]
    pub split: Option<SplitFigure>,
    /// Raw samples; `ms` is their median. Written only if requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    samples_ms: Vec<f64>,
}

impl Figure {
    /// A figure of `n` elements without buckets, with the measured time.
    pub fn new(op: &'static str, method: &'static str, n: u64, time: Timed) -> Self {
        let Timed { nanoseconds, settled, samples } = time;
        let ms = six_digits(nanoseconds / 1e6);
        let gps = six_digits(elements_per_nanosecond(n, nanoseconds));
        let samples_ms = samples.into_iter().map(|sample| six_digits(sample / 1e6)).collect();
        let (m, ranking, split) = (0, None, None);
        Self { anchor: ANCHOR, op, n, m, ms, gps, method, ranking, settled, split, samples_ms }
    }
}

/// Measured time of a run.
#[derive(Clone, Debug)]
pub struct Timed {
    /// The median of the samples.
    pub nanoseconds: f64,
    /// Whether the device clock was at its maximum and two batches of runs agreed.
    pub settled: bool,
    /// Nanoseconds of each run. If runs are short, each sample is the mean over a batch of them.
    pub samples: Vec<f64>,
}

/// The program and the time of a published run.
#[derive(Debug, Serialize)]
pub struct Origin {
    /// The commit that the program was built from, if known.
    pub commit: Option<String>,
    pub date: String,
    /// Clocks under load, if the driver's tool reports them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clocks: Option<String>,
}

#[derive(Serialize)]
struct DeviceLine<'a> {
    anchor: &'static str,
    device: &'a str,
    driver: &'a str,
    version: &'static str,
    /// Source of the kernel sizes.
    profile: &'a str,
    #[serde(flatten)]
    origin: Option<Origin>,
}

#[derive(Serialize)]
struct EndLine {
    anchor: &'static str,
    cells: usize,
}

#[derive(Serialize)]
struct PipelineLine<'a> {
    anchor: &'static str,
    pipeline: &'a str,
    ranking: &'static str,
    statistics: BTreeMap<&'a str, &'a str>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde requires this signature")]
pub(crate) fn is_true(value: &bool) -> bool {
    *value
}

/// Collects and prints figures.
pub struct Output {
    lines: Box<dyn Write>,
    figures: Vec<Figure>,
    /// Ranking of the kernels that are being measured.
    ranking: Ranking,
    /// Whether lines include the raw samples.
    samples: bool,
    /// All lines written so far.
    text: String,
}

impl Output {
    /// Creates an output that prints each line to standard output immediately.
    pub fn printed() -> Self {
        Self::to(Box::new(io::stdout()))
    }

    /// Creates an output that keeps the lines without printing them.
    pub fn kept() -> Self {
        Self::to(Box::new(io::sink()))
    }

    fn to(lines: Box<dyn Write>) -> Self {
        let (figures, ranking) = (Vec::new(), Ranking::Promised);
        Self { lines, figures, ranking, samples: false, text: String::new() }
    }

    /// The same output, but its lines include the raw samples.
    pub fn with_samples(self) -> Self {
        Self { samples: true, ..self }
    }

    /// Sets the ranking of all following figures.
    pub fn rank(&mut self, ranking: Ranking) {
        self.ranking = ranking;
    }

    /// Writes the first line: the device, and for a published run its origin.
    pub fn device(&mut self, context: &Context, origin: Option<Origin>) -> Result<()> {
        let (properties, profile) = (context.properties(), context.used_profile());
        self.line(&DeviceLine {
            anchor: ANCHOR,
            device: &properties.name,
            driver: &properties.driver,
            version: env!("CARGO_PKG_VERSION"),
            profile: profile.as_ref().map_or("built-in", |profile| profile.source()),
            origin,
        })
    }

    /// Writes the last line of a published run: the number of figures.
    pub fn end(&mut self) -> Result<()> {
        self.line(&EndLine { anchor: ANCHOR, cells: self.figures.len() })
    }

    /// Writes a line for `figure`.
    pub fn figure(&mut self, mut figure: Figure) -> Result<()> {
        let Figure { op, method, .. } = figure;
        if op.starts_with("sort_") || op.starts_with("split_") {
            figure.ranking = Some(self.ranking);
        }
        if !self.samples {
            figure.samples_ms.clear();
        }
        self.line(&figure)?;
        if !figure.settled {
            let n = size::show(figure.n);
            console::note(format_args!(
                "{op} ({method}), n = {n}: unreliable time: measurements differ, or the device clock was not at its maximum"
            ));
        }
        self.figures.push(figure);
        Ok(())
    }

    /// Prints the pass times of the last figure to standard error, for people.
    pub fn passes(&self, times: &[PassTime]) {
        if let Some(Figure { op, n, m, method, .. }) = self.figures.last() {
            let (n, table) = (size::show(*n), passes::table(times));
            let buckets = if *m > 0 { format!(", m = {m}") } else { String::new() };
            console::say(format_args!("{op} ({method}), n = {n}{buckets}\n{table}"));
        }
    }

    /// All lines so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether there are no figures yet. Ignores the first line, which describes the device.
    pub fn is_empty(&self) -> bool {
        self.text.lines().nth(1).is_none()
    }

    /// Whether the copy kernel has been measured on `n` elements.
    pub fn has_copy(&self, n: u64) -> bool {
        self.figures.iter().any(|figure| figure.op == COPY && figure.n == n)
    }

    /// Prints all figures as a table to standard error, if standard output is a terminal.
    pub fn table(&self) {
        if io::stdout().is_terminal() {
            console::say(table(&self.figures));
        }
    }

    /// Writes a line of any kind.
    pub fn line(&mut self, line: &impl Serialize) -> Result<()> {
        // Write the line at once, so that readers never get partial lines.
        let mut text = serde_json::to_string(line)?;
        text.push('\n');
        self.text += &text;
        self.lines.write_all(text.as_bytes())?;
        Ok(self.lines.flush()?)
    }

    /// Writes the driver's statistics of each pipeline, and prints them to standard error if `printed`. Warns if a
    /// ranking kernel spills registers, because it is then several times slower.
    pub fn statistics(&mut self, pipelines: &[PipelineStatistics], printed: bool) -> Result<()> {
        if printed && pipelines.iter().all(|pipeline| pipeline.values.is_empty()) {
            console::note("the driver does not support pipeline statistics");
        }
        for PipelineStatistics { kernel, values, .. } in pipelines {
            if values.is_empty() {
                continue;
            }
            let ranking = self.ranking.name();
            let statistics = values.iter().map(|(name, value)| (&**name, &**value)).collect();
            self.line(&PipelineLine { anchor: ANCHOR, pipeline: kernel, ranking, statistics })?;
            if printed {
                console::say(format_args!("{kernel} ({ranking})"));
                for (name, value) in values {
                    console::say(format_args!("  {name:32} {value}"));
                }
            }
            if let Some((name, value)) =
                values.iter().find(|(name, value)| spilled(name, value) > 0)
                && RANKING_KERNELS.iter().any(|ranking| kernel.starts_with(ranking))
            {
                let bytes = memory(value);
                console::note(format_args!(
                    "warning: {kernel} ({ranking}) spills registers: {name} is {bytes}"
                ));
            }
        }
        Ok(())
    }
}

/// Name prefixes of kernels that rank the keys of a tile, and that are slow unless their arrays stay in registers.
const RANKING_KERNELS: [&str; 5] = [
    "multisplit.block.postscan",
    "multisplit.onesweep",
    "sort.round",
    "sort.small",
    "sort.segments",
];

/// Number of spilled registers, or bytes of memory for them, according to a driver statistic; 0 for other statistics.
/// Depending on the driver, the name of the statistic contains `local memory`, `spill` or `scratch`.
pub fn spilled(statistic: &str, value: &str) -> u64 {
    let name = statistic.to_lowercase();
    match ["local memory", "spill", "scratch"].iter().any(|word| name.contains(word)) {
        true => memory(value),
        false => 0,
    }
}

/// Parses the value of a memory statistic. NVIDIA's driver 580 adds 2^36 to the value, so only the lower 32 bits count.
fn memory(value: &str) -> u64 {
    value.parse().map_or(0, |bytes: u64| bytes & u64::from(u32::MAX))
}

fn table(figures: &[Figure]) -> String {
    let mut text = format!(
        "\n{:20}  {:18}  {:8}  {:>12}  {:>4}  {:>10}  {:>10}",
        "operation", "method", "ranking", "n", "m", "GPU time", "rate"
    );
    for Figure { op, n, m, ms, gps, method, ranking, .. } in figures {
        let ranking = ranking.map_or("", Ranking::name);
        let m = if *m > 0 { m.to_string() } else { String::new() };
        let (n, time, rate) = (size::show(*n), figures::time(ms * 1e6), figures::rate(*gps));
        let how = format!("{op:20}  {method:18}  {ranking:8}");
        text += &format!("\n{how}  {n:>12}  {m:>4}  {time:>10}  {rate:>10}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Figure, Ranking, Timed, spilled, table};

    #[test]
    fn table_has_one_line_per_figure() {
        let time = Timed { nanoseconds: 125_000.0, settled: true, samples: Vec::new() };
        let figure = Figure::new("scan_exclusive_u32", "lookback", 1 << 25, time);
        let text = table(&[Figure { ranking: Some(Ranking::Probed), ..figure }]);
        let line = text.lines().last().unwrap_or_default();
        for part in ["scan_exclusive_u32", "lookback", "probed", "2^25", "125 us", "268 G/s"] {
            assert!(line.contains(part), "no {part} in {line}");
        }
    }

    #[test]
    fn spilled_registers_are_detected() {
        assert_eq!(spilled("Local Memory Size", &((1u64 << 36) + 256).to_string()), 256);
        assert_eq!(spilled("Local Memory Size", &(1u64 << 36).to_string()), 0);
        assert_eq!([spilled("Spilled VGPRs", "3"), spilled("Spill count", "3")], [3, 3]);
        assert_eq!(spilled("Register Count", "80"), 0);
    }
}
