//! Files of `multisplit bench publish`: a line with the device, a line per cell, and a line with the number of cells.

use anyhow::{Context as _, Result, bail, ensure};
use serde::Deserialize;
use serde_json::Value;

use crate::figures::{median, six_digits};
use crate::size;

/// A complete file of `multisplit bench publish`.
#[derive(Clone, Debug)]
pub struct Results {
    pub(super) origin: Origin,
    pub(super) cells: Vec<Cell>,
}

/// The first line: the device, the program and the time.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Origin {
    pub device: String,
    driver: String,
    version: String,
    commit: Option<String>,
    date: String,
    clocks: Option<String>,
}

/// The last line.
#[derive(Deserialize)]
struct End {
    cells: usize,
}

/// One measured cell.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Cell {
    pub op: String,
    pub n: u64,
    pub m: u64,
    pub ranking: Option<String>,
    /// The median of the samples.
    pub ms: f64,
    pub samples_ms: Vec<f64>,
    #[serde(default = "yes")]
    pub settled: bool,
}

fn yes() -> bool {
    true
}

impl Cell {
    /// The fields that identify a cell. The method is not part of the key, because it may change between versions.
    pub fn key(&self) -> (&str, u64, Option<&str>, u64) {
        (&self.op, self.m, self.ranking.as_deref(), self.n)
    }

    /// The operation and its ranking.
    pub fn operation(&self) -> String {
        match &self.ranking {
            Some(ranking) => format!("{} ({ranking})", self.op),
            None => self.op.clone(),
        }
    }

    /// The numbers of elements and of buckets.
    pub fn sizes(&self) -> String {
        let m = if self.m > 0 { format!(", m = {}", size::show(self.m)) } else { String::new() };
        format!("n = {}{m}", size::show(self.n))
    }
}

impl Results {
    /// Parses a file. Rejects truncated files, and files of other programs and subjects.
    pub fn parse(text: &str) -> Result<Self> {
        let lines: Vec<&str> = text.lines().collect();
        let [first, cells @ .., last] = &lines[..] else {
            bail!("it has fewer than two lines, so it is not from `multisplit bench publish`");
        };
        let origin = serde_json::from_str(first)
            .context("line 1 does not describe a run of `multisplit bench publish`")?;
        let end: End = serde_json::from_str(last)
            .context("it is truncated: its last line is not the number of cells")?;
        let mut found: Vec<Cell> = Vec::new();
        for (index, line) in cells.iter().enumerate() {
            let line = parse_cell(line).with_context(|| format!("line {}", index + 2))?;
            let twice = found.iter().any(|cell| cell.key() == line.key());
            ensure!(!twice, "{}, {} is listed twice", line.operation(), line.sizes());
            found.push(line);
        }
        let (count, expected) = (found.len(), end.cells);
        ensure!(count == expected, "it has {count} cells, but its last line counts {expected}");
        Ok(Self { origin, cells: found })
    }

    /// Keeps only some cells. Returns an error if none is left; `what` describes the selection.
    pub(super) fn keep(&mut self, what: &str, selected: impl Fn(&Cell) -> bool) -> Result<()> {
        self.cells.retain(selected);
        ensure!(!self.cells.is_empty(), "no cell is left by `{what}`");
        Ok(())
    }

    /// The device, the program, and the date, in one line.
    pub fn description(&self) -> String {
        let Origin { device, driver, version, commit, date, clocks } = &self.origin;
        let commit = commit.as_deref().unwrap_or("unknown");
        let clocks = clocks.as_ref().map_or(String::new(), |clocks| format!("; clocks {clocks}"));
        format!("{device}, {driver}; multisplit {version}, commit {commit}{clocks}; {date}")
    }
}

/// Parses a cell, whose time must be the median of its samples.
fn parse_cell(line: &str) -> Result<Cell> {
    let value: Value = serde_json::from_str(line).context("it is not JSON")?;
    let cell: Cell =
        serde_json::from_value(value).context("it is not a cell with its raw samples")?;
    let median = median(cell.samples_ms.clone());
    ensure!(!cell.samples_ms.is_empty(), "it has no raw samples");
    ensure!(
        six_digits(median) == six_digits(cell.ms),
        "ms is {}, but the median of samples_ms is {median}",
        cell.ms
    );
    Ok(cell)
}
