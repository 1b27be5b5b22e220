//! Text chart of a histogram for a terminal.

use std::fmt::Write as _;

use multisplit_bench::size;

use super::Counts;
use crate::edges::Edge;

/// Maximum rows of a chart; with more bins, adjacent bins share a row.
const MAX_ROWS: usize = 40;
/// Length of the longest bar in characters.
const LONGEST: f64 = 48.0;
/// Partial blocks, from zero to seven eighths of a character.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
/// Significant digits of an edge label: minimum and maximum.
const DIGITS: (usize, usize) = (3, 17);

/// Draws one row per bin. If there are too many bins, adjacent ones share a row, and a note reports how many.
/// `closed` is whether the last bin includes its upper edge.
pub fn chart(counts: &Counts, edges: &[Edge], closed: bool) -> String {
    let heights = counts.heights();
    let each = heights.len().div_ceil(MAX_ROWS).max(1);
    let rows: Vec<f64> = heights.chunks(each).map(|bins| bins.iter().sum()).collect();
    let max = rows.iter().copied().fold(0.0, f64::max);
    let ends: Vec<Edge> =
        (0..=rows.len()).map(|row| edges[(row * each).min(heights.len())]).collect();
    let ends = labels(&ends);
    let label = |row: usize| {
        let close = if closed && row + 1 == rows.len() { ']' } else { ')' };
        format!("[{}, {}{close}", ends[row], ends[row + 1])
    };
    let labels: Vec<String> = (0..rows.len()).map(label).collect();
    let width = labels.iter().map(String::len).max().unwrap_or(0);
    let mut text = String::new();
    for (label, &height) in labels.iter().zip(&rows) {
        let amount = match counts {
            Counts::Whole(_) => size::grouped(height as u64),
            Counts::Real(_) => format!("{height:.6}"),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{label:>width$}  {amount:>13}  {}", bar(height, max));
    }
    if each > 1 {
        let bins = heights.len();
        let _ =
            writeln!(text, "{bins} bins, {each} per line; --csv, --json and --svg show each bin");
    }
    text
}

/// Labels of edges with enough digits to distinguish neighbours.
fn labels(edges: &[Edge]) -> Vec<String> {
    let of =
        |digits: usize| -> Vec<String> { edges.iter().map(|edge| label(*edge, digits)).collect() };
    let are_distinct = |labels: &Vec<String>| {
        let pairs = labels.windows(2).zip(edges.windows(2));
        pairs.into_iter().all(|(labels, edges)| labels[0] != labels[1] || edges[0] == edges[1])
    };
    (DIGITS.0..DIGITS.1).map(of).find(are_distinct).unwrap_or_else(|| of(DIGITS.1))
}

/// Formats an edge. `digits` is the number of significant digits of a float.
fn label(edge: Edge, digits: usize) -> String {
    let value = match edge {
        Edge::Whole(edge) => return edge.to_string(),
        Edge::Real(value) => value,
    };
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let power = value.abs().log10().floor();
    if !(-4.0..15.0).contains(&power) {
        return format!("{value:.*e}", digits - 1);
    }
    let places = (digits as f64 - 1.0 - power).max(0.0) as usize;
    let text = format!("{value:.places$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

fn bar(height: f64, max: f64) -> String {
    let eighths = if max > 0.0 { 8.0 * LONGEST * height / max } else { 0.0 };
    // Bins that are not empty get at least one eighth.
    let eighths = (eighths.round() as usize).max(usize::from(height > 0.0));
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bar_lengths_are_proportional_to_counts() {
        assert_eq!(bar(0.0, 10.0), "");
        assert_eq!(bar(1.0, 1e6), "▏");
        assert_eq!(bar(10.0, 10.0).chars().count(), 48);
        assert_eq!(bar(5.0, 10.0).chars().count(), 24);
        assert_eq!(bar(0.0, 0.0), "");
    }

    #[test]
    fn many_bins_share_rows_with_a_note() {
        let edges: Vec<Edge> = (0..=1000).map(Edge::Whole).collect();
        let text = chart(&Counts::Whole(vec![1; 1000]), &edges, false);
        assert_eq!(text.lines().count(), 41);
        assert!(text.trim_start().starts_with("[0, 25)             25  █"), "{text}");
        assert!(text.contains("1000 bins, 25 per line"), "{text}");
        let edges = [0.0, 0.5, 1.0].map(Edge::Real);
        let small = chart(&Counts::Whole(vec![1, 2]), &edges, true);
        assert_eq!(small.lines().count(), 2);
        assert!(small.contains("[0.5, 1]"), "{small}");
    }

    #[test]
    fn edge_labels_are_distinct() {
        assert_eq!(labels(&[0.0, 8.333_333, 16.666_666].map(Edge::Real)), ["0", "8.33", "16.7"]);
        assert_eq!(labels(&[1e-6, 2e-6].map(Edge::Real)), ["1.00e-6", "2.00e-6"]);
        assert_eq!(labels(&[1.0, 1.000_01].map(Edge::Real)), ["1", "1.00001"]);
        assert_eq!(labels(&[f64::NEG_INFINITY, 5.0].map(Edge::Real)), ["-inf", "5"]);
    }
}
