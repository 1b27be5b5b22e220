//! Plots of a report and their content.

use super::points::{Point, Points};
use crate::figures::{self, distinct};
use crate::output::COPY;
use crate::plot::{Bar, Bars, COLOURS, LinePlot, Series, Style, ascending, short};
use crate::size;

/// A plot with its heading.
pub struct Plot {
    pub op: String,
    /// Whether the plot shows rates or times of whole runs. If so, the operation needs no table.
    pub rates: bool,
    pub heading: String,
    pub note: String,
    pub html: String,
}

/// Bytes per element moved by the copy kernel, whose rate determines the ceilings.
const COPY_BYTES: f64 = 8.0;
/// Maximum bars of a plot, so that they remain readable.
const MAX_BARS: usize = 24;

/// The most common stages of splits, in execution order.
const STAGES: [&str; 6] = ["clear", "prescan", "histogram", "scan", "postscan", "sweep"];

/// All plots for which there is data.
pub fn plots(ours: &Points, others: &Points) -> Vec<Plot> {
    let mut plots = Vec::new();
    for op in ours.distinct(|point| point.op.clone()) {
        let of_op: Vec<&Point> = ours.all.iter().filter(|point| point.op == op).collect();
        if of_op.iter().any(|point| point.graph.is_some()) {
            continue;
        }
        let drawn = Drawn { op: &op, ours: &of_op, copies: ours, others };
        plots.extend(drawn.against_n());
        plots.extend(drawn.against_m());
    }
    plots.extend(stage_shares(ours));
    plots.extend(sssp(ours));
    plots
}

/// An operation whose rates are drawn.
struct Drawn<'p> {
    op: &'p str,
    ours: &'p [&'p Point],
    copies: &'p Points,
    others: &'p Points,
}

