//! Compares every element of a device result with the CPU's result.

use anyhow::{Result, bail};

/// Checks that `output` holds the exclusive prefix sums of `input`, modulo 2^32.
pub fn scanned(input: &[u32], output: &[u32]) -> Result<()> {
    let sums = input.iter().scan(0u32, |sum, &value| {
        let before = *sum;
        *sum = sum.wrapping_add(value);
        Some(before)
    });
    equal("the scan", sums, input.len(), output)
}

/// Checks that `output` equals `input`.
pub fn copied(input: &[u32], output: &[u32]) -> Result<()> {
    equal("the copy", input.iter().copied(), input.len(), output)
}

/// Checks that all `n` elements of `output` are `value`.
pub fn filled(value: u32, n: usize, output: &[u32]) -> Result<()> {
    equal("the fill", std::iter::repeat_n(value, n), n, output)
}

fn equal(
    what: &str,
    expected: impl Iterator<Item = u32>,
    length: usize,
    output: &[u32],
) -> Result<()> {
    if output.len() != length {
        bail!("{what} is wrong: the result has {} elements, not {length}", output.len());
    }
    let differs = |(_, (expected, got)): &(usize, (u32, &u32))| expected != *got;
    if let Some((index, (expected, got))) = expected.zip(output).enumerate().find(differs) {
        bail!("{what} is wrong: element {index} of {length} is {got}, but {expected} on the CPU");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{copied, filled, scanned};

    #[test]
    fn correct_results_pass() {
        assert!(scanned(&[3, 1, u32::MAX], &[0, 3, 4]).is_ok());
        assert!(scanned(&[u32::MAX, 2, 5], &[0, u32::MAX, 1]).is_ok());
        assert!(copied(&[1, 2], &[1, 2]).is_ok());
        assert!(filled(7, 2, &[7, 7]).is_ok());
    }

    #[test]
    fn wrong_results_are_reported() {
        let problem = scanned(&[3, 1, 4], &[0, 3, 5]).expect_err("a wrong sum").to_string();
        assert!(problem.contains("element 2 of 3 is 5, but 4 on the CPU"), "{problem}");
        assert!(copied(&[1, 2], &[1, 3]).is_err());
        assert!(copied(&[1, 2], &[1]).is_err());
        assert!(filled(7, 2, &[7, 0]).is_err());
    }
}
