//! Draws the number of queue entries that each round of a shortest-path search processes.

use multisplit_sssp::RoundSize;

use super::axis::Ticks;
use super::drawing::{Drawing, FONT};

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 46.0;
const BOTTOM: f64 = 46.0;
/// Maximum number of bars. With more rounds, each bar represents several.
const MAX_BARS: usize = 400;
/// Minimum height of a bar, so that rounds with a single entry are visible.
const MIN_HEIGHT: f64 = 1.0;

/// Draws the entries of each round on a logarithmic scale. Adjacent bars of the same colour have the same distance
/// threshold.
pub fn rounds(title: &str, rounds: &[RoundSize]) -> String {
    let max = rounds.iter().map(|round| round.entries).max().unwrap_or(1).max(1);
    let height = HEIGHT - TOP - BOTTOM;
    let ticks = Ticks::decades(max.into(), height / 2.0 / FONT);
    let decades = f64::from(max).log10().ceil().max(1.0);
    let height_of = |value: f64| height * value.max(1.0).log10() / decades;
    let bottom = HEIGHT - BOTTOM;

    let mut drawing = Drawing::file((WIDTH, HEIGHT), title, (LEFT, 26.0));
    for &(value, ref label) in &ticks.0 {
        let y = bottom - height_of(value);
        drawing.line("grid", (LEFT, y), (WIDTH - RIGHT, y));
        drawing.text("end", (LEFT - 8.0, y + FONT / 3.0), label);
    }
    let together = rounds.len().div_ceil(MAX_BARS).max(1);
    let step = (WIDTH - LEFT - RIGHT) / rounds.len().div_ceil(together).max(1) as f64;
    let (mut other, mut threshold) = (false, None);
    for (index, chunk) in rounds.chunks(together).enumerate() {
        let Some(bar) = chunk.iter().copied().max_by_key(|round| round.entries) else { continue };
        other ^= threshold.is_some_and(|before| before != bar.threshold);
        threshold = Some(bar.threshold);
        let tall = height_of(bar.entries.into()).max(MIN_HEIGHT);
        drawing.rectangle(
            if other { "bar other" } else { "bar" },
            (LEFT + step * index as f64, bottom - tall),
            ((step * 0.9).max(0.5), tall),
            &format!("round {}: {} entries", index * together, bar.entries),
        );
    }
    let each = if together > 1 { format!(", {together} per bar") } else { String::new() };
    let note = format!("{} rounds{each}; the colour changes with the threshold", rounds.len());
    drawing.text("middle", ((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 16.0), &note);
    drawing.text_upwards((20.0, TOP + height / 2.0), "entries of a round");
    drawing.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawing_has_one_bar_per_round_up_to_a_limit() {
        let sizes = |count: u32| -> Vec<_> {
            (0..count).map(|k| RoundSize { entries: k, threshold: k / 5 }).collect()
        };
        let bars = |count: u32| rounds("<x>", &sizes(count)).matches("class=\"bar").count();
        assert_eq!((bars(0), bars(1), bars(100), bars(1000)), (0, 1, 100, 334));
        assert!(rounds("<x>", &sizes(3)).contains("&lt;x&gt;"));
    }
}
