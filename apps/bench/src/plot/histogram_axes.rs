//! Axes of a histogram: positions of bars, and ticks.

use super::axis::Ticks;
use super::drawing::{CHARACTER, Drawing, FONT};
use super::histogram_bars::{Bars, HistogramPlot, WIDTH};

/// Height in pixels.
pub const HEIGHT: f64 = 440.0;
const TOP: f64 = 64.0;
const RIGHT: f64 = 24.0;
pub const BOTTOM: f64 = HEIGHT - 56.0;
const BAR_HEIGHTS: f64 = BOTTOM - TOP;

/// Plot area and axes.
pub struct Frame {
    pub left: f64,
    pub width: f64,
    lo: f64,
    hi: f64,
    log_axis: bool,
    /// The number at the top of the vertical axis.
    top: f64,
    log: bool,
    x_ticks: Ticks,
    y_ticks: Ticks,
}

impl Frame {
    pub fn new(plot: &HistogramPlot<'_>, bars: &Bars) -> Self {
        let log = plot.log;
        let whole = !plot.density && !plot.weighted;
        let y_ticks = match log {
            true => Ticks::decades(bars.top, BAR_HEIGHTS / 36.0),
            false => Ticks::linear(0.0, bars.top * 1.04, BAR_HEIGHTS / 48.0, whole),
        };
        let left = 48.0 + y_ticks.longest() as f64 * CHARACTER;
        let width = WIDTH - left - RIGHT;
        // As many ticks as fit, given the length of their labels; found in two steps.
        let max_ticks = |letters: usize| width / (letters as f64 * CHARACTER + 28.0);
        let ticks = |max: f64| match bars.log_axis {
            true => Ticks::powers(bars.lo, bars.hi, max),
            false => Ticks::linear(bars.lo, bars.hi, max, false),
        };
        let x_ticks = ticks(max_ticks(ticks(max_ticks(5)).longest()));
        let top = match log {
            true => 10f64.powf(bars.top.log10().ceil().max(1.0)),
            false => bars.top * 1.04,
        };
        let (lo, hi, log_axis) = (bars.lo, bars.hi, bars.log_axis);
        Self { left, width, lo, hi, log_axis, top, log, x_ticks, y_ticks }
    }

    pub fn x(&self, value: f64) -> f64 {
        let part = match self.log_axis {
            true => (value / self.lo).ln() / (self.hi / self.lo).ln(),
            false => (value - self.lo) / (self.hi - self.lo),
        };
        self.left + part.clamp(0.0, 1.0) * self.width
    }

    pub fn y(&self, value: f64) -> f64 {
        let part = match self.log {
            // Draw one sample slightly above zero.
            true if value > 0.0 => ((value.log10() + 0.04) / self.top.log10()).clamp(0.0, 1.0),
            true => 0.0,
            false => value / self.top,
        };
        BOTTOM - part * BAR_HEIGHTS
    }

    pub fn draw_axes(&self, drawing: &mut Drawing, plot: &HistogramPlot<'_>) {
        for (&value, label) in self.y_ticks.values.iter().zip(&self.y_ticks.labels) {
            let y = if self.log && value <= 1.0 { BOTTOM } else { self.y(value) };
            if y < BOTTOM {
                drawing.line("grid", (self.left, y), (self.left + self.width, y));
            }
            drawing.text("end", (self.left - 8.0, y + FONT / 3.0), label);
        }
        let ends = [
            (plot.edges.first(), self.left, "\u{2212}\u{221e}"),
            (plot.edges.last(), self.left + self.width, "\u{221e}"),
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
        for (&value, label) in self.x_ticks.values.iter().zip(&self.x_ticks.labels) {
            let x = self.x(value);
            if free(x) {
                drawing.line("axis", (x, BOTTOM), (x, BOTTOM + 5.0));
                drawing.text("middle", (x, BOTTOM + 20.0), label);
            }
        }
        drawing.text_upwards((24.0, BOTTOM - BAR_HEIGHTS / 2.0), plot.y_label());
        if let Some(label) = plot.x_label {
            drawing.text("middle", (self.left + self.width / 2.0, BOTTOM + 42.0), label);
        }
    }
}
