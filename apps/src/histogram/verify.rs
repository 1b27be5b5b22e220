//! Whether a histogram is what the CPU computes: `--verify`.

use anyhow::{Result, bail};

use super::bin_rule::BinRule;
use super::number::Number;
use super::whole::{Counted, Counts};

/// By how much a sum of floats may differ from the CPU's, as a part of the sum of all magnitudes:
/// the device adds them in another order, each addition rounded to 24 bits.
const TOLERANCE: f64 = 1e-4;

/// Compares with what the CPU counts, by the edges. Of a function that only the device knows, that
/// no sample is lost or counted twice.
pub fn verify<N: Number>(
    rule: &BinRule<'_, N>,
    samples: &[N],
    weight: &dyn Fn(usize) -> f64,
    counted: &Counted,
) -> Result<()> {
    if rule.glsl().is_some() {
        return Ok(());
    }
    let mut expected = vec![0f64; rule.edges.len() - 1];
    let mut magnitudes = expected.clone();
    for (index, &sample) in samples.iter().enumerate() {
        if let Some(bin) = rule.bin(sample) {
            expected[bin] += weight(index);
            magnitudes[bin] += weight(index).abs();
        }
    }
    let found = counted.counts.heights();
    let slack = if matches!(counted.counts, Counts::Real(_)) { TOLERANCE } else { 0.0 };
    for (bin, (found, expected)) in found.iter().zip(&expected).enumerate() {
        if (found - expected).abs() > slack * magnitudes[bin] {
            bail!("the histogram is wrong: bin {bin} has {found}, the CPU says {expected}");
        }
    }
    Ok(())
}
