//! Formats times, rates and memory sizes for people; computes medians and finds distinct values.

/// Formats nanoseconds with about three digits, in ns, us, ms or s.
pub fn time(nanoseconds: f64) -> String {
    let (scale, unit) = match nanoseconds {
        t if t < 1e3 => (1.0, "ns"),
        t if t < 1e6 => (1e3, "us"),
        t if t < 1e9 => (1e6, "ms"),
        _ => (1e9, "s"),
    };
    format!("{} {unit}", three_digits(nanoseconds / scale))
}

/// Formats a rate per second, given elements per nanosecond.
pub fn rate(per_nanosecond: f64) -> String {
    let (scale, unit) = match per_nanosecond {
        r if r < 1e-3 => (1e-6, "K"),
        r if r < 1.0 => (1e-3, "M"),
        _ => (1.0, "G"),
    };
    format!("{} {unit}/s", three_digits(per_nanosecond / scale))
}

/// Formats a byte count in the largest binary unit that does not exceed it, with at most one decimal.
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let power = count.checked_ilog2().unwrap_or(0) / 10;
    let unit = UNITS.get(power as usize).copied().unwrap_or_default();
    let whole = count as f64 / (1u64 << (10 * power)) as f64;
    // Remove `.0` after rounding: `u64::MAX` bytes are shown as 16 EiB.
    let text = format!("{whole:.1}");
    format!("{} {unit}", text.strip_suffix(".0").unwrap_or(&text))
}

/// The median; the upper one for an even number of values, and 0 if there are none.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// The distinct values, in order of first occurrence.
pub fn distinct<T: PartialEq>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for value in values {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

/// Elements per nanosecond; 0 if the clock measured a time of 0.
pub fn elements_per_nanosecond(elements: u64, nanoseconds: f64) -> f64 {
    if nanoseconds > 0.0 { elements as f64 / nanoseconds } else { 0.0 }
}

/// Rounds to six significant digits, the precision of a measurement.
pub fn six_digits(value: f64) -> f64 {
    // Parsing always succeeds for a finite number in this format.
    format!("{value:.5e}").parse().unwrap_or(value)
}

fn three_digits(value: f64) -> String {
    // At or above these bounds, another decimal would be a fourth digit.
    match value {
        v if v >= 99.95 => format!("{v:.0}"),
        v if v >= 9.995 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{bytes, median, rate, six_digits, time};

    #[test]
    fn figures_have_three_digits_and_a_unit() {
        assert_eq!(time(12.0), "12.0 ns");
        assert_eq!(time(1750.0), "1.75 us");
        assert_eq!(time(99.96e6), "100 ms");
        assert_eq!(time(123.4e6), "123 ms");
        assert_eq!(time(2.5e9), "2.50 s");
        assert_eq!(rate(536.4), "536 G/s");
        assert_eq!(rate(0.25), "250 M/s");
        assert_eq!(rate(0.0), "0.00 K/s");
        assert_eq!(bytes(12), "12 B");
        assert_eq!(bytes(32 << 10), "32 KiB");
        assert_eq!(bytes(3 << 29), "1.5 GiB");
        assert_eq!(bytes(u64::MAX), "16 EiB");
    }

    #[test]
    fn median_is_the_middle_value() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 3.0);
        assert_eq!(median(Vec::new()), 0.0);
    }

    #[test]
    fn figures_keep_six_digits() {
        assert_eq!(six_digits(0.062_559_123), 0.062_559_1);
        assert_eq!(six_digits(0.0), 0.0);
        assert_eq!(six_digits(123_456_789.0), 123_457_000.0);
    }
}
