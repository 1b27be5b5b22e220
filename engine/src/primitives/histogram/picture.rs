//! A histogram as a picture: bars over axes, as SVG.

use std::fmt::Write as _;

use super::axis::{Ticks, amount, grouped};
use crate::error::{Error, Result};

/// What is drawn.
#[derive(Clone, Debug)]
pub struct Picture<'p> {
    /// Above the bars.
    pub title: &'p str,
    /// Below the horizontal axis; nothing if empty.
    pub x_label: &'p str,
    /// Beside the vertical axis.
    pub y_label: &'p str,
    /// One for each bin.
    pub counts: &'p [u64],
    /// One more than there are bins, in ascending order
    /// ([`Histogram::edges`](super::Histogram::edges)). Infinite ones are drawn near.
    pub edges: &'p [f64],
    /// How many samples lay in no bin, to be said below the title.
    pub dropped: Option<u64>,
    /// Whether heights are logarithms.
    pub log: bool,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
}

impl<'p> Picture<'p> {
    /// A picture of 860 x 420 pixels.
    pub fn new(title: &'p str, counts: &'p [u64], edges: &'p [f64]) -> Self {
        Self {
            title,
            x_label: "",
            y_label: "samples per bin",
            counts,
            edges,
            dropped: None,
            log: false,
            width: 860,
            height: 420,
        }
    }
}

/// Draws a histogram. With more bins than pixels, neighbours share a bar: its height is their mean,
/// and a paler bar behind it reaches up to the largest.
///
/// ```
/// use multisplit::primitives::histogram::{Picture, svg};
///
/// let picture = Picture::new("Dice", &[3, 5, 4], &[1.0, 2.0, 3.0, 4.0]);
/// assert!(svg(&picture)?.starts_with("<svg"));
/// # Ok::<(), multisplit::Error>(())
/// ```
pub fn svg(picture: &Picture<'_>) -> Result<String> {
    check(picture)?;
    let bars = Bars::new(picture);
    let frame = Frame::new(picture, &bars);
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = draw(&mut text, picture, &bars, &frame);
    Ok(text)
}

fn check(picture: &Picture<'_>) -> Result<()> {
    let refuse = |problem| Err(Error::Picture { problem });
    let edges = picture.edges;
    if picture.counts.is_empty() || edges.len() != picture.counts.len() + 1 {
        return refuse("m bins, one at least, have m + 1 edges");
    }
    if edges.iter().any(|edge| edge.is_nan()) || !edges.is_sorted() {
        return refuse("the edges are not sorted");
    }
    let inner = edges.get(1..edges.len() - 1).unwrap_or_default();
    if inner.iter().any(|edge| edge.is_infinite()) {
        return refuse("only the outermost edges may be infinite");
    }
    if picture.width < 200 || picture.height < 150 || picture.width.max(picture.height) > 20_000 {
        return refuse("a picture has 200 x 150 to 20,000 x 20,000 pixels");
    }
    Ok(())
}

/// Letters of the labels, in pixels.
const FONT: f64 = 12.0;
/// A digit's width for its height, in the usual sans-serif fonts, and a little more.
const LETTER: f64 = 0.6 * FONT;
const TOP: f64 = 64.0;
const RIGHT: f64 = 24.0;
/// Bars of so many pixels, on the mean, stand apart and say what they are; narrower ones are one shape.
const SINGLE_BAR: f64 = 4.0;

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
    fn new(picture: &Picture<'_>) -> Self {
        let edges = finite(picture.edges);
        let (lo, hi) = (edges[0], edges[edges.len() - 1]);
        let pixels = (f64::from(picture.width) - 2.0 * TOP).max(1.0) as usize;
        let merged = picture.counts.len().div_ceil(pixels).max(1);
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
        let all: Vec<Bar> = picture.counts.chunks(merged).enumerate().map(bar).collect();
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
    bottom: f64,
    width: f64,
    height: f64,
    lo: f64,
    hi: f64,
    /// The number at the top of the vertical axis.
    top: f64,
    log: bool,
    x_ticks: Ticks,
    y_ticks: Ticks,
}

