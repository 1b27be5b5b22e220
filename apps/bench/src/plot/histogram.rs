//! Draws a histogram as a standalone file.

use anyhow::{Result, ensure};

use super::axis::{Ticks, amount};
use super::drawing::{CHARACTER, Drawing, FONT};
use crate::size::grouped;

/// Data and options of a histogram drawing.
#[derive(Clone, Debug)]
pub struct HistogramPlot<'p> {
    /// Title of the drawing.
    pub title: &'p str,
    /// Label of the sample axis.
    pub x_label: Option<&'p str>,
    /// One height per bin.
    pub heights: &'p [f64],
    /// Ascending edges of the bins, one more than there are bins. Infinite edges are drawn near the others and marked
    /// with an infinity sign.
    pub edges: &'p [f64],
    /// Number of samples outside all bins, shown below the title.
    pub out_of_range: u64,
    /// Whether heights are sums of weights instead of counts.
    pub weighted: bool,
    /// Whether heights are drawn on a logarithmic scale.
    pub log: bool,
    /// Whether heights are divided by the widths of the bins.
    pub density: bool,
    /// Whether the sample axis is logarithmic if all finite edges are positive. With such edges, it is also logarithmic
    /// if bin widths are very uneven.
    pub log_axis: bool,
}

/// Width in pixels.
const WIDTH: f64 = 860.0;
/// If all finite edges are positive and the widest bin is more than this many times as wide as the narrowest, the axis
/// is logarithmic, so that the narrow bins are visible.
const UNEVEN: f64 = 50.0;
/// Approximate width of the labels on each side of the plot.
const LABELS: f64 = 64.0;
/// Height in pixels.
const HEIGHT: f64 = 440.0;
const TOP: f64 = 64.0;
const RIGHT: f64 = 24.0;
const BOTTOM: f64 = HEIGHT - 56.0;
const BAR_HEIGHTS: f64 = BOTTOM - TOP;
/// Minimum mean width in pixels of separate bars with tooltips. Narrower bars are merged into one shape.
const SINGLE_BAR: f64 = 4.0;

impl HistogramPlot<'_> {
    /// Draws the histogram. If there are more bins than pixels, adjacent bins share a bar: its height is the mean of
    /// their heights, and a paler bar behind it shows the maximum.
    pub fn svg(&self) -> Result<String> {
        self.check()?;
        let bars = Bars::new(self);
        let frame = Frame::new(self, &bars);
        let mut drawing = Drawing::file((WIDTH, HEIGHT), self.title, (frame.left, 30.0));
        drawing.text("start", (frame.left, 49.0), &self.note(&bars));
        frame.draw_axes(&mut drawing);
        if frame.width / bars.all.len() as f64 >= SINGLE_BAR {
            self.draw_bars(&mut drawing, &bars, &frame);
        } else {
            let corner = (frame.left, BOTTOM);
            let place = |bar: &Bar, height| (frame.x(bar.to), frame.y(height));
            drawing.skyline("peak", corner, bars.all.iter().map(|bar| place(bar, bar.peak)));
            drawing.skyline("bar", corner, bars.all.iter().map(|bar| place(bar, bar.height)));
        }
        drawing.line("axis", (frame.left, BOTTOM), (frame.left + frame.width, BOTTOM));
        Ok(drawing.finish())
    }

    fn check(&self) -> Result<()> {
        let (bins, edges) = (self.heights.len(), self.edges);
        ensure!(
            bins > 0 && edges.len() == bins + 1,
            "{bins} bins need {} edges, but there are {}",
            bins + 1,
            edges.len()
        );
        let sorted = edges.is_sorted() && !edges.iter().any(|edge| edge.is_nan());
        ensure!(sorted, "the edges of the bins must be in ascending order, without NaN");
        let inner = edges[1..bins].iter().all(|edge| edge.is_finite());
        ensure!(inner, "only the first and the last edge of a drawn histogram may be infinite");
        let positive = self.heights.iter().all(|height| *height >= 0.0 && height.is_finite());
        ensure!(positive, "cannot draw counts or weights that are negative or not finite");
        Ok(())
    }

    /// Describes the samples and bins in words.
    fn note(&self, bars: &Bars) -> String {
        let all: f64 = self.heights.iter().sum();
        let bins = self.heights.len() as u64;
        let plural = if bins == 1 { "" } else { "s" };
        let what = match self.weighted {
            false => format!("{} samples", grouped(all as u64)),
            true => format!("weight {}", amount(all)),
        };
        let mut note = format!("{what} in {} bin{plural}", grouped(bins));
        if self.out_of_range > 0 {
            note += &format!(", {} out of range", grouped(self.out_of_range));
        }
        let open = self.edges.iter().any(|edge| edge.is_infinite());
        if self.density && open {
            note += "; bins with an infinite edge have no density";
        }
        if bars.merged > 1 {
            note += &format!(
                "; {} bins per bar, which shows their mean and behind it their maximum",
                bars.merged
            );
        }
        note
    }

    /// Draws separate bars, each with its range and count as a tooltip.
    fn draw_bars(&self, drawing: &mut Drawing, bars: &Bars, frame: &Frame<'_>) {
        for (bar, pair) in bars.all.iter().zip(self.edges.windows(2)) {
            let (from, to, y) = (frame.x(bar.from), frame.x(bar.to), frame.y(bar.height));
            if bar.height == 0.0 || to <= from {
                continue;
            }
            // Leave a gap of a tenth of a bar, at most two pixels.
            let gap = ((to - from) * 0.1).min(2.0);
            let title = format!("[{}, {}): {}", pair[0], pair[1], amount(bar.count));
            let size = (to - from - gap, BOTTOM - y);
            drawing.rectangle("bar", (from + gap / 2.0, y), size, &title);
        }
    }

    /// Label of the vertical axis.
    fn y_label(&self) -> &'static str {
        match (self.weighted, self.density) {
            (false, false) => "samples per bin",
            (false, true) => "samples per unit",
            (true, false) => "weight per bin",
            (true, true) => "weight per unit",
        }
    }
}

