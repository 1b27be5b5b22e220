//! Draws a histogram as a standalone file.

use anyhow::{Result, ensure};

use super::axis::amount;
use super::drawing::Drawing;
use super::histogram_axes::{BOTTOM, Frame, HEIGHT};
use super::histogram_bars::{Bar, Bars, HistogramPlot, WIDTH};
use crate::size::grouped;

/// Minimum mean width of separate bars with tooltips, in pixels; narrower bars are merged into one shape.
const SINGLE_BAR: f64 = 4.0;
impl HistogramPlot<'_> {
    /// Draws the histogram. With more bins than pixels, adjacent bins share a bar: its height is their mean,
    /// and a paler bar behind it shows their maximum.
    pub fn svg(&self) -> Result<String> {
        self.check()?;
        let bars = Bars::new(self);
        let frame = Frame::new(self, &bars);
        let mut drawing = Drawing::file((WIDTH, HEIGHT), self.title, (frame.left, 30.0));
        drawing.text("start", (frame.left, 49.0), &self.note(&bars));
        frame.draw_axes(&mut drawing, self);
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
        ensure!(bins > 0 && edges.len() == bins + 1, "{bins} bins have {} edges", edges.len());
        let sorted = edges.is_sorted() && !edges.iter().any(|edge| edge.is_nan());
        ensure!(sorted, "the edges of the bins are not in ascending order");
        let inner = edges[1..bins].iter().all(|edge| edge.is_finite());
        ensure!(inner, "only the first and the last edge of a drawn histogram may be infinite");
        let positive = self.heights.iter().all(|height| *height >= 0.0 && height.is_finite());
        ensure!(positive, "a drawn histogram has no negative heights");
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
            note += "; bins without an end have no density";
        }
        if bars.merged > 1 {
            note += &format!("; {} bins per bar: their mean, and the largest", bars.merged);
        }
        note
    }

    /// Draws separate bars, each with its range and count as a tooltip.
    fn draw_bars(&self, drawing: &mut Drawing, bars: &Bars, frame: &Frame) {
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

    #[test]
    fn every_bin_has_a_bar() {
        let (heights, edges) = ([4.0, 0.0, 2.0], edges(3));
        let text = plot("a < b & c", &heights, &edges).svg().expect("a drawing");
        assert_eq!(text.matches("class=\"bar\"").count(), 2);
        assert!(text.contains("a &lt; b &amp; c") && text.contains("[2, 3): 2"), "{text}");
        assert!(text.contains("6 samples in 3 bins, 7 out of range"), "{text}");
    }

    #[test]
    fn heights_may_be_logarithmic() {
        let (heights, edges) = ([1.0, 0.0, 1e5], edges(3));
        let plot = HistogramPlot { log: true, ..plot("log", &heights, &edges) };
        let text = plot.svg().expect("a drawing");
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
        let text = plot.svg().expect("a drawing");
        for part in [">metres<", ">samples per unit<", ">10 k<", "[100, 10000): 1000"] {
            assert!(text.contains(part), "no {part} in {text}");
        }
    }

    #[test]
    fn infinite_edges_are_marked() {
        let (heights, edges) = ([1.0, 2.0], [f64::NEG_INFINITY, 0.0, f64::INFINITY]);
        let text = plot("open", &heights, &edges).svg().expect("a drawing");
        assert!(text.contains(">\u{2212}\u{221e}<") && text.contains(">\u{221e}<"), "{text}");
        let plot = HistogramPlot { density: true, ..plot("open", &heights, &edges) };
        let text = plot.svg().expect("a drawing");
        assert!(text.contains("have no density") && !text.contains("class=\"bar\""), "{text}");
    }

    #[test]
    fn many_bins_share_bars() {
        let (heights, edges) = (vec![1.0; 65_536], edges(65_536));
        let text = plot("many", &heights, &edges).svg().expect("a drawing");
        assert!(text.len() < 40_000 && text.contains("bins per bar"), "{}", text.len());
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
