//! Plots as SVG, to be put into a page: lines over a logarithmic axis, and stacked bars.
//!
//! Colours are classes (`s0`, `s1`, ...), so that the page can have them suit its background. Every
//! mark has its figures as a `title`, which browsers show where the mouse rests.

mod bars;
mod lines;

pub use bars::{Bar, Bars};
pub use lines::{LinePlot, Series, Style};

use std::fmt::Write as _;

/// Colours that the page has.
pub const COLOURS: usize = 8;

/// Inside a frame of this size, in units of the drawing.
const WIDTH: f64 = 520.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 14.0;
const FONT: f64 = 12.0;
/// Of a character of a label, near enough.
const CHARACTER: f64 = 6.6;

/// The text with nothing in it that XML would take for its own.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// A drawing in the making.
struct Drawing(String);

impl Drawing {
    fn new(height: f64, title: &str) -> Self {
        let title = escape(title);
        let mut text = String::new();
        // Writing to a string cannot fail, here and below.
        let _ = write!(
            text,
            "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{title}\" \
             font-size=\"{FONT}\" xmlns=\"http://www.w3.org/2000/svg\">"
        );
        Self(text)
    }

    fn line(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        let _ = write!(
            self.0,
            "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
        );
    }

    fn text(&mut self, anchor: &str, (x, y): (f64, f64), text: &str) {
        let text = escape(text);
        let _ = write!(
            self.0,
            "<text text-anchor=\"{anchor}\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>"
        );
    }

    fn path(&mut self, class: &str, points: &[(f64, f64)]) {
        let corners: Vec<_> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = write!(self.0, "<polyline class=\"{class}\" points=\"{}\"/>", corners.join(" "));
    }

    fn dot(&mut self, class: &str, (x, y): (f64, f64), title: &str) {
        let title = escape(title);
        let _ = write!(
            self.0,
            "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\"><title>{title}</title></circle>"
        );
    }

    fn rectangle(&mut self, class: &str, (x, y): (f64, f64), (w, h): (f64, f64), title: &str) {
        let title = escape(title);
        let _ = write!(
            self.0,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\">\
             <title>{title}</title></rect>"
        );
    }

    fn finish(mut self) -> String {
        self.0 += "</svg>";
        self.0
    }
}

/// Round numbers from 0 to past `most`, some four of them.
fn ticks(most: f64) -> Vec<f64> {
    if !(most.is_finite() && most > 0.0) {
        return vec![0.0, 1.0];
    }
    let rough = most / 4.0;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0].map(|s| s * power).into_iter().find(|&s| s >= rough);
    let step = step.unwrap_or(10.0 * power);
    (0..=(most / step).ceil() as u32).map(|tick| f64::from(tick) * step).collect()
}

/// A number of few digits, without zeros at its end.
pub fn short(value: f64) -> String {
    let digits = match value.abs() {
        v if v >= 100.0 || v == 0.0 => 0,
        v if v >= 10.0 => 1,
        v if v >= 1.0 => 2,
        _ => 3,
    };
    let text = format!("{value:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::{escape, short, ticks};

    #[test]
    fn ticks_are_round_and_enclose() {
        assert_eq!(ticks(9.0), [0.0, 2.5, 5.0, 7.5, 10.0]);
        assert_eq!(ticks(100.0), [0.0, 25.0, 50.0, 75.0, 100.0]);
        for most in [0.0013, 0.7, 3.0, 517.0, 1e9] {
            let ticks = ticks(most);
            assert!((3..=7).contains(&ticks.len()), "{ticks:?}");
            assert!(ticks.last().is_some_and(|&last| last >= most), "{ticks:?}");
        }
        assert_eq!(ticks(0.0), [0.0, 1.0]);
    }

    #[test]
    fn numbers_and_texts_are_plain() {
        assert_eq!(short(0.25), "0.25");
        assert_eq!(short(100.0), "100");
        assert_eq!(short(12.0), "12");
        assert_eq!(escape("a<b>\"&"), "a&lt;b&gt;&quot;&amp;");
    }
}