/// A bar, in the units of the axes.
struct Bar {
    from: f64,
    to: f64,
    height: f64,
    /// Height of the highest bin that shares this bar.
    peak: f64,
    /// Sum of the counts.
    count: f64,
}

/// The bars, and the range of the horizontal axis.
struct Bars {
    all: Vec<Bar>,
    lo: f64,
    hi: f64,
    /// The largest height.
    top: f64,
    /// Whether the axis of the samples is logarithmic.
    log_axis: bool,
    /// Number of bins per bar.
    merged: usize,
}

impl Bars {
    /// The bars of `plot`.
    fn new(plot: &HistogramPlot<'_>) -> Self {
        let log_axis = is_logarithmic(plot);
        let edges = finite(plot.edges, log_axis);
        let (lo, hi) = (edges[0], edges[edges.len() - 1]);
        let pixels = (WIDTH - 2.0 * LABELS) as usize;
        let merged = plot.heights.len().div_ceil(pixels).max(1);
        // Use the original edges: a bin with an infinite edge has no density.
        let height = |bin: usize| match plot.edges[bin + 1] - plot.edges[bin] {
            _ if !plot.density => plot.heights[bin],
            width if width > 0.0 => plot.heights[bin] / width,
            _ => 0.0,
        };
        let bar = |index: usize| {
            let bins = index * merged..((index + 1) * merged).min(plot.heights.len());
            let count: f64 = plot.heights[bins.clone()].iter().sum();
            let heights = bins.clone().map(height);
            Bar {
                from: edges[bins.start],
                to: edges[bins.end],
                height: heights.clone().sum::<f64>() / bins.len() as f64,
                peak: heights.fold(0.0, f64::max),
                count,
            }
        };
        let all: Vec<Bar> = (0..plot.heights.len().div_ceil(merged)).map(bar).collect();
        let top = all.iter().fold(0.0f64, |top, bar| top.max(bar.peak));
        let top = if plot.density && top > 0.0 { top } else { top.max(1.0) };
        Self { all, lo, hi, top, log_axis, merged }
    }
}

fn is_logarithmic(plot: &HistogramPlot<'_>) -> bool {
    let inside: Vec<f64> = plot.edges.iter().copied().filter(|edge| edge.is_finite()).collect();
    let positive = inside.first().is_some_and(|&first| first > 0.0) && inside.len() > 1;
    let widths = inside.windows(2).map(|pair| pair[1] - pair[0]).filter(|&width| width > 0.0);
    let (min, max) =
        widths.fold((f64::INFINITY, 0.0), |(a, b): (f64, f64), w| (a.min(w), b.max(w)));
    positive && (plot.log_axis || max > UNEVEN * min)
}

