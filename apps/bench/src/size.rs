//! Parses and formats element counts (`2^24`, `16777216` or `16_777_216`) and memory sizes (`256KiB`).

/// Parses a size of at least 1; for use as a `value_parser`.
pub fn parse(text: &str) -> Result<u64, String> {
    let size = match text.split_once('^') {
        None => digits(text).map(|number| number.ok()),
        Some((base, exponent)) => digits(base)
            .zip(digits(exponent))
            .map(|(base, exponent)| base.ok()?.checked_pow(u32::try_from(exponent.ok()?).ok()?)),
    };
    match size {
        Some(Some(0)) => Err("a size must be at least 1".to_owned()),
        Some(size) => size.ok_or_else(|| too_large(text)),
        None => Err(format!("`{text}` is not a size; write for example 2^24 or 16777216")),
    }
}

/// Parses a 32-bit count of at least 1; for use as a `value_parser`.
pub fn parse_count(text: &str) -> Result<u32, String> {
    u32::try_from(parse(text)?)
        .map_err(|_| format!("`{text}` is too large; the maximum is 4294967295"))
}

/// Parses a 32-bit index, counted from 0; for use as a `value_parser`.
pub fn parse_index(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("`{text}` is not a whole number from 0 to {}", u32::MAX))
}

/// Parses a memory size of at least one byte; for use as a `value_parser`.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, u64); 9] = [
        ("kib", 1 << 10),
        ("mib", 1 << 20),
        ("gib", 1 << 30),
        ("tib", 1 << 40),
        ("kb", 1_000),
        ("mb", 1_000_000),
        ("gb", 1_000_000_000),
        ("tb", 1_000_000_000_000),
        ("b", 1),
    ];
    let lower = text.trim().to_ascii_lowercase();
    let (number, unit) = UNITS
        .iter()
        .find_map(|(name, unit)| lower.strip_suffix(name).map(|number| (number, *unit)))
        .unwrap_or((&lower, 1));
    let problem = || format!("`{text}` is not a memory size; write for example 256KiB or 1.5GiB");
    let integer = |part: &str| -> Result<u64, String> {
        digits(part).ok_or_else(problem)?.map_err(|_| too_large(text))
    };
    let bytes = match number.trim().split_once('.') {
        None if number.contains('^') => parse(number)?.checked_mul(unit),
        None => integer(number)?.checked_mul(unit),
        Some((whole, part)) if unit > 1 && part.len() <= MAX_FRACTION => {
            let (whole, parts) = (integer(whole)?, integer(part)?);
            let fraction = u128::from(parts) * u128::from(unit) / 10u128.pow(part.len() as u32);
            whole.checked_mul(unit).and_then(|bytes| bytes.checked_add(fraction as u64))
        }
        Some(_) => return Err(problem()),
    };
    match bytes {
        Some(0) => Err("a memory size must be at least 1 byte".to_owned()),
        Some(bytes) => Ok(bytes),
        None => Err(too_large(text)),
    }
}

/// Maximum number of digits after the point.
const MAX_FRACTION: usize = 9;

/// Parses an integer. `None` if there are no digits, or characters other than digits, underscores and outer spaces.
fn digits(text: &str) -> Option<Result<u64, std::num::ParseIntError>> {
    let digits = text.trim().replace('_', "");
    // `u64::from_str` accepts a leading `+`, which a size must not have.
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| digits.parse())
}

fn too_large(text: &str) -> String {
    format!("`{text}` is too large; it must fit in 64 bits")
}

/// Formats a size: as `2^k` if it is a power of two of at least 2^10, otherwise with commas between thousands.
pub fn show(size: u64) -> String {
    if size >= 1 << 10 && size.is_power_of_two() {
        return format!("2^{}", size.ilog2());
    }
    grouped(size)
}

/// Formats a number with commas between thousands.
pub fn grouped(number: u64) -> String {
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
    use super::{grouped, parse, parse_bytes, show};

    #[test]
    fn memory_sizes_are_parsed_with_units() {
        for (text, bytes) in [
            ("1", 1),
            ("256KiB", 256 << 10),
            ("3 mib", 3 << 20),
            ("2GB", 2_000_000_000),
            ("7b", 7),
            ("1.5MiB", 3 << 19),
            ("2^20", 1 << 20),
            ("2^4KiB", 1 << 14),
        ] {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
        }
        for text in ["", "KiB", "-1", "1.5", "1..5GiB", "256Kib/s", "0", "99999999TiB", "many"] {
            assert!(parse_bytes(text).is_err(), "`{text}` was accepted");
        }
    }

    #[test]
    fn numbers_and_powers_are_parsed() {
        for (text, size) in [
            ("1", 1),
            ("16777216", 1 << 24),
            ("16_777_216", 1 << 24),
            ("2^24", 1 << 24),
            (" 2 ^ 0 ", 1),
            ("10^6", 1_000_000),
            ("18446744073709551615", u64::MAX),
            ("2^63", 1 << 63),
        ] {
            assert_eq!(parse(text), Ok(size), "{text}");
        }
    }

    #[test]
    fn invalid_sizes_are_rejected() {
        for text in ["", "^", "2^", "^2", "-1", "+1", "1.5", "2^2^2", "0x10", "16M", "abc", "_"] {
            let problem = parse(text).expect_err(text);
            assert!(problem.contains("is not a size"), "{text}: {problem}");
        }
        for text in ["2^64", "18446744073709551616", "10^99999999999"] {
            let problem = parse(text).expect_err(text);
            assert!(problem.contains("64 bits"), "{text}: {problem}");
        }
        for text in ["0", "0^3"] {
            assert_eq!(parse(text), Err("a size must be at least 1".to_owned()), "{text}");
        }
    }

    #[test]
    fn sizes_are_formatted_with_powers_and_commas() {
        assert_eq!(show(1 << 24), "2^24");
        assert_eq!(show(512), "512");
        assert_eq!(show(100_000), "100,000");
        assert_eq!(grouped(1 << 24), "16,777,216");
        assert_eq!(grouped(999), "999");
    }
}
