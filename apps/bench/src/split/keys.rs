//! Generates keys for splits with a given distribution over the buckets.

use std::thread;

use anyhow::Result;

use super::{Function, Rule};
use crate::choice::{Choice, Named, choice};
use crate::data::{self, SEED, SplitMix64, below};

/// Distribution of the keys over the buckets. The paper uses the same three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "described below")]
pub enum Distribution {
    Uniform,
    Binomial,
    QuarterUniform,
}

impl Named for Distribution {
    const CHOICES: &'static [Choice<Self>] = &[
        choice(Self::Uniform, "uniform").help("Uniform keys"),
        choice(Self::Binomial, "binomial")
            .help("Binomial B(m-1, 1/2) over the buckets: most keys are in the middle buckets"),
        choice(Self::QuarterUniform, "quarter-uniform")
            .help("A quarter of the keys uniform over the buckets, the rest in one bucket"),
    ];
}

/// Parameters of key generation. Equal recipes generate equal keys, so keys can be reused if the recipe is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipe {
    /// Random words, independent of the bucket function.
    Words,
    /// Keys for one bucket function.
    Placed {
        /// The bucket function.
        function: Function,
        /// Number of buckets.
        buckets: u32,
        /// Distribution over the buckets.
        distribution: Distribution,
    },
}

impl Recipe {
    /// The recipe for keys of this distribution for `rule`.
    pub fn new(rule: &Rule, distribution: Distribution) -> Self {
        if distribution == Distribution::Uniform && rule.takes_any_key() {
            return Self::Words;
        }
        Self::Placed { function: rule.function, buckets: rule.buckets, distribution }
    }

    /// Generates `n` keys. They do not depend on the thread count.
    pub fn make(self, n: u64) -> Result<Vec<u32>> {
        let Self::Placed { function, buckets, distribution } = self else {
            return data::random_keys(n, SEED);
        };
        let rule = Rule::new(function, buckets);
        let spread = Spread::new(distribution, buckets);
        let mut keys = data::words(n, |_| 0)?;
        let share = data::share(keys.len());
        thread::scope(|scope| {
            for (index, piece) in keys.chunks_mut(share).enumerate() {
                let (rule, spread) = (&rule, &spread);
                scope.spawn(move || {
                    let mut generator = SplitMix64::after(SEED, (index * share * DRAWS) as u64);
                    for key in piece {
                        let draws = std::array::from_fn(|_| generator.draw());
                        *key = rule.key(spread.bucket(&draws), draws[DRAWS - 1]);
                    }
                });
            }
        });
        Ok(keys)
    }
}

/// Random words per key: enough for the 255 bits of a binomial draw over up to 256 buckets, and one draw
/// within the bucket. With more buckets, additional bits are derived from these.
const DRAWS: usize = 5;
/// Random words of a binomial draw.
const MASKS: usize = DRAWS - 1;
/// Coin tosses per random word, one per bit.
const COINS: u32 = 64;

/// Draws a random bucket for each key.
struct Spread {
    distribution: Distribution,
    buckets: u32,
    /// Masks of the random words with m - 1 set bits in total. If m - 1 exceeds their size, all bits are set.
    masks: [u64; MASKS],
    /// Number of the m - 1 bits that do not fit in `masks`.
    more_coins: u32,
    /// The bucket that contains most keys of the distribution "quarter-uniform".
    favourite: u32,
}

impl Spread {
    fn new(distribution: Distribution, buckets: u32) -> Self {
        let masks = std::array::from_fn(|word| {
            let bits = buckets.saturating_sub(1 + COINS * word as u32);
            u64::MAX.checked_shr(COINS.saturating_sub(bits)).unwrap_or(0)
        });
        let more_coins = buckets.saturating_sub(1 + COINS * MASKS as u32);
        let random = SplitMix64::after(u64::from(buckets), 0).draw();
        let favourite = below(random, buckets.into()) as u32;
        Self { distribution, buckets, masks, more_coins, favourite }
    }

    fn bucket(&self, draws: &[u64; DRAWS]) -> u32 {
        let uniform = |draw| below(draw, self.buckets.into()) as u32;
        match self.distribution {
            Distribution::Uniform => uniform(draws[0]),
            // The number of heads of m - 1 fair coins.
            Distribution::Binomial => {
                let heads = |(mask, draw): (&u64, &u64)| (mask & draw).count_ones();
                let first: u32 = self.masks.iter().zip(draws).map(heads).sum();
                first + more_heads(self.more_coins, draws[MASKS - 1])
            }
            Distribution::QuarterUniform if draws[0].is_multiple_of(4) => uniform(draws[1]),
            Distribution::QuarterUniform => self.favourite,
        }
    }
}

/// The number of heads of `coins` fair coins.
fn more_heads(coins: u32, seed: u64) -> u32 {
    let mut generator = SplitMix64::after(seed, 0);
    let words: u32 = (0..coins / COINS).map(|_| generator.draw().count_ones()).sum();
    match coins % COINS {
        0 => words,
        rest => words + (generator.draw() >> (COINS - rest)).count_ones(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Distribution, Recipe, Spread};
    use crate::split::{Function, Rule};

    const N: u64 = 1 << 16;

    fn counts(function: Function, buckets: u32, distribution: Distribution) -> Vec<u64> {
        let rule = Rule::new(function, buckets);
        let mut counts = vec![0; buckets as usize];
        for key in Recipe::new(&rule, distribution).make(N).expect("the keys can be generated") {
            counts[rule.id(key) as usize] += 1;
        }
        counts
    }

    #[test]
    fn keys_follow_the_distribution() {
        for function in [Function::Delta, Function::Identity] {
            for buckets in [10, 256, 1000] {
                let mean = N / u64::from(buckets);
                let even = counts(function, buckets, Distribution::Uniform);
                assert!(
                    even.iter().all(|&c| c > mean / 3 && c < mean * 3),
                    "a count differs from {mean} by a factor of at least 3: {even:?}"
                );

                let coins = counts(function, buckets, Distribution::Binomial);
                let sum: u64 = coins.iter().zip(0..).map(|(count, id)| count * id).sum();
                let centre = sum as f64 / N as f64;
                assert!(
                    (centre - f64::from(buckets - 1) / 2.0).abs() < 0.4,
                    "the mean bucket is {centre}"
                );

                let one = counts(function, buckets, Distribution::QuarterUniform);
                let max = one.iter().max().copied().unwrap_or_default();
                let expected = N * 3 / 4 + mean / 4;
                assert!(
                    max.abs_diff(expected) < N / 64,
                    "the largest count is {max}, expected about {expected}"
                );
            }
        }
    }

    #[test]
    fn binomial_buckets_range_from_the_first_to_the_last() {
        for buckets in [1, 2, 64, 65, 66, 129, 255, 256] {
            let spread = Spread::new(Distribution::Binomial, buckets);
            assert_eq!(spread.bucket(&[u64::MAX; 5]), buckets - 1);
            assert_eq!(spread.bucket(&[0; 5]), 0);
        }
    }
}