impl Drawn<'_> {
    /// Plots rates by n. If several bucket counts were measured, uses the middle one.
    fn against_n(&self) -> Option<Plot> {
        let buckets = ascending(self.ours.iter().map(|point| point.m));
        let m = *buckets.get(buckets.len() / 2)?;
        // A single size does not make a line.
        if ascending(self.ours.iter().filter(|p| p.m == m).map(|p| p.n)).len() < 2 {
            return None;
        }
        let chosen = |point: &Point| point.m == m;
        let mut series = self.series(chosen, |point| point.n);
        let sizes = self.sizes().into_iter();
        series.extend(self.ceiling(sizes.filter_map(|n| Some((n, self.copy_rate(n)?))).collect()));
        let with = if m > 0.0 { format!(", m = {m}") } else { String::new() };
        Some(self.plot(format!("{}: rate against n{with}", self.op), "n", series))
    }

    /// Plots rates by m: for the largest n that has several values of m, and for each n that
    /// another program measured as well.
    fn against_m(&self) -> Vec<Plot> {
        let of_size = |n: f64| {
            let of_size = self.ours.iter().filter(|p| p.n == n && p.m > 0.0);
            let buckets = ascending(of_size.map(|p| p.m));
            if buckets.len() < 2 {
                return None;
            }
            let mut series = self.series(|point| point.n == n && point.m > 0.0, |point| point.m);
            let at = |m: f64| Some((m, self.copy_rate(n)?));
            series.extend(self.ceiling(buckets.into_iter().filter_map(at).collect()));
            let heading = format!("{}: rate against m, n = {}", self.op, size::show(n as u64));
            let of_bins = self.op.starts_with("histogram_");
            Some(self.plot(heading, if of_bins { "m (bins)" } else { "m (buckets)" }, series))
        };
        let theirs = |n: f64| {
            let mut others = self.others.all.iter();
            others.any(|point| point.n == n && point.m > 0.0 && counterpart(self.op, &point.op))
        };
        let mut plots: Vec<(f64, Plot)> =
            self.sizes().into_iter().filter_map(|n| Some((n, of_size(n)?))).collect();
        let largest = plots.last().map_or(0.0, |(n, _)| *n);
        plots.retain(|(n, _)| *n == largest || theirs(*n));
        plots.into_iter().map(|(_, plot)| plot).collect()
    }

    fn sizes(&self) -> Vec<f64> {
        ascending(self.ours.iter().map(|point| point.n))
    }

    /// One line per method of this program and of others.
    fn series(&self, chosen: impl Fn(&Point) -> bool, x: impl Fn(&Point) -> f64) -> Vec<Series> {
        let mut series: Vec<Series> = Vec::new();
        let theirs = self.others.all.iter().filter(|point| counterpart(self.op, &point.op));
        let ours = self.ours.iter().copied().map(|point| (point, true));
        let sizes = self.sizes();
        for (point, mine) in ours.chain(theirs.map(|point| (point, false))) {
            if !chosen(point) || !sizes.contains(&point.n) {
                continue;
            }
            let name = match mine {
                true if point.method.is_empty() => point.op.clone(),
                true => point.description(),
                // The heading names the operation already.
                false if point.op == self.op => format!("{} {}", point.anchor, point.method),
                false => format!("{} {} {}", point.anchor, point.op, point.method),
            };
            let at = (x(point), point.gps);
            match series.iter_mut().find(|series| series.name == name.trim_end()) {
                Some(found) => found.points.push(at),
                None => {
                    let colour = colour(&point.method);
                    let style = if mine { Style::Ours(colour) } else { Style::Others(colour) };
                    let name = name.trim_end().to_owned();
                    series.push(Series { name, style, points: vec![at] });
                }
            }
        }
        for series in &mut series {
            series.points.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        series
    }

    /// Rate of the copy kernel in the same run.
    fn copy_rate(&self, n: f64) -> Option<f64> {
        self.copies.all.iter().find(|copy| copy.op == COPY && copy.n == n).map(|copy| copy.gps)
    }

    /// Memory-bandwidth ceiling, derived from the rates of the copy kernel in `copies`.
    fn ceiling(&self, mut copies: Vec<(f64, f64)>) -> Option<Series> {
        if self.op == COPY || copies.is_empty() {
            return None;
        }
        let name = match traffic(self.op) {
            Some(bytes) => {
                copies.iter_mut().for_each(|(_, gps)| *gps *= COPY_BYTES / bytes);
                format!("ceiling: {bytes} bytes per element at the rate of the copy kernel")
            }
            None => "copy kernel".to_owned(),
        };
        Some(Series { name, style: Style::Ceiling, points: copies })
    }

    fn plot(&self, heading: String, x_label: &'static str, mut series: Vec<Series>) -> Plot {
        // The unit depends on the measured rates only, not on the ceiling.
        let measured = series.iter().filter(|s| s.style != Style::Ceiling);
        let max = measured.flat_map(|s| &s.points).map(|point| point.1).fold(0.0, f64::max);
        // Use a smaller unit if all rates are below 1.
        let y_label = if max < 1.0 { "M elements/s" } else { "G elements/s" };
        if max < 1.0 {
            series.iter_mut().flat_map(|s| &mut s.points).for_each(|point| point.1 *= 1e3);
        }
        let x_text = |x: f64| size::show(x as u64);
        let plot = LinePlot { title: heading.clone(), x_label, y_label, series, x_text };
        let (op, note) = (self.op.to_owned(), y_label.to_owned());
        Plot { op, rates: true, heading, note, html: plot.html() }
    }
}

/// Minimum number of bytes that an operation moves per element. `None` if it is not known.
fn traffic(op: &str) -> Option<f64> {
    Some(match op {
        // Keys are read twice and written once; values are read once and written once.
        op if op.starts_with("split_") && op.ends_with("_keys") => 12.0,
        op if op.starts_with("split_") && op.ends_with("_pairs") => 20.0,
        // A histogram pass, then one read and write for each byte of the key.
        "sort_keys_u32" | "sort_keys_f32" | "sort_keys_i32" => 36.0,
        "sort_pairs_u32_u32" => 68.0,
        "sort_keys_u64" => 136.0,
        "scan_exclusive_u32" => 8.0,
        "fill_u32" | "histogram_even" | "histogram_range" | "histogram_rgba8" => 4.0,
        "histogram_u8" => 1.0,
        _ => return None,
    })
}

/// Whether another program's operation corresponds to `ours`. The counterparts of a split are sorts of log2 m bits,
/// sorts by bucket index, and CUB's partition into two parts. CUB's top-k does not sort its result.
pub fn counterpart(ours: &str, theirs: &str) -> bool {
    let split = |kind: &str| ours.starts_with("split_") && ours.ends_with(kind);
    match theirs {
        "sort_bits_keys" | "rbsort_keys" => split("_keys"),
        "sort_bits_pairs" | "rbsort_pairs" => split("_pairs"),
        "partition_if_2way" => split("_keys") && ours != "split_range_keys",
        "topk_pairs_f32_unsorted" => ours == "topk_f32",
        _ => ours == theirs,
    }
}

