//! The tables of the paper: its figures above those of this device, as rates and ratios.

use super::published::{self as paper, BUCKETS, Both, N, Rates, SPREADS, STAGE_BUCKETS};
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

/// A figure and its reference, if any.
type Compared = (f64, Option<f64>);

impl Measured<'_> {
    /// Radix sort, and a split with a scan.
    pub fn reference(&self) -> Table {
        let mut rows = Vec::new();
        for (kind, sort, split) in [
            ("keys", paper::SORT.keys, paper::SCAN_SPLIT.keys),
            ("pairs", paper::SORT.pairs, paper::SCAN_SPLIT.pairs),
        ] {
            let ours = self.sort(kind);
            rows.extend(pair(
                format!("{kind}, radix sort"),
                &[Some((sort, None))],
                &[compared(ours, None)],
            ));
            let scan = self.split("delta", kind, "scan-split", 2);
            let published = Some((split, Some(sort)));
            rows.extend(pair(
                format!("{kind}, scan-based split"),
                &[published],
                &[compared(scan, ours)],
            ));
        }
        let title =
            "Radix sort, and a split into two buckets by a scan: G elements/s (ratio to the sort)";
        Table { title: title.to_owned(), columns: vec!["rate".to_owned()], rows }
    }

    /// Milliseconds and share of each stage.
    pub fn stages(&self) -> Table {
        let asked = |m: &&u32| self.buckets.contains(m);
        let buckets: Vec<u32> = STAGE_BUCKETS.iter().filter(asked).copied().collect();
        let mut rows = Vec::new();
        for kind in KINDS {
            for (method, stages) in paper::STAGES {
                let total = stages.last().map(|(_, both)| of(both, kind));
                for (stage, both) in stages {
                    let published = |m: &u32| {
                        let at = STAGE_BUCKETS.iter().position(|other| other == m)?;
                        share(of(both, kind)[at], total?[at])
                    };
                    let measured = |m: &u32| {
                        let point = self.point("delta", kind, method, *m, "uniform")?;
                        let all = point.stages.iter().map(|(_, ms)| ms).sum();
                        match *stage {
                            "total" => share(all, all),
                            stage => share(stage_ms(point, stage), all),
                        }
                    };
                    let what = format!("{kind}, {} {stage}", name(method));
                    for (device, cells) in [
                        (PAPER, buckets.iter().map(published).collect::<Vec<_>>()),
                        (HERE, buckets.iter().map(measured).collect()),
                    ] {
                        let cells = cells.into_iter().map(|cell| cell.unwrap_or(NOTHING.into()));
                        rows.push(Row { what: what.clone(), device, cells: cells.collect() });
                    }
                }
            }
        }
        let title = format!("Stages of a split by delta buckets: ms (share){}", self.apart());
        Table { title, columns: headings(&buckets), rows }
    }

    /// Delta buckets, by method and number of buckets.
    pub fn delta(&self) -> Table {
        let mut rows = Vec::new();
        for kind in KINDS {
            let (theirs, ours) = (of(&paper::SORT, kind), self.sort(kind));
            for (method, rates) in &paper::DELTA {
                let published = self.published(of(rates, kind), |_| Some(*theirs));
                let measured = |&m: &u32| compared(self.split("delta", kind, method, m), ours);
                let measured: Vec<_> = self.buckets.iter().map(measured).collect();
                rows.extend(pair(format!("{kind}, {}", name(method)), &published, &measured));
            }
        }
        let title = "Multisplit by delta buckets: G elements/s (ratio to radix sort), by buckets";
        Table { title: title.to_owned(), columns: headings(self.buckets), rows }
    }

    /// Uneven key distributions.
    pub fn distribution(&self) -> Table {
        let mut rows = Vec::new();
        for kind in KINDS {
            for (method, rates) in &paper::SPREAD {
                let rates = of(rates, kind);
                let published: Vec<_> =
                    rates.iter().map(|&rate| Some((rate, rates.first().copied()))).collect();
                let rate = |spread: &str| {
                    let point = self.point("delta", kind, method, paper::SPREAD_BUCKETS, spread);
                    point.map(|point| point.gps)
                };
                let even = rate(SPREADS[0]);
                let measured: Vec<_> =
                    SPREADS.iter().map(|spread| compared(rate(spread), even)).collect();
                rows.extend(pair(format!("{kind}, {}", name(method)), &published, &measured));
            }
        }
        let title = "256 delta buckets, keys spread over them: G elements/s (ratio to uniform)";
        let columns = SPREADS.map(str::to_owned).to_vec();
        Table { title: title.to_owned(), columns, rows }
    }

    /// Table of splits by identity buckets.
    pub fn bits(&self) -> Table {
        let mut rows = Vec::new();
        for kind in KINDS {
            let (_, cub) = paper::BITS[paper::BITS.len() - 1];
            let sweep = |m| self.split("identity", kind, "onesweep", m);
            for (method, rates) in &paper::BITS {
                let theirs = |at: usize| of(&cub, kind).get(at).copied();
                let published = self.published(of(rates, kind), theirs);
                let measured =
                    |&m: &u32| compared(self.split("identity", kind, method, m), sweep(m));
                let measured: Vec<_> = self.buckets.iter().map(measured).collect();
                rows.extend(pair(format!("{kind}, {}", name(method)), &published, &measured));
            }
        }
        let title = "Identity buckets, a sort on few bits: G elements/s (ratio to CUB's sort on these \
                     bits, here to one sweep), by bits";
        let columns = self.buckets.iter().map(|m| m.ilog2().to_string()).collect();
        Table { title: title.to_owned(), columns, rows }
    }

    /// Sorts with rounds of multisplit.
    pub fn sorts(&self) -> Table {
        let mut rows = Vec::new();
        for kind in KINDS {
            let (theirs, ours) = (*of(&paper::RADIX_CUB, kind), self.sort(kind));
            let mut published: Vec<_> =
                of(&paper::RADIX, kind).iter().map(|&rate| Some((rate, Some(theirs)))).collect();
            published.push(Some((theirs, None)));
            let by = |bits: u32| {
                let of_rounds = |point: &&Point| point.method == format!("r{bits}");
                self.sorts_of(kind).filter(of_rounds).map(|point| point.gps).reduce(f64::max)
            };
            let mut measured: Vec<_> =
                paper::RADIX_BITS.iter().map(|&bits| compared(by(bits), ours)).collect();
            measured.push(compared(ours, None));
            rows.extend(pair(kind.to_owned(), &published, &measured));
        }
        let title = "Radix sort by rounds of so many bits, and CUB's sort, here the fastest of all: \
                     G elements/s (ratio to that)";
        let mut columns: Vec<_> = paper::RADIX_BITS.iter().map(u32::to_string).collect();
        columns.push("sort".to_owned());
        Table { title: title.to_owned(), columns, rows }
    }

    /// Table of histograms.
    pub fn histograms(&self) -> Table {
        let mut rows = Vec::new();
        for (op, ballots, cub) in paper::HISTOGRAMS {
            let rate = |by_ballots: bool, m: u32| {
                let same = |point: &&Point| {
                    point.op == op
                        && point.m == f64::from(m)
                        && (point.method == "ballots") == by_ballots
                };
                self.points.all.iter().filter(same).map(|point| point.gps).reduce(f64::max)
            };
            let theirs = |at: usize| cub.get(at).copied();
            let measured = |&m: &u32| compared(rate(true, m), rate(false, m));
            let measured: Vec<_> = self.buckets.iter().map(measured).collect();
            let what = format!("{op}, by ballots");
            rows.extend(pair(what, &self.published(&ballots, theirs), &measured));
            let measured: Vec<_> =
                self.buckets.iter().map(|&m| compared(rate(false, m), None)).collect();
            let what = format!("{op}, CUB; here ours");
            rows.extend(pair(what, &self.published(&cub, |_| None), &measured));
        }
        let title =
            "Histograms of floats: G samples/s (ratio to CUB's, here to our usual one), by bins";
        Table { title: title.to_owned(), columns: headings(self.buckets), rows }
    }

    /// Table of shortest-path searches.
    pub fn searches(&self) -> Table {
        let mut rows = Vec::new();
        let mut names: Vec<String> =
            self.points.distinct(|point| point.graph.clone()).into_iter().flatten().collect();
        for search in paper::SEARCHES {
            rows.push(Row {
                what: search.graph.to_owned(),
                device: PAPER,
                cells: search_cells(
                    [Some(search.near_far), Some(search.bucketing), Some(search.multisplit), None],
                    Some(search.mteps),
                ),
            });
            let stands = |name: &String| search.stands_for.iter().any(|s| name.starts_with(s));
            for name in names.extract_if(.., |name| stands(name)) {
                rows.push(self.search(&name));
            }
        }
        rows.extend(names.iter().map(|name| self.search(name)));
        let columns = ["near-far", "bucketing", "Multisplit-SSSP", "MTEPS", "to near-far"]
            .into_iter()
            .chain(["to bucketing", "in one kernel"])
            .map(str::to_owned)
            .collect();
        let title =
            "Shortest paths: ms, and ratios of Multisplit-SSSP; grid stands for belgium_osm";
        Table { title: title.to_owned(), columns, rows }
    }

    fn search(&self, graph: &str) -> Row {
        let by = |method: &str| {
            let same =
                |point: &&Point| point.graph.as_deref() == Some(graph) && point.method == method;
            self.points.all.iter().find(same)
        };
        let methods = ["near-far", "bucketing", "multisplit-passes", "multisplit"];
        let ms = methods.map(|method| by(method).map(|point| point.ms));
        let mteps = by("multisplit-passes").map(|point| point.mteps);
        Row { what: graph.to_owned(), device: HERE, cells: search_cells(ms, mteps) }
    }

    /// The paper's rates for the requested bucket counts, with their references.
    fn published(
        &self,
        rates: &Rates,
        against: impl Fn(usize) -> Option<f64>,
    ) -> Vec<Option<Compared>> {
        let rate = |m: &u32| {
            let at = BUCKETS.iter().position(|other| other == m)?;
            compared(rates.get(at).copied(), against(at))
        };
        self.buckets.iter().map(rate).collect()
    }

    fn split(&self, function: &str, kind: &str, method: &str, m: u32) -> Option<f64> {
        self.point(function, kind, method, m, SPREADS[0]).map(|point| point.gps)
    }

    fn point(
        &self,
        function: &str,
        kind: &str,
        method: &str,
        m: u32,
        spread: &str,
    ) -> Option<&Point> {
        let op = format!("split_{function}_{kind}");
        self.points.all.iter().find(|point| {
            (&point.op, point.method.as_str(), point.distribution.as_str()) == (&op, method, spread)
                && point.m == f64::from(m)
        })
    }

    fn sorts_of(&self, kind: &str) -> impl Iterator<Item = &Point> {
        let op = if kind == "keys" { "sort_keys_u32" } else { "sort_pairs_u32_u32" };
        self.points.all.iter().filter(move |point| point.op == op)
    }

    /// The rate of the fastest sort.
    fn sort(&self, kind: &str) -> Option<f64> {
        self.sorts_of(kind).map(|point| point.gps).reduce(f64::max)
    }

    /// Remark that times of a different n cannot be compared.
    fn apart(&self) -> &'static str {
        if self.n == N { "" } else { "; of another n than the paper's" }
    }
}