/// Replaces infinite edges by finite ones nearby, and widens an empty range.
fn finite(edges: &[f64], log_axis: bool) -> Vec<f64> {
    let mut edges = edges.to_vec();
    let last = edges.len() - 1;
    let inside: Vec<f64> = edges.iter().copied().filter(|edge| edge.is_finite()).collect();
    let [first, end] = [inside.first(), inside.last()].map(|edge| edge.copied().unwrap_or(0.0));
    // Infinite edges are drawn a tenth of the axis beyond the finite ones.
    let (below, above) = match (end > first, log_axis) {
        (true, true) => {
            let factor = (end / first).powf(0.1);
            (first / factor, end * factor)
        }
        (true, false) => (first - (end - first) / 10.0, end + (end - first) / 10.0),
        (false, _) => (first - 1.0, end + 1.0),
    };
    if edges[0].is_infinite() || first == end {
        edges[0] = below;
    }
    if edges[last].is_infinite() || first == end {
        edges[last] = above;
    }
    edges
}

/// Plot area and axes.
struct Frame<'f> {
    plot: &'f HistogramPlot<'f>,
    bars: &'f Bars,
    left: f64,
    width: f64,
    /// The value at the top of the vertical axis.
    top: f64,
    x_ticks: Ticks,
    y_ticks: Ticks,
}

impl<'f> Frame<'f> {
    fn new(plot: &'f HistogramPlot<'f>, bars: &'f Bars) -> Self {
        let whole = !plot.density && !plot.weighted;
        let top = match plot.log {
            true => 10f64.powf(bars.top.log10().ceil().max(1.0)),
            false => bars.top * 1.04,
        };
        let y_ticks = match plot.log {
            true => Ticks::decades(bars.top, BAR_HEIGHTS / 36.0),
            false => Ticks::linear(0.0, top, BAR_HEIGHTS / 48.0, whole),
        };
        let left = 48.0 + y_ticks.longest() as f64 * CHARACTER;
        let width = WIDTH - left - RIGHT;
        // Choose as many ticks as fit. Label lengths depend on the tick count, so compute it twice.
        let max_ticks = |letters: usize| width / (letters as f64 * CHARACTER + 28.0);
        let ticks = |max: f64| match bars.log_axis {
            true => Ticks::powers(bars.lo, bars.hi, max),
            false => Ticks::linear(bars.lo, bars.hi, max, false),
        };
        let x_ticks = ticks(max_ticks(ticks(max_ticks(5)).longest()));
        Self { plot, bars, left, width, top, x_ticks, y_ticks }
    }

    fn x(&self, value: f64) -> f64 {
        let Bars { lo, hi, log_axis, .. } = *self.bars;
        let part = match log_axis {
            true => (value / lo).ln() / (hi / lo).ln(),
            false => (value - lo) / (hi - lo),
        };
        self.left + part.clamp(0.0, 1.0) * self.width
    }

    fn y(&self, value: f64) -> f64 {
        let part = match self.plot.log {
            // The offset makes bins with one sample, whose logarithm is 0, visible.
            true if value > 0.0 => ((value.log10() + 0.04) / self.top.log10()).clamp(0.0, 1.0),
            true => 0.0,
            false => value / self.top,
        };
        BOTTOM - part * BAR_HEIGHTS
    }

