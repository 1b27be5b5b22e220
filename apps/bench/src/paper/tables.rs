//! The tables of the paper: the published figures above those of this device, as rates or times, with ratios.

use super::published::{self as paper, BUCKETS, N, Rates, SPREADS, STAGE_BUCKETS};
use super::table::{Row, Table};
use crate::html::{Point, Points};

/// Figures measured on this device.
pub struct Measured<'p> {
    pub points: &'p Points,
    pub n: u64,
    /// Requested bucket counts.
    pub buckets: &'p [u32],
}

const PAPER: &str = "GTX 1080";
const HERE: &str = "here";
/// Placeholder for figures that were not measured or are not in the paper.
const NOTHING: &str = "-";

impl Measured<'_> {
    /// Table of the reference methods: radix sort, and a split by a scan.
    pub fn reference(&self) -> Table {
        let mut rows = Vec::new();
        for (kind, sort, split) in paper::REFERENCE {
            let ours = self.sort(kind);
            let what = format!("{kind}, radix sort");
            rows.extend(pair(&what, [cell(Some(sort), None)], [cell(ours, None)]));
            let scan = self.split("delta", kind, "scan-split", 2);
            let what = format!("{kind}, scan-based split");
            rows.extend(pair(&what, [cell(Some(split), Some(sort))], [cell(scan, ours)]));
        }
        let title =
            "Radix sort, and a split into two buckets by a scan: G elements/s (ratio to the sort)";
        table(title, ["rate"], rows)
    }

    /// Table of the milliseconds and the share of each stage.
    pub fn stages(&self) -> Table {
        let asked = |m: &&u32| self.buckets.contains(m);
        let buckets: Vec<u32> = STAGE_BUCKETS.iter().filter(asked).copied().collect();
        let mut rows = Vec::new();
        for (kind, method, stage, ms) in paper::STAGES {
            let is_total = |row: &&(&str, &str, &str, [f64; 3])| {
                (row.0, row.1, row.2) == (kind, method, "total")
            };
            let total = paper::STAGES.iter().find(is_total).map(|row| row.3);
            let published = |m: &u32| {
                let at = STAGE_BUCKETS.iter().position(|other| other == m)?;
                share(ms[at], total?[at])
            };
            let measured = |m: &u32| {
                let point = self.point(&format!("split_delta_{kind}"), method, *m, SPREADS[0])?;
                let all = point.stages.iter().map(|(_, ms)| ms).sum();
                share(if stage == "total" { all } else { stage_ms(point, stage) }, all)
            };
            let what = format!("{kind}, {} {stage}", name(method));
            rows.extend(pair(&what, buckets.iter().map(published), buckets.iter().map(measured)));
        }
        // Times cannot be compared if n differs from the paper's.
        let remark = if self.n == N { "" } else { "; n differs from the paper's" };
        let title = format!("Stages of a split by delta buckets: ms (share){remark}");
        table(&title, &buckets, rows)
    }

    /// Table of splits by delta buckets, by method and bucket count.
    pub fn delta(&self) -> Table {
        let mut rows = Vec::new();
        for (kind, method, rates) in paper::DELTA {
            let reference = paper::REFERENCE.iter().find(|row| row.0 == kind);
            let (theirs, ours) = (reference.map(|row| row.1), self.sort(kind));
            rows.extend(self.by_buckets(
                &format!("{kind}, {}", name(method)),
                |at| cell(rates.get(at).copied(), theirs),
                |m| cell(self.split("delta", kind, method, m), ours),
            ));
        }
        let title = "Multisplit by delta buckets: G elements/s (ratio to radix sort), by buckets";
        table(title, self.buckets, rows)
    }

    /// Table of splits of unevenly distributed keys.
    pub fn distribution(&self) -> Table {
        let mut rows = Vec::new();
        for (kind, method, rates) in paper::SPREAD {
            let published = rates.iter().map(|&rate| cell(Some(rate), rates.first().copied()));
            let rate = |spread: &str| {
                let op = format!("split_delta_{kind}");
                Some(self.point(&op, method, paper::SPREAD_BUCKETS, spread)?.gps)
            };
            let measured = SPREADS.map(|spread| cell(rate(spread), rate(SPREADS[0])));
            rows.extend(pair(&format!("{kind}, {}", name(method)), published, measured));
        }
        let title = "256 delta buckets, by key distribution: G elements/s (ratio to uniform)";
        table(title, SPREADS, rows)
    }

    /// Table of splits by identity buckets.
    pub fn bits(&self) -> Table {
        let mut rows = Vec::new();
        for (kind, method, rates) in paper::BITS {
            let is_cub = |row: &&paper::MethodRates| (row.0, row.1) == (kind, "onesweep");
            let cub = paper::BITS.iter().find(is_cub).map_or(rates, |row| row.2);
            let split = |method, m| self.split("identity", kind, method, m);
            rows.extend(self.by_buckets(
                &format!("{kind}, {}", name(method)),
                |at| cell(rates.get(at).copied(), cub.get(at).copied()),
                |m| cell(split(method, m), split("onesweep", m)),
            ));
        }
        let title = "Identity buckets, a sort on few bits: G elements/s (ratio to CUB's sort on these \
                     bits, here to one sweep), by bits";
        table(title, self.buckets.iter().map(|m| m.ilog2()), rows)
    }

    /// Table of sorts by rounds of multisplit.
    pub fn sorts(&self) -> Table {
        let mut rows = Vec::new();
        for (kind, rates, cub) in paper::RADIX {
            let ours = self.sort(kind);
            let published = rates.map(|rate| cell(Some(rate), Some(cub)));
            let measured = paper::RADIX_BITS.map(|bits| {
                let method = format!("r{bits}");
                cell(fastest(self.sorts_of(kind).filter(|point| point.method == method)), ours)
            });
            rows.extend(pair(
                kind,
                published.into_iter().chain([cell(Some(cub), None)]),
                measured.into_iter().chain([cell(ours, None)]),
            ));
        }
        let title = "Radix sort by bits per round: G elements/s (ratio to the last column: CUB's sort, \
                     here the fastest sort)";
        let columns = paper::RADIX_BITS.iter().map(u32::to_string).chain(["sort".to_owned()]);
        table(title, columns, rows)
    }

    /// Table of histograms.
    pub fn histograms(&self) -> Table {
        let mut rows = Vec::new();
        for (op, ballots, cub) in paper::HISTOGRAMS {
            let rate = |by_ballots: bool, m: u32| {
                let of_op = self.points.all.iter().filter(|point| point.op == op);
                let of_size = of_op.filter(|point| point.m == f64::from(m));
                fastest(of_size.filter(|point| (point.method == "ballots") == by_ballots))
            };
            let at = |rates: Rates, at: usize| rates.get(at).copied();
            rows.extend(self.by_buckets(
                &format!("{op}, by ballots"),
                |bins| cell(at(ballots, bins), at(cub, bins)),
                |m| cell(rate(true, m), rate(false, m)),
            ));
            rows.extend(self.by_buckets(
                &format!("{op}, CUB; here the default method"),
                |bins| cell(at(cub, bins), None),
                |m| cell(rate(false, m), None),
            ));
        }
        let title = "Histograms of floats: G samples/s (ratio to CUB's, here to the default method), by bins";
        table(title, self.buckets, rows)
    }

    /// Table of shortest-path searches.
    pub fn searches(&self) -> Table {
        let mut rows = Vec::new();
        let mut names: Vec<String> =
            self.points.distinct(|point| point.graph.clone()).into_iter().flatten().collect();
        for (graph, stands_for, ms, mteps) in paper::SEARCHES {
            let [near_far, bucketing, multisplit] = ms.map(Some);
            let cells = search_cells([near_far, bucketing, multisplit, Some(mteps), None]);
            rows.push(Row { what: graph.to_owned(), device: PAPER, cells });
            let stands = |name: &mut String| stands_for.iter().any(|s| name.starts_with(s));
            rows.extend(names.extract_if(.., stands).map(|name| self.search(&name)));
        }
        rows.extend(names.iter().map(|name| self.search(name)));
        let columns = [
            "near-far",
            "bucketing",
            "Multisplit-SSSP",
            "MTEPS",
            "to near-far",
            "to bucketing",
            "in one kernel",
        ];
        let title =
            "Shortest paths: ms, and ratios of Multisplit-SSSP; grid stands for belgium_osm";
        table(title, columns, rows)
    }

    fn search(&self, graph: &str) -> Row {
        let by = |method: &str| {
            let same =
                |point: &&Point| point.graph.as_deref() == Some(graph) && point.method == method;
            self.points.all.iter().find(same)
        };
        let methods = ["near-far", "bucketing", "multisplit-passes", "multisplit"];
        let [near_far, bucketing, multisplit, ours] =
            methods.map(|method| by(method).map(|point| point.ms));
        let mteps = by("multisplit-passes").map(|point| point.mteps);
        let cells = search_cells([near_far, bucketing, multisplit, mteps, ours]);
        Row { what: graph.to_owned(), device: HERE, cells }
    }

    /// Two rows, with one column per requested bucket count. `published` returns the paper's rate
    /// for the index of a bucket count in [`BUCKETS`].
    fn by_buckets(
        &self,
        what: &str,
        published: impl Fn(usize) -> Option<String>,
        measured: impl Fn(u32) -> Option<String>,
    ) -> [Row; 2] {
        let published = |m: &u32| published(BUCKETS.iter().position(|other| other == m)?);
        let measured = self.buckets.iter().map(|&m| measured(m));
        pair(what, self.buckets.iter().map(published), measured)
    }

    fn split(&self, function: &str, kind: &str, method: &str, m: u32) -> Option<f64> {
        let op = format!("split_{function}_{kind}");
        self.point(&op, method, m, SPREADS[0]).map(|point| point.gps)
    }

    fn point(&self, op: &str, method: &str, m: u32, spread: &str) -> Option<&Point> {
        self.points.all.iter().find(|point| {
            [&point.op, &point.method, &point.distribution] == [op, method, spread]
                && point.m == f64::from(m)
        })
    }

    fn sorts_of(&self, kind: &str) -> impl Iterator<Item = &Point> {
        let op = if kind == "keys" { "sort_keys_u32" } else { "sort_pairs_u32_u32" };
        self.points.all.iter().filter(move |point| point.op == op)
    }

    /// The rate of the fastest sort.
    fn sort(&self, kind: &str) -> Option<f64> {
        fastest(self.sorts_of(kind))
    }
}

