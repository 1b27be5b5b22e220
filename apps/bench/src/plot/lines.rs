//! Line plots with a logarithmic x axis.

use super::axis::{ascending, short, ticks};
use super::drawing::{CHARACTER, Drawing, FONT, legend};
use super::{LEFT, RIGHT, WIDTH};

const HEIGHT: f64 = 300.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 44.0;
/// A ceiling is drawn to scale if it is at most this many times the largest measured value.
const NEAR: f64 = 2.5;

/// Style of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Measured on this device. The field is the colour index.
    Ours(usize),
    /// Measured by another program. The field is the colour index.
    Others(usize),
    /// An upper bound.
    Ceiling,
}

impl Style {
    fn class(self) -> String {
        match self {
            Self::Ours(colour) => format!("line s{colour}"),
            Self::Others(colour) => format!("line dashed s{colour}"),
            Self::Ceiling => "line ceiling".to_owned(),
        }
    }
}

/// A line. Its points have positive, ascending x.
#[derive(Clone, Debug)]
pub struct Series {
    pub name: String,
    pub style: Style,
    pub points: Vec<(f64, f64)>,
}

/// Lines with axes and a legend.
pub struct LinePlot {
    pub title: String,
    pub x_label: &'static str,
    pub y_label: &'static str,
    pub series: Vec<Series>,
    /// Formats a value of the x axis.
    pub x_text: fn(f64) -> String,
}

impl LinePlot {
    /// The drawing, followed by the legend.
    pub fn html(&self) -> String {
        let mut drawing = Drawing::in_page((WIDTH, HEIGHT), &self.title);
        let y_ticks = ticks(self.top());
        let top = y_ticks.last().copied().unwrap_or(1.0);
        let y_place = |y: f64| HEIGHT - BOTTOM - y / top * (HEIGHT - BOTTOM - TOP);
        for &tick in &y_ticks {
            drawing.line("grid", (LEFT, y_place(tick)), (WIDTH - RIGHT, y_place(tick)));
            drawing.text("end", (LEFT - 6.0, y_place(tick) + FONT / 3.0), &short(tick));
        }
        let places = ascending(self.series.iter().flat_map(|s| &s.points).map(|point| point.0));
        let x_place = |x: f64| x_place(&places, x);
        let mut free = f64::NEG_INFINITY;
        for &x in &places {
            let (text, place) = ((self.x_text)(x), x_place(x));
            let half = CHARACTER * text.chars().count() as f64 / 2.0;
            drawing.line("axis", (place, HEIGHT - BOTTOM), (place, HEIGHT - BOTTOM + 4.0));
            // Skip a label that would touch the previous one.
            if place - half > free {
                drawing.text("middle", (place, HEIGHT - BOTTOM + 17.0), &text);
                free = place + half + CHARACTER;
            }
        }
        drawing.line("axis", (LEFT, HEIGHT - BOTTOM), (WIDTH - RIGHT, HEIGHT - BOTTOM));
        let middle = (LEFT + WIDTH - RIGHT) / 2.0;
        drawing.text("middle", (middle, HEIGHT - 6.0), self.x_label);
        let mut above = None;
        for Series { name, style, points } in &self.series {
            let class = style.class();
            // Clamp points above the plot to its upper edge.
            let inside = |y: f64| y_place(y.min(top));
            let corners: Vec<_> = points.iter().map(|&(x, y)| (x_place(x), inside(y))).collect();
            if let (Style::Ceiling, Some(&(_, y))) = (style, points.last().filter(|p| p.1 > top)) {
                let label = format!("ceiling at {} {} \u{2191}", short(y), self.y_label);
                above = Some(label);
            }
            match (style, &corners[..]) {
                // Draw a ceiling with a single point as a line, too.
                (Style::Ceiling, &[(_, y)]) => {
                    drawing.path(&class, &[(LEFT, y), (WIDTH - RIGHT, y)]);
                }
                _ => drawing.path(&class, &corners),
            }
            for (&(x, y), &corner) in points.iter().zip(&corners) {
                let title = format!("{name}, {}: {} {}", (self.x_text)(x), short(y), self.y_label);
                drawing.dot(&class, corner, &title);
            }
        }
        // Draw the label last, so that it is on top of all lines.
        if let Some(label) = above {
            drawing.text("end", (WIDTH - RIGHT, TOP + FONT), &label);
        }
        let entries = self.series.iter().map(|series| {
            let class = series.style.class();
            let mark = format!(r#"<line class="{class}" x1="1" y1="5" x2="25" y2="5"/>"#);
            (mark, series.name.as_str())
        });
        drawing.finish() + &legend(entries)
    }

    /// The largest value that must be visible. Includes a ceiling only if it is near the measured values.
    fn top(&self) -> f64 {
        let highest = |ceilings: bool| {
            let series = self.series.iter();
            let series = series.filter(|series| (series.style == Style::Ceiling) == ceilings);
            series.flat_map(|series| &series.points).map(|point| point.1).fold(0.0, f64::max)
        };
        let (measured, ceiling) = (highest(false), highest(true));
        if ceiling <= NEAR * measured || measured == 0.0 { ceiling.max(measured) } else { measured }
    }
}

/// Position of `x` on the page, logarithmic between the first and the last value.
fn x_place(places: &[f64], x: f64) -> f64 {
    // Leave space for half a label at both ends.
    let (left, right) = (LEFT + 18.0, WIDTH - RIGHT - 18.0);
    match (places.first(), places.last()) {
        (Some(first), Some(last)) if last > first => {
            left + (x / first).ln() / (last / first).ln() * (right - left)
        }
        _ => (left + right) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::{LinePlot, Series, Style, x_place};

    #[test]
    fn x_positions_are_logarithmic() {
        let places = [1.0, 2.0, 4.0];
        let [a, b, c] = places.map(|x| x_place(&places, x));
        assert!((b - a - (c - b)).abs() < 1e-9 && a < b);
        assert!(x_place(&[7.0], 7.0) > a, "a single position must not be at the left end");
    }

    fn plot(title: &str, series: Vec<Series>) -> LinePlot {
        let x_text = |x: f64| format!("{x}");
        LinePlot { title: title.into(), x_label: "n", y_label: "G/s", series, x_text }
    }

    fn line(name: &str, style: Style, points: &[(f64, f64)]) -> Series {
        Series { name: name.into(), style, points: points.to_vec() }
    }

    #[test]
    fn every_point_is_drawn_with_its_figures() {
        let ours = line("lookback", Style::Ours(0), &[(1024.0, 1.5), (4096.0, 3.0)]);
        let copy = line("copy", Style::Ceiling, &[(4096.0, 4.0)]);
        let html = plot("scan <u32>", vec![ours, copy]).html();
        assert_eq!(html.matches("<circle").count(), 3);
        assert!(html.contains("lookback, 4096: 3 G/s"), "{html}");
        assert!(html.contains("scan &lt;u32&gt;"), "{html}");
        assert!(html.ends_with("</ul>"), "{html}");
    }

    #[test]
    fn distant_ceiling_does_not_flatten_the_plot() {
        let plot = |ceiling| {
            let level = |name, style, y| line(name, style, &[(1024.0, y), (4096.0, y)]);
            let up = level("up", Style::Ceiling, ceiling);
            plot("sort", vec![level("ours", Style::Ours(0), 3.0), up])
        };
        assert_eq!((plot(6.0).top(), plot(100.0).top()), (6.0, 3.0));
        assert!(plot(100.0).html().contains("ceiling at 100 G/s"));
        assert!(!plot(6.0).html().contains("ceiling at"));
    }
}
