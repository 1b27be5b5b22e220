//! How many entries each round of a search takes, as a drawing.

use std::fmt::Write as _;

use multisplit::primitives::sssp::RoundSize;

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 46.0;
const BOTTOM: f64 = 46.0;
/// More bars than this are no longer told apart: each then stands for several rounds.
const MOST_BARS: usize = 400;

/// The sizes of rounds as an SVG, on a logarithmic scale. Bars of one colour share a threshold.
pub fn frontier(title: &str, rounds: &[RoundSize]) -> String {
    let most = rounds.iter().map(|round| round.entries).max().unwrap_or(1).max(1);
    let decades = f64::from(most).log10().ceil().max(1.0);
    let height = HEIGHT - TOP - BOTTOM;
    let y = |entries: u32| height * (f64::from(entries.max(1)).log10() / decades);
    let together = rounds.len().div_ceil(MOST_BARS).max(1);
    let bars: Vec<RoundSize> = rounds
        .chunks(together)
        .filter_map(|chunk| chunk.iter().copied().max_by_key(|round| round.entries))
        .collect();
    let step = (WIDTH - LEFT - RIGHT) / bars.len().max(1) as f64;

    // Writing to a string cannot fail.
    let mut svg = String::new();
    let _ = writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#ffffff\"/>\n\
         <text x=\"{LEFT}\" y=\"24\" font-size=\"15\" fill=\"#222222\">{}</text>",
        escaped(title)
    );
    for decade in 0..=decades as u32 {
        let at = HEIGHT - BOTTOM - height * f64::from(decade) / decades;
        let label = 10u64.pow(decade);
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#dddddd\"/>\n\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#555555\">{label}</text>",
            WIDTH - RIGHT,
            LEFT - 8.0,
            at + 4.0
        );
    }
    let (mut phase, mut threshold) = (0, bars.first().map(|bar| bar.threshold));
    for (index, bar) in bars.iter().enumerate() {
        if threshold != Some(bar.threshold) {
            threshold = Some(bar.threshold);
            phase += 1;
        }
        let colour = if phase % 2 == 0 { "#2f6db3" } else { "#e08a2e" };
        let _ = writeln!(
            svg,
            "<rect x=\"{:.2}\" y=\"{:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"{colour}\"/>",
            LEFT + step * index as f64,
            HEIGHT - BOTTOM - y(bar.entries).max(1.0),
            (step * 0.9).max(0.5),
            y(bar.entries).max(1.0)
        );
    }
    let middle = (LEFT + WIDTH - RIGHT) / 2.0;
    let each = if together > 1 { format!(", {together} to a bar") } else { String::new() };
    let _ = writeln!(
        svg,
        "<text x=\"{middle}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#555555\">{} rounds{each}; \
         the colour changes with the threshold</text>\n\
         <text x=\"16\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#555555\" \
         transform=\"rotate(-90 16 {:.1})\">entries of a round</text>\n</svg>",
        HEIGHT - 16.0,
        rounds.len(),
        TOP + height / 2.0,
        TOP + height / 2.0
    );
    svg
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_has_a_bar_for_each_round_up_to_a_limit() {
        let sizes = |count: u32| -> Vec<_> {
            (0..count).map(|k| RoundSize { entries: k, threshold: k / 5 }).collect()
        };
        let bars = |count: u32| frontier("<x>", &sizes(count)).matches("<rect").count() - 1;
        assert_eq!((bars(0), bars(1), bars(100), bars(1000)), (0, 1, 100, 334));
        assert!(frontier("<x>", &sizes(3)).contains("&lt;x&gt;"));
    }
}
