//! A histogram as a drawing: bars over axes, as a file of its own.

use anyhow::{Result, ensure};

use super::axis::{Ticks, amount};
use super::drawing::{CHARACTER, Drawing, FONT};
use crate::size::grouped;

/// What is drawn.
#[derive(Clone, Debug)]
pub struct HistogramPlot<'p> {
    pub title: &'p str,
    /// One for each bin.
    pub counts: &'p [u64],
    /// One more than there are bins, in ascending order. Infinite ones are drawn near.
    pub edges: &'p [f64],
    /// How many samples lay in no bin, to be said below the title.
    pub out_of_range: u64,
    /// Whether heights are logarithms.
    pub log: bool,
}

/// Pixels.
const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 420.0;
const TOP: f64 = 64.0;
const RIGHT: f64 = 24.0;
const BOTTOM: f64 = HEIGHT - 36.0;
const BAR_HEIGHTS: f64 = BOTTOM - TOP;
/// Bars of so many pixels, on the mean, stand apart and say what they are; narrower ones are one
/// shape.
const SINGLE_BAR: f64 = 4.0;

impl HistogramPlot<'_> {
    /// Draws it. With more bins than pixels, neighbours share a bar: its height is their mean, and
    /// a paler bar behind it reaches up to the largest.
    pub fn svg(&self) -> Result<String> {
        self.check()?;
        let bars = Bars::new(self);
        let frame = Frame::new(self.log, &bars);
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
        let (bins, edges) = (self.counts.len(), self.edges);
        ensure!(bins > 0 && edges.len() == bins + 1, "{bins} bins have {} edges", edges.len());
        let sorted = edges.is_sorted() && !edges.iter().any(|edge| edge.is_nan());
        ensure!(sorted, "the edges of the bins are not in ascending order");
        let inner = edges[1..bins].iter().all(|edge| edge.is_finite());
        ensure!(inner, "only the first and the last edge of a drawn histogram may be infinite");
        Ok(())
    }

    /// What there is, in words.
    fn note(&self, bars: &Bars) -> String {
        let all = self.counts.iter().fold(0u64, |sum, &count| sum.saturating_add(count));
        let bins = self.counts.len() as u64;
        let plural = if bins == 1 { "" } else { "s" };
        let mut note = format!("{} samples in {} bin{plural}", grouped(all), grouped(bins));
        if self.out_of_range > 0 {
            note += &format!(", {} out of range", grouped(self.out_of_range));
        }
        if bars.merged > 1 {
            note += &format!("; {} bins per bar: their mean, and the largest", bars.merged);
        }
        note
    }

    /// Bars that stand apart, each with its range and its count.
    fn draw_bars(&self, drawing: &mut Drawing, bars: &Bars, frame: &Frame) {
        for (bar, pair) in bars.all.iter().zip(self.edges.windows(2)) {
            let (from, to, y) = (frame.x(bar.from), frame.x(bar.to), frame.y(bar.height));
            if bar.height == 0.0 || to <= from {
                continue;
            }
            // A tenth of a bar, two pixels at most, stays free.
            let gap = ((to - from) * 0.1).min(2.0);
            let title = format!("[{}, {}): {}", pair[0], pair[1], amount(bar.height));
            let size = (to - from - gap, BOTTOM - y);
            drawing.rectangle("bar", (from + gap / 2.0, y), size, &title);
        }
    }
}

/// A bar, in the units of the axes.
struct Bar {
    from: f64,
    to: f64,
    height: f64,
    /// Of the largest bin, where several share the bar.
    peak: f64,
}

/// The bars, and the range of the horizontal axis.
struct Bars {
    all: Vec<Bar>,
    lo: f64,
    hi: f64,
    /// The largest height.
    top: f64,
    merged: usize,
}

impl Bars {
    fn new(plot: &HistogramPlot<'_>) -> Self {
        let edges = finite(plot.edges);
        let (lo, hi) = (edges[0], edges[edges.len() - 1]);
        // Labels of the vertical axis take about this much.
        let pixels = (WIDTH - 2.0 * TOP) as usize;
        let merged = plot.counts.len().div_ceil(pixels).max(1);
        let bar = |(index, counts): (usize, &[u64])| {
            let first = index * merged;
            let sum: f64 = counts.iter().map(|&count| count as f64).sum();
            Bar {
                from: edges[first],
                to: edges[first + counts.len()],
                height: sum / counts.len() as f64,
                peak: counts.iter().copied().max().unwrap_or(0) as f64,
            }
        };
        let all: Vec<Bar> = plot.counts.chunks(merged).enumerate().map(bar).collect();
        let top = all.iter().fold(0.0f64, |top, bar| top.max(bar.peak)).max(1.0);
        Self { all, lo, hi, top, merged }
    }
}

/// The edges with infinite ones drawn near, and a range that is not empty.
fn finite(edges: &[f64]) -> Vec<f64> {
    let mut edges = edges.to_vec();
    let last = edges.len() - 1;
    let inside: Vec<f64> = edges.iter().copied().filter(|edge| edge.is_finite()).collect();
    let (first, end) = match (inside.first(), inside.last()) {
        (Some(&first), Some(&end)) => (first, end),
        _ => (0.0, 0.0),
    };
    let near = if end > first { (end - first) / 10.0 } else { 1.0 };
    if edges[0].is_infinite() || first == end {
        edges[0] = first - near;
    }
    if edges[last].is_infinite() || first == end {
        edges[last] = end + near;
    }
    edges
}