    fn draw_axes(&self, drawing: &mut Drawing) {
        for &(value, ref label) in &self.y_ticks.0 {
            let y = if self.plot.log && value <= 1.0 { BOTTOM } else { self.y(value) };
            if y < BOTTOM {
                drawing.line("grid", (self.left, y), (self.left + self.width, y));
            }
            drawing.text("end", (self.left - 8.0, y + FONT / 3.0), label);
        }
        let ends = [
            (self.plot.edges.first(), self.left, "\u{2212}\u{221e}"),
            (self.plot.edges.last(), self.left + self.width, "\u{221e}"),
        ];
        let marked = ends.map(|(edge, x, sign)| {
            let infinite = edge.is_some_and(|edge| edge.is_infinite());
            if infinite {
                drawing.line("axis", (x, BOTTOM), (x, BOTTOM + 9.0));
                drawing.text("middle", (x, BOTTOM + 22.0), sign);
            }
            infinite.then_some(x)
        });
        // Labels must not overlap the infinity signs.
        let free = |x: f64| marked.iter().flatten().all(|end| (x - end).abs() > 4.0 * CHARACTER);
        for &(value, ref label) in &self.x_ticks.0 {
            let x = self.x(value);
            if free(x) {
                drawing.line("axis", (x, BOTTOM), (x, BOTTOM + 5.0));
                drawing.text("middle", (x, BOTTOM + 20.0), label);
            }
        }
        drawing.text_upwards((24.0, BOTTOM - BAR_HEIGHTS / 2.0), self.plot.y_label());
        if let Some(label) = self.plot.x_label {
            drawing.text("middle", (self.left + self.width / 2.0, BOTTOM + 42.0), label);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(m: usize) -> Vec<f64> {
        (0..=m).map(|k| k as f64).collect()
    }

    fn plot<'p>(title: &'p str, heights: &'p [f64], edges: &'p [f64]) -> HistogramPlot<'p> {
        HistogramPlot {
            title,
            x_label: None,
            heights,
            edges,
            out_of_range: 7,
            weighted: false,
            log: false,
            density: false,
            log_axis: false,
        }
    }

    fn svg(plot: &HistogramPlot<'_>) -> String {
        plot.svg().expect("the histogram can be drawn")
    }

    #[test]
    fn every_nonempty_bin_has_a_bar() {
        let text = svg(&plot("a < b & c", &[4.0, 0.0, 2.0], &edges(3)));
        assert_eq!(text.matches("class=\"bar\"").count(), 2);
        assert!(text.contains("a &lt; b &amp; c") && text.contains("[2, 3): 2"), "{text}");
        assert!(text.contains("6 samples in 3 bins, 7 out of range"), "{text}");
    }

    #[test]
    fn logarithmic_height_axis_shows_small_and_large_bins() {
        let text = svg(&HistogramPlot { log: true, ..plot("log", &[1.0, 0.0, 1e5], &edges(3)) });
        assert_eq!(text.matches("class=\"bar\"").count(), 2);
        assert!(text.contains(">100 k</text>") && !text.contains("NaN"), "{text}");
    }

    #[test]
    fn uneven_bins_have_a_logarithmic_axis_and_densities() {
        let (heights, edges) = ([10.0, 100.0, 1000.0], [1.0, 10.0, 100.0, 10_000.0]);
        let plot = HistogramPlot {
            density: true,
            x_label: Some("metres"),
            ..plot("uneven", &heights, &edges)
        };
        let text = svg(&plot);
        for part in [">metres<", ">samples per unit<", ">10 k<", "[100, 10000): 1000"] {
            assert!(text.contains(part), "no {part} in {text}");
        }
    }

    #[test]
    fn infinite_edges_are_marked() {
        let (heights, edges) = ([1.0, 2.0], [f64::NEG_INFINITY, 0.0, f64::INFINITY]);
        let text = svg(&plot("open", &heights, &edges));
        assert!(text.contains(">\u{2212}\u{221e}<") && text.contains(">\u{221e}<"), "{text}");
        let text = svg(&HistogramPlot { density: true, ..plot("open", &heights, &edges) });
        assert!(text.contains("have no density") && !text.contains("class=\"bar\""), "{text}");
    }

    #[test]
    fn many_bins_share_bars() {
        let text = svg(&plot("many", &[1.0; 65_536], &edges(65_536)));
        assert!(text.len() < 40_000 && text.contains("bins per bar"), "{} bytes", text.len());
    }

    #[test]
    fn invalid_histograms_are_rejected() {
        let refused = |heights: &[f64], edges: &[f64]| plot("", heights, edges).svg().is_err();
        assert!(refused(&[], &[0.0]));
        assert!(refused(&[1.0], &[0.0]));
        assert!(refused(&[1.0], &[1.0, 0.0]));
        assert!(refused(&[1.0], &[f64::NAN, 0.0]));
        assert!(refused(&[-1.0], &[0.0, 1.0]));
        assert!(refused(&[1.0, 1.0], &[0.0, f64::INFINITY, f64::INFINITY]));
        assert!(!refused(&[1.0, 1.0], &[f64::NEG_INFINITY, 0.0, f64::INFINITY]));
        assert!(!refused(&[1e19, 1e19], &[0.0, 0.0, 0.0]));
    }
}