fn fastest<'p>(points: impl Iterator<Item = &'p Point>) -> Option<f64> {
    points.map(|point| point.gps).reduce(f64::max)
}

/// The paper's name for a method.
fn name(method: &str) -> &str {
    match method {
        "direct" => "DMS",
        "warp" => "WMS",
        "block" => "BMS",
        "reduced-bit-sort" => "RB-sort",
        "onesweep" => "CUB; here one sweep",
        other => other,
    }
}

fn table(title: &str, columns: impl IntoIterator<Item: ToString>, rows: Vec<Row>) -> Table {
    let columns = columns.into_iter().map(|column| column.to_string()).collect();
    Table { title: title.to_owned(), columns, rows }
}

/// A row with the paper's figures and a row with those of this device.
fn pair(
    what: &str,
    published: impl IntoIterator<Item = Option<String>>,
    measured: impl IntoIterator<Item = Option<String>>,
) -> [Row; 2] {
    let text = |cell: Option<String>| cell.unwrap_or(NOTHING.to_owned());
    let row = |device, cells| Row { what: what.to_owned(), device, cells };
    [
        row(PAPER, published.into_iter().map(text).collect()),
        row(HERE, measured.into_iter().map(text).collect()),
    ]
}

/// Formats a figure, with its ratio to the reference if there is one.
fn cell(figure: Option<f64>, against: Option<f64>) -> Option<String> {
    let figure = figure?;
    Some(match against.filter(|&against| against > 0.0) {
        Some(against) => format!("{} ({})", three_digits(figure), ratio(figure / against)),
        None => three_digits(figure),
    })
}