/// Where the bars are, and what the axes say.
struct Frame {
    left: f64,
    width: f64,
    lo: f64,
    hi: f64,
    /// The number at the top of the vertical axis.
    top: f64,
    log: bool,
    x_ticks: Ticks,
    y_ticks: Ticks,
}

impl Frame {
    fn new(log: bool, bars: &Bars) -> Self {
        let y_ticks = match log {
            true => Ticks::decades(bars.top, BAR_HEIGHTS / 36.0),
            false => Ticks::linear(0.0, bars.top * 1.04, BAR_HEIGHTS / 48.0, true),
        };
        let left = 48.0 + y_ticks.longest() as f64 * CHARACTER;
        let width = WIDTH - left - RIGHT;
        // As many ticks as labels of their length have room for, found in two steps.
        let room = |letters: usize| width / (letters as f64 * CHARACTER + 28.0);
        let guess = Ticks::linear(bars.lo, bars.hi, room(5), false);
        let x_ticks = Ticks::linear(bars.lo, bars.hi, room(guess.longest()), false);
        let top = match log {
            true => 10f64.powf(bars.top.log10().ceil().max(1.0)),
            false => bars.top * 1.04,
        };
        Self { left, width, lo: bars.lo, hi: bars.hi, top, log, x_ticks, y_ticks }
    }

    fn x(&self, value: f64) -> f64 {
        self.left + (value - self.lo) / (self.hi - self.lo) * self.width
    }

    fn y(&self, value: f64) -> f64 {
        let part = match self.log {
            // One sample stands a little above none.
            true if value > 0.0 => ((value.log10() + 0.04) / self.top.log10()).clamp(0.0, 1.0),
            true => 0.0,
            false => value / self.top,
        };
        BOTTOM - part * BAR_HEIGHTS
    }

    fn draw_axes(&self, drawing: &mut Drawing) {
        for (&value, label) in self.y_ticks.values.iter().zip(&self.y_ticks.labels) {
            let y = if self.log && value <= 1.0 { BOTTOM } else { self.y(value) };
            if y < BOTTOM {
                drawing.line("grid", (self.left, y), (self.left + self.width, y));
            }
            drawing.text("end", (self.left - 8.0, y + FONT / 3.0), label);
        }
        for (&value, label) in self.x_ticks.values.iter().zip(&self.x_ticks.labels) {
            let x = self.x(value);
            drawing.line("axis", (x, BOTTOM), (x, BOTTOM + 5.0));
            drawing.text("middle", (x, BOTTOM + 20.0), label);
        }
        drawing.text_upwards((24.0, BOTTOM - BAR_HEIGHTS / 2.0), "samples per bin");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(m: usize) -> Vec<f64> {
        (0..=m).map(|k| k as f64).collect()
    }

    fn plot<'p>(title: &'p str, counts: &'p [u64], edges: &'p [f64]) -> HistogramPlot<'p> {
        HistogramPlot { title, counts, edges, out_of_range: 7, log: false }
    }

    #[test]
    fn every_bin_has_its_bar() {
        let (counts, edges) = ([4, 0, 2], edges(3));
        let text = plot("a < b & c", &counts, &edges).svg().expect("a drawing");
        assert_eq!(text.matches("class=\"bar\"").count(), 2);
        assert!(text.contains("a &lt; b &amp; c") && text.contains("[2, 3): 2"), "{text}");
        assert!(text.contains("6 samples in 3 bins, 7 out of range"), "{text}");
    }

    #[test]
    fn heights_may_be_logarithms() {
        let (counts, edges) = ([1, 0, 100_000], edges(3));
        let plot = HistogramPlot { log: true, ..plot("log", &counts, &edges) };
        let text = plot.svg().expect("a drawing");
        assert_eq!(text.matches("class=\"bar\"").count(), 2);
        assert!(text.contains(">100 k</text>") && !text.contains("NaN"), "{text}");
    }

    #[test]
    fn many_bins_share_bars() {
        let (counts, edges) = (vec![1u64; 65_536], edges(65_536));
        let text = plot("many", &counts, &edges).svg().expect("a drawing");
        assert!(text.len() < 40_000 && text.contains("bins per bar"), "{}", text.len());
    }

    #[test]
    fn what_cannot_be_drawn_is_refused() {
        let refused = |counts: &[u64], edges: &[f64]| plot("", counts, edges).svg().is_err();
        assert!(refused(&[], &[0.0]));
        assert!(refused(&[1], &[0.0]));
        assert!(refused(&[1], &[1.0, 0.0]));
        assert!(refused(&[1], &[f64::NAN, 0.0]));
        assert!(refused(&[1, 1], &[0.0, f64::INFINITY, f64::INFINITY]));
        assert!(!refused(&[1, 1], &[f64::NEG_INFINITY, 0.0, f64::INFINITY]));
        assert!(!refused(&[u64::MAX, u64::MAX], &[0.0, 0.0, 0.0]));
    }
}
