//! Seeded input generators, with the same output on every machine.

/// SplitMix64: passes the usual statistical tests and has a single word of state.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator with this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// The next 32 bits.
    pub fn next_u32(&mut self) -> u32 {
        (self.next_u64() >> 32) as u32
    }

    /// A number below `bound`, which is not zero.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u64
    }
}

/// `n` uniform 32-bit numbers.
pub fn uniform(n: usize, seed: u64) -> Vec<u32> {
    let mut rng = Rng::new(seed);
    (0..n).map(|_| rng.next_u32()).collect()
}

/// `n` numbers below `bound`. On average, four adjacent ones are equal.
pub fn runs(n: usize, bound: u32, seed: u64) -> Vec<u32> {
    let mut value = 0;
    let step = |word: u32| {
        if word.is_multiple_of(4) {
            value = (word >> 8) % bound;
        }
        value
    };
    uniform(n, seed).into_iter().map(step).collect()
}

/// `n` floats from 0 to about 1.07. Most of their sums are rounded.
pub fn fractions(n: usize, seed: u64) -> Vec<f32> {
    uniform(n, seed).into_iter().map(|word| word as f32 / 4e9).collect()
}

/// Number of heads in `n` coin tosses, 64 per random word.
fn tosses(n: u64, rng: &mut Rng) -> u64 {
    let words: u32 = (0..n / 64).map(|_| rng.next_u64().count_ones()).sum();
    let rest = rng.next_u64() & ((1 << (n % 64)) - 1);
    u64::from(words + rest.count_ones())
}

/// Distribution of keys over buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// Uniform over the range of u32.
    Uniform,
    /// Bucket ids have the binomial distribution B(m - 1, 1/2).
    Binomial,
    /// A quarter of the keys is uniform, the rest is in one bucket.
    QuarterUniform,
    /// All keys in one bucket.
    OneBucket,
    /// Uniform, in ascending order.
    Sorted,
    /// Uniform, in descending order.
    Reversed,
}

impl Distribution {
    /// Every distribution.
    pub const ALL: [Self; 6] = [
        Self::Uniform,
        Self::Binomial,
        Self::QuarterUniform,
        Self::OneBucket,
        Self::Sorted,
        Self::Reversed,
    ];

    /// `n` keys, distributed over the `m` buckets that divide the range of u32.
    pub fn keys(self, n: usize, m: u32, seed: u64) -> Vec<u32> {
        let mut rng = Rng::new(seed);
        let width = (1u64 << 32).div_ceil(u64::from(m));
        let in_bucket = |bucket: u64, rng: &mut Rng| {
            (bucket * width + rng.below(width)).min(u64::from(u32::MAX)) as u32
        };
        let last = u64::from(m - 1);
        let mut keys: Vec<u32> = (0..n)
            .map(|_| match self {
                Self::Uniform | Self::Sorted | Self::Reversed => rng.next_u32(),
                Self::Binomial => {
                    let heads = tosses(last, &mut rng);
                    in_bucket(heads, &mut rng)
                }
                Self::QuarterUniform if rng.below(4) == 0 => rng.next_u32(),
                Self::QuarterUniform | Self::OneBucket => in_bucket(last / 2, &mut rng),
            })
            .collect();
        match self {
            Self::Sorted => keys.sort_unstable(),
            Self::Reversed => keys.sort_unstable_by(|a, b| b.cmp(a)),
            _ => {}
        }
        keys
    }
}
