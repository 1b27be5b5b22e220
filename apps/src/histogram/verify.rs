//! Verification of histograms against the CPU: `--verify`.

use anyhow::{Result, bail};
use rayon::prelude::*;

use super::bin_rule::BinRule;
use super::counted::{Counted, Counts};
use crate::number::Number;

/// Maximum difference between a float sum and the CPU's, relative to the sum of magnitudes. The device adds
/// in another order and rounds each addition to 24 bits.
const TOLERANCE: f64 = 1e-4;

/// Compares the counts with the CPU's, computed from the edges. For a user's function, which only the device
/// can evaluate, checks that no sample is lost or counted twice.
pub fn verify<N: Number>(
    rule: &BinRule<'_, N>,
    samples: &[N],
    weight: &(dyn Fn(usize) -> f64 + Sync),
    counted: &Counted,
) -> Result<()> {
    if rule.glsl().is_some() {
        return Ok(());
    }
    // Sum of the weights of each bin, and sum of their magnitudes.
    let bins = rule.edges.len() - 1;
    let share = samples.len().div_ceil(rayon::current_num_threads()).max(1);
    let count = |(part, samples): (usize, &[N])| {
        let mut sums = vec![[0f64; 2]; bins];
        for (index, &sample) in (part * share..).zip(samples) {
            if let Some(bin) = rule.bin(sample) {
                sums[bin][0] += weight(index);
                sums[bin][1] += weight(index).abs();
            }
        }
        sums
    };
    let add = |mut all: Vec<[f64; 2]>, part: Vec<[f64; 2]>| {
        let pairs = all.iter_mut().zip(part);
        pairs.for_each(|(all, part)| *all = [all[0] + part[0], all[1] + part[1]]);
        all
    };
    let parts = samples.par_chunks(share).enumerate().map(count);
    let expected = parts.reduce(|| vec![[0f64; 2]; bins], add);
    let found = counted.counts.heights();
    let slack = if matches!(counted.counts, Counts::Real(_)) { TOLERANCE } else { 0.0 };
    for (bin, (found, [expected, magnitude])) in found.iter().zip(&expected).enumerate() {
        if (found - expected).abs() > slack * magnitude {
            bail!("the histogram is wrong: bin {bin} has {found}, but {expected} on the CPU");
        }
    }
    Ok(())
}
