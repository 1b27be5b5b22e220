//! Axes of a plot: tick values and labels.

/// Tick values and labels.
pub struct Ticks(pub Vec<(f64, String)>);

impl Ticks {
    /// Round numbers from `lo` to `hi`, which must differ: approximately `max` or fewer, and only integers if `whole`.
    pub fn linear(lo: f64, hi: f64, max: f64, whole: bool) -> Self {
        let mut step = round_up((hi - lo) / max.max(1.0));
        if whole {
            step = step.max(1.0);
        }
        let first = (lo / step - 1e-9).ceil();
        let count = ((hi / step + 1e-9).floor() - first).max(0.0) as usize;
        let values: Vec<f64> = (0..=count).map(|k| (first + k as f64) * step).collect();
        let labels = labels(&values, step);
        Self(values.into_iter().zip(labels).collect())
    }

    /// Powers of ten from 1 to the first one at or above `hi`, at least 10. Some are left out if there are more than about `max`.
    pub fn decades(hi: f64, max: f64) -> Self {
        let decades = hi.max(1.0).log10().ceil().max(1.0);
        let step = (decades / max.max(1.0)).ceil().max(1.0) as usize;
        let values = (0..=decades as usize).step_by(step).map(|k| 10f64.powi(k as i32));
        Self(values.map(|value| (value, amount(value))).collect())
    }

    /// Powers of ten between two positive numbers: approximately `max` or fewer. If fewer than two powers of ten lie
    /// between the numbers, uses other round numbers.
    pub fn powers(lo: f64, hi: f64, max: f64) -> Self {
        let (first, last) = (lo.log10().ceil() as i32, hi.log10().floor() as i32);
        if last <= first {
            return Self::linear(lo, hi, max, false);
        }
        let step = (f64::from(last - first + 1) / max.max(1.0)).ceil().max(1.0) as usize;
        let values = (first..=last).step_by(step).map(|k| 10f64.powi(k));
        let label = |value: f64| match value {
            v if (0.001..1e15).contains(&v) && v < 1.0 => v.to_string(),
            v if (1.0..1e15).contains(&v) => amount(v),
            v => signed(&format!("{v:e}")),
        };
        Self(values.map(|value| (value, label(value))).collect())
    }

    /// Length of the longest label in characters.
    pub fn longest(&self) -> usize {
        self.0.iter().map(|(_, label)| label.chars().count()).max().unwrap_or(0)
    }
}

/// Rounds up to 1, 2 or 5 times a power of ten.
fn round_up(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|f| f * power >= step * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

/// Labels with enough digits to distinguish the values.
fn labels(values: &[f64], step: f64) -> Vec<String> {
    let max = values.iter().fold(0.0f64, |max, value| max.max(value.abs()));
    let (scale, suffix) = unit(max, step);
    let plain = (1e-4..1e16).contains(&(step / scale));
    let digits = (-(step / scale).log10() - 1e-9).ceil().clamp(0.0, 12.0) as usize;
    let label = |&value: &f64| match value {
        0.0 => "0".to_owned(),
        _ if plain => format!("{}{suffix}", signed(&format!("{:.digits$}", value / scale))),
        _ => signed(&format!("{value:e}")),
    };
    values.iter().map(label).collect()
}

/// The unit of the labels for large numbers: thousands, millions or billions.
fn unit(max: f64, step: f64) -> (f64, &'static str) {
    let units = [(1e9, " G"), (1e6, " M"), (1e3, " k")];
    let fits = |(scale, _): &(f64, &str)| max >= 10.0 * scale && step * 1000.0 >= *scale;
    units.into_iter().find(fits).unwrap_or((1.0, ""))
}

/// Replaces the hyphen with a minus sign, which is as wide as a digit.
fn signed(text: &str) -> String {
    text.replace('-', "\u{2212}")
}

/// Formats a count with at most two decimals and a unit.
pub fn amount(value: f64) -> String {
    let (scale, suffix) = match value {
        v if v < 1e4 => (1.0, ""),
        v if v < 1e6 => (1e3, " k"),
        v if v < 1e9 => (1e6, " M"),
        v if v < 1e12 => (1e9, " G"),
        _ => (1e12, " T"),
    };
    let text = format!("{:.2}", value / scale);
    format!("{}{suffix}", text.trim_end_matches('0').trim_end_matches('.'))
}

/// About four round numbers from 0 to at least `max`.
pub fn ticks(max: f64) -> Vec<f64> {
    if !(max.is_finite() && max > 0.0) {
        return vec![0.0, 1.0];
    }
    let rough = max / 4.0;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0].map(|s| s * power).into_iter().find(|&s| s >= rough);
    let step = step.unwrap_or(10.0 * power);
    (0..=(max / step).ceil() as u32).map(|tick| f64::from(tick) * step).collect()
}

/// The distinct values in ascending order.
pub fn ascending(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

/// Formats a number with few digits and without trailing zeros.
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
    use super::*;

    fn labels_of(ticks: Ticks) -> Vec<String> {
        ticks.0.into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_are_round_and_in_range() {
        let linear = |lo, hi, max, whole| labels_of(Ticks::linear(lo, hi, max, whole));
        let labels = linear(0.0, 1024.0, 6.0, false);
        assert_eq!(labels, ["0", "200", "400", "600", "800", "1000"]);
        assert_eq!(linear(-0.35, 0.3, 8.0, false)[0], "\u{2212}0.3");
        assert_eq!(linear(0.0, 2.0, 8.0, true), ["0", "1", "2"]);
        assert_eq!(linear(0.0, 1.2e6, 4.0, true), ["0", "500 k", "1000 k"]);
        assert_eq!(linear(0.0, 4e9, 4.0, true).last().map(String::as_str), Some("4000 M"));
        assert!(linear(1e-7, 3e-7, 4.0, false)[0].contains('e'));
    }

    #[test]
    fn logarithmic_ticks_begin_at_one() {
        let labels = labels_of(Ticks::decades(5000.0, 8.0));
        assert_eq!(labels, ["1", "10", "100", "1000", "10 k"]);
        assert!(Ticks::decades(1e12, 4.0).0.len() <= 5);
        assert_eq!(labels_of(Ticks::decades(0.0, 4.0)), ["1", "10"]);
    }

    #[test]
    fn numbers_are_formatted_with_few_digits() {
        assert_eq!(amount(1_250_000.0), "1.25 M");
        assert_eq!(short(0.25), "0.25");
        assert_eq!(short(100.0), "100");
        assert_eq!(short(12.0), "12");
    }

    #[test]
    fn ticks_from_zero_are_round_and_cover_the_range() {
        assert_eq!(ticks(9.0), [0.0, 2.5, 5.0, 7.5, 10.0]);
        assert_eq!(ticks(100.0), [0.0, 25.0, 50.0, 75.0, 100.0]);
        for max in [0.0013, 0.7, 3.0, 517.0, 1e9] {
            let ticks = ticks(max);
            assert!((3..=7).contains(&ticks.len()), "expected 3 to 7 ticks, found {ticks:?}");
            assert!(
                ticks.last().is_some_and(|&last| last >= max),
                "no tick reaches {max}: {ticks:?}"
            );
        }
        assert_eq!(ticks(0.0), [0.0, 1.0]);
    }
}