impl Frame {
    fn new(picture: &Picture<'_>, bars: &Bars) -> Self {
        let below = if picture.x_label.is_empty() { 36.0 } else { 58.0 };
        let bottom = f64::from(picture.height) - below;
        let height = bottom - TOP;
        let y_ticks = match picture.log {
            true => Ticks::decades(bars.top, height / 36.0),
            false => Ticks::linear(0.0, bars.top * 1.04, height / 48.0, true),
        };
        let beside = if picture.y_label.is_empty() { 16.0 } else { 38.0 };
        let left = beside + 10.0 + y_ticks.longest() as f64 * LETTER;
        let width = f64::from(picture.width) - left - RIGHT;
        // As many ticks as labels of their length have room for, found in two steps.
        let most = |letters: usize| width / (letters as f64 * LETTER + 28.0);
        let guess = Ticks::linear(bars.lo, bars.hi, most(5), false);
        let x_ticks = Ticks::linear(bars.lo, bars.hi, most(guess.longest()), false);
        let top = if picture.log {
            10f64.powf(bars.top.log10().ceil().max(1.0))
        } else {
            bars.top * 1.04
        };
        let (lo, hi, log) = (bars.lo, bars.hi, picture.log);
        Self { left, bottom, width, height, lo, hi, top, log, x_ticks, y_ticks }
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
        self.bottom - part * self.height
    }
}

const STYLE: &str = "\
.paper{fill:#ffffff}.title{fill:#1a1f27;font-weight:600;font-size:17px}.text{fill:#4a5361}\
.grid{stroke:#e4e7ec;stroke-width:1}.axis{stroke:#8a94a3;stroke-width:1}\
.bar{fill:#3569b5}.peak{fill:#3569b5;opacity:.28}.bar:hover{fill:#1f4a8a}\
@media (prefers-color-scheme:dark){.paper{fill:#14181f}.title{fill:#eef1f5}.text{fill:#a9b2c0}\
.grid{stroke:#2a303a}.axis{stroke:#6b7686}.bar,.peak{fill:#7fb0f5}.bar:hover{fill:#b5d2fb}}";