/// Time shares of the stages of each operation, at the largest n.
fn stage_shares(ours: &Points) -> Vec<Plot> {
    let with_stages = |point: &&Point| !point.stages.is_empty();
    let mut plots = Vec::new();
    for op in ours.distinct(|point| point.op.clone()) {
        let of_op = || ours.all.iter().filter(with_stages).filter(|point| point.op == op);
        let n = of_op().map(|point| point.n).fold(0.0, f64::max);
        let points: Vec<&Point> = of_op().filter(|point| point.n == n).take(MAX_BARS).collect();
        let stages = points.iter().flat_map(|point| &point.stages);
        let mut parts = distinct(stages.map(|(name, _)| name.clone()));
        // Execution order; unknown stages come last.
        let rank = |name: &String| STAGES.iter().position(|stage| stage == name);
        parts.sort_by_key(|name| rank(name).unwrap_or(STAGES.len()));
        let bar = |point: &&Point| {
            let of = |name: &String| point.stages.iter().find(|(stage, _)| stage == name);
            let amounts: Vec<f64> =
                parts.iter().map(|name| of(name).map_or(0.0, |s| s.1)).collect();
            let buckets = if point.m > 0.0 { format!(", m = {}", point.m) } else { String::new() };
            let total = milliseconds(amounts.iter().sum());
            Bar { label: format!("{}{buckets}", point.description()), amounts, total }
        };
        let bars: Vec<Bar> = points.iter().map(bar).collect();
        if bars.is_empty() {
            continue;
        }
        let heading = format!("{op}: shares of the stages, n = {}", size::show(n as u64));
        let drawn =
            Bars { title: heading.clone(), parts, bars, shares: true, amount_text: milliseconds };
        let (note, html) = ("shares of the time of a run".into(), drawn.html());
        plots.push(Plot { op, rates: false, heading, note, html });
    }
    plots
}

/// Rounds and time of each method, for each graph.
fn sssp(ours: &Points) -> Vec<Plot> {
    let mut plots = Vec::new();
    for graph in ours.distinct(|point| point.graph.clone()).into_iter().flatten() {
        let points: Vec<&Point> =
            ours.all.iter().filter(|p| p.graph.as_ref() == Some(&graph)).take(MAX_BARS).collect();
        let mut draw = |kind: &str, amount: fn(&Point) -> f64, amount_text: fn(f64) -> String| {
            let bar = |point: &&Point| {
                let (label, amount) = (point.method.clone(), amount(point));
                Bar { label, amounts: vec![amount], total: amount_text(amount) }
            };
            let bars = points.iter().map(bar).collect();
            let heading = format!("shortest paths on {graph}: {kind}");
            let parts = vec![kind.to_owned()];
            let drawn = Bars { title: heading.clone(), parts, bars, shares: false, amount_text };
            let (note, html) = ("by method".into(), drawn.html());
            plots.push(Plot { op: "sssp".to_owned(), rates: true, heading, note, html });
        };
        draw("rounds", |point| point.rounds, short);
        draw("time", |point| point.ms, milliseconds);
    }
    plots
}

fn milliseconds(ms: f64) -> String {
    figures::time(ms * 1e6)
}

/// The methods drawn in each colour. Listed methods of one operation have different colours.
const METHODS: [&[&str]; COLOURS] = [
    &["onesweep", "lookback", "shared", "multisplit", "kernel", "fill"],
    &["block", "r8", "reduce-then-scan", "ballots", "multisplit-passes", "vkCmdCopyBuffer"],
    &["warp", "r7", "one-workgroup", "global", "near-far"],
    &["direct", "r6", "bellman-ford"],
    &["reduced-bit-sort", "r5", "bucketing"],
    &["scan-split", "r4"],
    &["full-sort", "small", "auto"],
    &[],
];

/// Colour of a method; the last colour if the method is unknown.
fn colour(method: &str) -> usize {
    // Ignore a key distribution, which follows the method after a comma.
    let name = method.split(',').next().unwrap_or_default().trim();
    METHODS.iter().position(|names| names.contains(&name)).unwrap_or(COLOURS - 1)
}

#[cfg(test)]
mod tests {
    use super::{METHODS, colour};

    #[test]
    fn every_method_has_one_colour() {
        let all: Vec<&str> = METHODS.iter().flat_map(|names| names.iter().copied()).collect();
        for (index, name) in all.iter().enumerate() {
            assert!(!all[..index].contains(name), "{name} has several colours");
        }
        assert_eq!(colour("warp"), colour("warp, binomial"));
        assert_ne!(colour("warp"), colour("block"));
        assert_eq!(colour("something else"), METHODS.len() - 1);
    }
}
