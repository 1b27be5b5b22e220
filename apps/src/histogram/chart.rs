//! A histogram as bars of characters, for a terminal.

use std::fmt::Write as _;

use crate::plot::short;
use crate::size;

/// Rows of a chart; with more bins, neighbours share a row.
const MAX_ROWS: usize = 40;
/// Characters of the longest bar.
const LONGEST: f64 = 48.0;
/// Eighths of a character, from none to seven.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// A row for each bin, or for so many neighbours that they fit a screen.
pub fn chart(counts: &[u64], edges: &[f64]) -> String {
    let each = counts.len().div_ceil(MAX_ROWS).max(1);
    let rows: Vec<u64> = counts.chunks(each).map(|bins| bins.iter().sum()).collect();
    let max = rows.iter().copied().max().unwrap_or(0);
    let label = |row: usize| {
        let (first, end) = (row * each, ((row + 1) * each).min(counts.len()));
        let edge = |index: usize| edges.get(index).map_or(String::new(), |&edge| short(edge));
        format!("[{}, {})", edge(first), edge(end))
    };
    let labels: Vec<String> = (0..rows.len()).map(label).collect();
    let width = labels.iter().map(String::len).max().unwrap_or(0);
    let mut text = String::new();
    for (label, &count) in labels.iter().zip(&rows) {
        let amount = size::grouped(count);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{label:>width$}  {amount:>13}  {}", bar(count, max));
    }
    text
}

fn bar(count: u64, max: u64) -> String {
    let eighths = if max > 0 { 8.0 * LONGEST * count as f64 / max as f64 } else { 0.0 };
    // What there is at all is seen.
    let eighths = (eighths.round() as usize).max(usize::from(count > 0));
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

#[cfg(test)]
mod tests {
    use super::{bar, chart};

    #[test]
    fn bars_are_as_long_as_counts() {
        assert_eq!(bar(0, 10), "");
        assert_eq!(bar(1, 1_000_000), "▏");
        assert_eq!(bar(10, 10).chars().count(), 48);
        assert_eq!(bar(5, 10).chars().count(), 24);
        assert_eq!(bar(0, 0), "");
    }

    #[test]
    fn many_bins_share_rows() {
        let edges: Vec<f64> = (0..=1000).map(f64::from).collect();
        let text = chart(&vec![1; 1000], &edges);
        assert_eq!(text.lines().count(), 40);
        assert!(text.trim_start().starts_with("[0, 25)             25  █"), "{text}");
        let few = chart(&[1, 2], &[0.0, 0.5, 1.0]);
        assert_eq!(few.lines().count(), 2);
        assert!(few.contains("[0.5, 1)"), "{few}");
    }
}
