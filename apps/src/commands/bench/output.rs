//! Where the figures go: JSON lines for programs, a table for people.
//!
//! The keys are those that the CUDA figures of the same operations are printed with, so that the
//! two files can be joined.

use std::io::{self, IsTerminal as _, Write};

use anyhow::Result;
use multisplit::{DeviceProperties, PassTime, PipelineStatistic};
use serde::Serialize;

use super::stages::Stages;
use super::subjects::COPY;
use crate::{figures, passes, report, size};

/// Who measured: the first key of every line.
pub const ANCHOR: &str = "multisplit";

/// One measured figure.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    /// The operation.
    pub op: &'static str,
    /// Elements.
    pub n: u64,
    /// Buckets.
    pub m: u64,
    /// Milliseconds of GPU time.
    pub ms: f64,
    /// 10^9 elements a second.
    pub gps: f64,
    /// How it was done.
    pub method: &'static str,
    /// What only splits have.
    pub split: Option<SplitFigure>,
}

/// What the figure of a split has besides.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SplitFigure {
    /// How the keys are spread over the buckets.
    pub distribution: &'static str,
    /// The time of each stage.
    #[serde(flatten)]
    pub stages: Stages,
}

#[derive(Serialize)]
struct DeviceLine<'a> {
    anchor: &'static str,
    device: &'a str,
    driver: &'a str,
    version: &'static str,
}

#[derive(Serialize)]
struct FigureLine {
    anchor: &'static str,
    op: &'static str,
    n: u64,
    m: u64,
    ms: f64,
    gps: f64,
    method: &'static str,
    #[serde(flatten)]
    split: Option<SplitFigure>,
}

/// Takes the figures as they come.
pub struct Output {
    lines: Box<dyn Write>,
    figures: Vec<Figure>,
    /// What was written so far.
    text: String,
}

impl Output {
    /// To standard output, as they come.
    pub fn printed() -> Self {
        Self { lines: Box::new(io::stdout()), figures: Vec::new(), text: String::new() }
    }

    /// Kept, and written nowhere yet.
    pub fn kept() -> Self {
        Self { lines: Box::new(io::sink()), figures: Vec::new(), text: String::new() }
    }

    /// The first line.
    pub fn device(&mut self, properties: &DeviceProperties) -> Result<()> {
        self.line(&DeviceLine {
            anchor: ANCHOR,
            device: &properties.name,
            driver: &properties.driver,
            version: env!("CARGO_PKG_VERSION"),
        })
    }

    /// A line for `figure`.
    pub fn figure(&mut self, figure: Figure) -> Result<()> {
        let Figure { op, n, m, ms, gps, method, split } = figure;
        let (ms, gps) = (six_digits(ms), six_digits(gps));
        self.line(&FigureLine { anchor: ANCHOR, op, n, m, ms, gps, method, split })?;
        self.figures.push(figure);
        Ok(())
    }

    /// The passes of the last figure. For people, so never among the lines.
    pub fn passes(&self, times: &[PassTime]) {
        if let Some(Figure { op, n, m, method, .. }) = self.figures.last() {
            let (n, table) = (size::show(*n), passes::table(times));
            let buckets = if *m > 0 { format!(", m = {m}") } else { String::new() };
            report::say(format_args!("{op} ({method}), n = {n}{buckets}\n{table}"));
        }
    }

    /// All lines so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether no figure has come yet: the first line is the device's.
    pub fn is_empty(&self) -> bool {
        self.text.lines().nth(1).is_none()
    }

    /// Whether the copy kernel has been measured on `n` elements.
    pub fn has_copy(&self, n: u64) -> bool {
        self.figures.iter().any(|figure| figure.op == COPY && figure.n == n)
    }

    /// All figures as a table, where a person is looking.
    pub fn table(&self) {
        if io::stdout().is_terminal() {
            report::say(table(&self.figures));
        }
    }

    /// A line of any kind.
    pub fn line(&mut self, line: &impl Serialize) -> Result<()> {
        // In one piece, so that a reader sees whole lines whenever it looks.
        let mut text = serde_json::to_string(line)?;
        text.push('\n');
        self.text += &text;
        self.lines.write_all(text.as_bytes())?;
        Ok(self.lines.flush()?)
    }
}

/// What the driver says of each pipeline.
pub fn statistics(figures: &[PipelineStatistic]) {
    if figures.is_empty() {
        report::note("the driver has no statistics of pipelines");
    }
    let mut kernel = "";
    for figure in figures {
        if figure.kernel != kernel {
            kernel = &figure.kernel;
            report::say(kernel);
        }
        report::say(format_args!("  {:32} {}", figure.name, figure.value));
    }
}

fn table(figures: &[Figure]) -> String {
    let mut text = format!(
        "\n{:20}  {:18}  {:>12}  {:>4}  {:>10}  {:>10}",
        "operation", "method", "n", "m", "GPU time", "rate"
    );
    for Figure { op, n, m, ms, gps, method, .. } in figures {
        let m = if *m > 0 { m.to_string() } else { String::new() };
        let (n, time, rate) = (size::show(*n), figures::time(ms * 1e6), figures::rate(*gps));
        text += &format!("\n{op:20}  {method:18}  {n:>12}  {m:>4}  {time:>10}  {rate:>10}");
    }
    text
}

/// The digits that a measurement can have.
pub fn six_digits(value: f64) -> f64 {
    // A finite number in this form always reads back.
    format!("{value:.5e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::{Figure, six_digits, table};

    #[test]
    fn figures_keep_six_digits() {
        assert_eq!(six_digits(0.062_559_123), 0.062_559_1);
        assert_eq!(six_digits(0.0), 0.0);
        assert_eq!(six_digits(123_456_789.0), 123_457_000.0);
    }

    #[test]
    fn the_table_has_a_line_for_each_figure() {
        let figure = Figure {
            op: "scan_exclusive_u32",
            n: 1 << 25,
            m: 0,
            ms: 0.125,
            gps: 268.4,
            method: "lookback",
            split: None,
        };
        let text = table(&[figure]);
        let line = text.lines().last().unwrap_or_default();
        for part in ["scan_exclusive_u32", "lookback", "2^25", "125 us", "268 G/s"] {
            assert!(line.contains(part), "{part}: {line}");
        }
    }
}