fn ratio(value: f64) -> String {
    format!("{value:.2}x")
}

fn share(ms: f64, all: f64) -> Option<String> {
    (ms > 0.0 && all > 0.0).then(|| format!("{} ({:.0}%)", three_digits(ms), 100.0 * ms / all))
}

/// Milliseconds of a stage as defined by the paper: the sort of a reduced-bit sort includes all its passes.
fn stage_ms(point: &Point, stage: &str) -> f64 {
    let parts: &[&str] = match stage {
        "sort" => &["prescan", "scan", "postscan", "histogram", "sweep"],
        other => &[other],
    };
    let stages = point.stages.iter().filter(|(name, _)| parts.contains(&name.as_str()));
    stages.map(|(_, ms)| ms).sum()
}

/// Formats the times of near-far, bucketing, the paper's Multisplit-SSSP and its single-kernel variant, and the
/// speedups of Multisplit-SSSP.
fn search_cells([near_far, bucketing, multisplit, mteps, ours]: [Option<f64>; 5]) -> Vec<String> {
    let number = |value: Option<f64>| value.map_or(NOTHING.to_owned(), three_digits);
    let over = |other: Option<f64>| {
        let both = other.zip(multisplit.filter(|&own| own > 0.0));
        both.map_or(NOTHING.to_owned(), |(other, own)| ratio(other / own))
    };
    let figures = [near_far, bucketing, multisplit, mteps].map(number);
    let ratios = [near_far, bucketing].map(over);
    figures.into_iter().chain(ratios).chain([number(ours)]).collect()
}

/// Formats a number with at least three significant digits, even if it is far below one.
fn three_digits(value: f64) -> String {
    if value <= 0.0 {
        return "0".to_owned();
    }
    let before = value.log10().floor() as i32;
    format!("{value:.*}", usize::try_from(2 - before).unwrap_or(0))
}
