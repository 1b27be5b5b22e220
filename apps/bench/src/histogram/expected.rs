//! Expected histograms, counted on all CPU cores.

use super::{BYTES, END, Op, splitters};
use crate::data;

/// Counts of `n` elements, one channel after another.
pub fn expected(op: Op, bins: u32, words: &[u32], n: u64) -> Vec<u32> {
    let size = if op.floats() { bins } else { BYTES * op.channels() } as usize;
    let splitters = if op == Op::Range { splitters(bins) } else { Vec::new() };
    let parts = data::per_core(words.len(), |range| {
        let mut counts = vec![0u32; size];
        let left = n.saturating_sub(4 * range.start as u64);
        count(op, bins, &splitters, &words[range], left, &mut counts);
        counts
    });
    let mut counts = vec![0u32; size];
    for part in parts {
        counts.iter_mut().zip(part).for_each(|(sum, count)| *sum += count);
    }
    counts
}

/// Counts the samples in `words`. For [`Op::Bytes`], counts at most `left` of them.
fn count(op: Op, bins: u32, splitters: &[f32], words: &[u32], left: u64, counts: &mut [u32]) {
    let mut add = |bin: usize| counts[bin] += 1;
    let bytes = || words.iter().flat_map(|word| word.to_le_bytes());
    match op {
        // Division gives an approximate bin. Compare the value with the edges of the bins next to it.
        Op::Even => words.iter().for_each(|&word| {
            let (value, step) = (f32::from_bits(word), END / bins as f32);
            let guess = (value / step) as u32;
            let begins = |k: &u32| *k < bins && *k as f32 * step <= value;
            add((guess.saturating_sub(1)..=guess + 1).rev().find(begins).unwrap_or(0) as usize);
        }),
        Op::Range => words.iter().for_each(|&word| {
            let value = f32::from_bits(word);
            add(splitters.partition_point(|&splitter| splitter <= value) - 1);
        }),
        Op::Bytes => {
            bytes().take(usize::try_from(left).unwrap_or(usize::MAX)).for_each(|b| add(b.into()));
        }
        Op::Pixels => {
            bytes().enumerate().for_each(|(i, b)| add(i % 4 * BYTES as usize + usize::from(b)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::{Spread, samples};

    #[test]
    fn every_sample_is_counted_once() {
        for (op, n) in [(Op::Even, 1000), (Op::Range, 1000), (Op::Bytes, 998), (Op::Pixels, 1000)] {
            let words = samples(op.floats(), Spread::Uniform, op.words(n))
                .expect("the samples can be generated");
            let counts = expected(op, 100, &words, n);
            let sum: u64 = counts.iter().map(|&count| u64::from(count)).sum();
            assert_eq!(sum, n * u64::from(op.channels()), "sum of the counts of {op:?}");
        }
    }
}