fn draw(text: &mut String, picture: &Picture<'_>, bars: &Bars, frame: &Frame) -> std::fmt::Result {
    let Picture { width, height, .. } = picture;
    let title = escaped(picture.title);
    writeln!(
        text,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="system-ui, 'DejaVu Sans', sans-serif" font-size="{FONT}" role="img" aria-label="{title}">"#
    )?;
    writeln!(text, "<style>{STYLE}</style>")?;
    writeln!(text, r#"<rect class="paper" width="{width}" height="{height}" rx="8"/>"#)?;
    writeln!(text, r#"<text class="title" x="{:.1}" y="30">{title}</text>"#, frame.left)?;
    let note = escaped(&note(picture, bars));
    writeln!(text, r#"<text class="text" x="{:.1}" y="49">{note}</text>"#, frame.left)?;
    draw_axes(text, picture, frame)?;
    if frame.width / bars.all.len() as f64 >= SINGLE_BAR {
        draw_bars(text, picture, bars, frame)?;
    } else {
        outline(text, bars, frame, "peak", |bar| bar.peak)?;
        outline(text, bars, frame, "bar", |bar| bar.height)?;
    }
    let (left, right, bottom) = (frame.left, frame.left + frame.width, frame.bottom);
    writeln!(text, r#"<path class="axis" d="M{left:.1} {bottom:.1}H{right:.1}" fill="none"/>"#)?;
    writeln!(text, "</svg>")
}

/// What there is, in words.
fn note(picture: &Picture<'_>, bars: &Bars) -> String {
    let all: u64 = picture.counts.iter().fold(0, |sum: u64, &count| sum.saturating_add(count));
    let bins = picture.counts.len() as u64;
    let mut note = format!(
        "{} samples in {} {}",
        grouped(all),
        grouped(bins),
        if bins == 1 { "bin" } else { "bins" }
    );
    if let Some(dropped) = picture.dropped.filter(|&dropped| dropped > 0) {
        note += &format!(", {} outside", grouped(dropped));
    }
    if bars.merged > 1 {
        note += &format!("; {} bins to a bar: their mean, and the largest", bars.merged);
    }
    note
}

fn draw_axes(text: &mut String, picture: &Picture<'_>, frame: &Frame) -> std::fmt::Result {
    let (left, right, bottom) = (frame.left, frame.left + frame.width, frame.bottom);
    for (&value, label) in frame.y_ticks.values.iter().zip(&frame.y_ticks.labels) {
        let y = if frame.log && value <= 1.0 { bottom } else { frame.y(value) };
        if y < bottom {
            writeln!(text, r#"<path class="grid" d="M{left:.1} {y:.1}H{right:.1}"/>"#)?;
        }
        let (x, y) = (left - 8.0, y + 0.35 * FONT);
        writeln!(
            text,
            r#"<text class="text" x="{x:.1}" y="{y:.1}" text-anchor="end">{label}</text>"#
        )?;
    }
    for (&value, label) in frame.x_ticks.values.iter().zip(&frame.x_ticks.labels) {
        let (x, tick, y) = (frame.x(value), bottom + 5.0, bottom + 20.0);
        writeln!(text, r#"<path class="axis" d="M{x:.1} {bottom:.1}V{tick:.1}"/>"#)?;
        writeln!(
            text,
            r#"<text class="text" x="{x:.1}" y="{y:.1}" text-anchor="middle">{label}</text>"#
        )?;
    }
    if !picture.x_label.is_empty() {
        let (x, y, label) = (left + frame.width / 2.0, bottom + 44.0, escaped(picture.x_label));
        writeln!(
            text,
            r#"<text class="text" x="{x:.1}" y="{y:.1}" text-anchor="middle">{label}</text>"#
        )?;
    }
    if !picture.y_label.is_empty() {
        let (y, label) = (bottom - frame.height / 2.0, escaped(picture.y_label));
        writeln!(
            text,
            r#"<text class="text" transform="translate(24 {y:.1}) rotate(-90)" text-anchor="middle">{label}</text>"#
        )?;
    }
    Ok(())
}

/// Bars that stand apart, each with its range and its count.
fn draw_bars(
    text: &mut String,
    picture: &Picture<'_>,
    bars: &Bars,
    frame: &Frame,
) -> std::fmt::Result {
    for (bar, pair) in bars.all.iter().zip(picture.edges.windows(2)) {
        let (from, to, y) = (frame.x(bar.from), frame.x(bar.to), frame.y(bar.height));
        if bar.height == 0.0 || to <= from {
            continue;
        }
        // A tenth of a bar, two pixels at most, stays free.
        let gap = ((to - from) * 0.1).min(2.0);
        let (x, width, height) = (from + gap / 2.0, to - from - gap, frame.bottom - y);
        let round = (width / 6.0).min(height / 2.0).min(2.5);
        writeln!(
            text,
            r#"<rect class="bar" x="{x:.2}" y="{y:.2}" width="{width:.2}" height="{height:.2}" rx="{round:.1}"><title>[{}, {}): {}</title></rect>"#,
            pair[0],
            pair[1],
            amount(bar.height)
        )?;
    }
    Ok(())
}

/// One shape for bars too narrow to tell apart.
fn outline(
    text: &mut String,
    bars: &Bars,
    frame: &Frame,
    class: &str,
    height: impl Fn(&Bar) -> f64,
) -> std::fmt::Result {
    write!(text, r#"<path class="{class}" d="M{:.2} {:.2}"#, frame.left, frame.bottom)?;
    for bar in &bars.all {
        write!(text, "V{:.2}H{:.2}", frame.y(height(bar)), frame.x(bar.to))?;
    }
    writeln!(text, r#"V{:.2}Z"/>"#, frame.bottom)
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            letter if letter.is_control() => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(m: usize) -> Vec<f64> {
        (0..=m).map(|k| k as f64).collect()
    }

    #[test]
    fn every_bin_has_its_bar() {
        let (counts, edges) = ([4, 0, 2], edges(3));
        let text = svg(&Picture::new("a < b & c", &counts, &edges)).expect("a picture");
        assert_eq!(text.matches("class=\"bar\"").count(), 2);
        assert!(text.contains("a &lt; b &amp; c") && text.contains("[2, 3): 2"), "{text}");
    }

    #[test]
    fn many_bins_share_bars() {
        let (counts, edges) = (vec![1u64; 65_536], edges(65_536));
        let text = svg(&Picture::new("many", &counts, &edges)).expect("a picture");
        assert!(text.len() < 40_000 && text.contains("bins to a bar"), "{}", text.len());
    }

    #[test]
    fn what_cannot_be_drawn_is_refused() {
        let refused = |counts: &[u64], edges: &[f64]| {
            matches!(svg(&Picture::new("", counts, edges)), Err(Error::Picture { .. }))
        };
        assert!(refused(&[], &[0.0]));
        assert!(refused(&[1], &[0.0]));
        assert!(refused(&[1], &[1.0, 0.0]));
        assert!(refused(&[1], &[f64::NAN, 0.0]));
        assert!(refused(&[1, 1], &[0.0, f64::INFINITY, f64::INFINITY]));
        assert!(!refused(&[1, 1], &[f64::NEG_INFINITY, 0.0, f64::INFINITY]));
        assert!(!refused(&[u64::MAX, u64::MAX], &[0.0, 0.0, 0.0]));
    }
}