const KINDS: [&str; 2] = ["keys", "pairs"];

fn of<'b, T>(both: &'b Both<T>, kind: &str) -> &'b T {
    if kind == KINDS[0] { &both.keys } else { &both.pairs }
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

fn headings(buckets: &[u32]) -> Vec<String> {
    buckets.iter().map(u32::to_string).collect()
}

fn compared(figure: Option<f64>, against: Option<f64>) -> Option<Compared> {
    figure.map(|figure| (figure, against))
}

/// A row of the paper and one of this device.
fn pair(what: String, published: &[Option<Compared>], measured: &[Option<Compared>]) -> [Row; 2] {
    let row = |what, device, figures: &[Option<Compared>]| {
        let cells = figures.iter().map(|figure| figure.map_or(NOTHING.into(), cell)).collect();
        Row { what, device, cells }
    };
    [row(what.clone(), PAPER, published), row(what, HERE, measured)]
}

fn cell((figure, against): Compared) -> String {
    match against.filter(|&against| against > 0.0) {
        Some(against) => format!("{} ({})", three_digits(figure), ratio(figure / against)),
        None => three_digits(figure),
    }
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

/// Times of near-far, bucketing, the paper's Multisplit-SSSP and ours, and the speedups of the third.
fn search_cells(
    [near_far, bucketing, multisplit, ours]: [Option<f64>; 4],
    mteps: Option<f64>,
) -> Vec<String> {
    let number = |value: Option<f64>| value.map_or(NOTHING.to_owned(), three_digits);
    let over = |other: Option<f64>| {
        let (other, own) = other.zip(multisplit.filter(|&own| own > 0.0))?;
        Some(ratio(other / own))
    };
    let over = |other| over(other).unwrap_or(NOTHING.to_owned());
    vec![
        number(near_far),
        number(bucketing),
        number(multisplit),
        number(mteps),
        over(near_far),
        over(bucketing),
        number(ours),
    ]
}

/// Formats three significant digits, even for rates far below one.
fn three_digits(value: f64) -> String {
    if value <= 0.0 {
        return "0".to_owned();
    }
    let before = value.log10().floor() as i32;
    format!("{value:.*}", usize::try_from(2 - before).unwrap_or(0))
}
