//! The axes of a picture: which numbers get a tick, and how they are written.

/// Where ticks are and what they say.
pub(super) struct Ticks {
    pub values: Vec<f64>,
    pub labels: Vec<String>,
}

impl Ticks {
    /// At most about `most` round numbers from `lo` to `hi`, which differ. `whole` leaves out the
    /// others.
    pub fn linear(lo: f64, hi: f64, most: f64, whole: bool) -> Self {
        let mut step = round_up((hi - lo) / most.max(1.0));
        if whole {
            step = step.max(1.0);
        }
        let first = (lo / step - 1e-9).ceil();
        let count = ((hi / step + 1e-9).floor() - first).max(0.0) as usize;
        let values: Vec<f64> = (0..=count).map(|k| (first + k as f64) * step).collect();
        let labels = labels(&values, step);
        Self { values, labels }
    }

    /// Powers of ten from 1 to `hi`, at most about `most`.
    pub fn decades(hi: f64, most: f64) -> Self {
        let decades = hi.max(1.0).log10().ceil().max(1.0);
        let step = (decades / most.max(1.0)).ceil().max(1.0) as usize;
        let values: Vec<f64> =
            (0..=decades as usize).step_by(step).map(|k| 10f64.powi(k as i32)).collect();
        let labels = values.iter().map(|&value| amount(value)).collect();
        Self { values, labels }
    }

    /// The length of the longest label in letters.
    pub fn longest(&self) -> usize {
        self.labels.iter().map(|label| label.chars().count()).max().unwrap_or(0)
    }
}

/// The least of 1, 2 and 5 times a power of ten that is no less.
fn round_up(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|f| f * power >= step * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

/// Numbers with as many digits as tell them apart.
fn labels(values: &[f64], step: f64) -> Vec<String> {
    let most = values.iter().fold(0.0f64, |most, value| most.max(value.abs()));
    let (scale, suffix) = unit(most, step);
    let plain = (1e-4..1e16).contains(&(step / scale));
    let digits = (-(step / scale).log10() - 1e-9).ceil().clamp(0.0, 12.0) as usize;
    let label = |&value: &f64| match value {
        0.0 => "0".to_owned(),
        _ if plain => format!("{}{suffix}", signed(&format!("{:.digits$}", value / scale))),
        _ => signed(&format!("{value:e}")),
    };
    values.iter().map(label).collect()
}

/// Large numbers are written in thousands, millions or billions.
fn unit(most: f64, step: f64) -> (f64, &'static str) {
    let units = [(1e9, " G"), (1e6, " M"), (1e3, " k")];
    let fits = |(scale, _): &(f64, &str)| most >= 10.0 * scale && step * 1000.0 >= *scale;
    units.into_iter().find(fits).unwrap_or((1.0, ""))
}

/// With a minus sign as wide as a digit.
fn signed(text: &str) -> String {
    text.replace('-', "\u{2212}")
}

/// A count for people: three digits and a unit.
pub(super) fn amount(value: f64) -> String {
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

/// A count with a comma between its thousands.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within() {
        let ticks = Ticks::linear(0.0, 1024.0, 6.0, false);
        assert_eq!(ticks.labels, ["0", "200", "400", "600", "800", "1000"]);
        let ticks = Ticks::linear(-0.35, 0.3, 8.0, false);
        assert_eq!(ticks.labels.first().map(String::as_str), Some("\u{2212}0.3"));
        assert_eq!(Ticks::linear(0.0, 2.0, 8.0, true).labels, ["0", "1", "2"]);
        assert_eq!(Ticks::linear(0.0, 1.2e6, 4.0, true).labels, ["0", "500 k", "1000 k"]);
        assert_eq!(
            Ticks::linear(0.0, 4e9, 4.0, true).labels.last().map(String::as_str),
            Some("4000 M")
        );
        assert!(Ticks::linear(1e-7, 3e-7, 4.0, false).labels[0].contains('e'));
    }

    #[test]
    fn decades_begin_at_one() {
        assert_eq!(Ticks::decades(5000.0, 8.0).labels, ["1", "10", "100", "1000", "10 k"]);
        assert!(Ticks::decades(1e12, 4.0).values.len() <= 5);
        assert_eq!(Ticks::decades(0.0, 4.0).values, [1.0, 10.0]);
    }

    #[test]
    fn counts_are_grouped() {
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(amount(1_250_000.0), "1.25 M");
    }
}
