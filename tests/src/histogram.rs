//! CPU reference for histograms, and samples of every type, including edges and special values.

use multisplit::Sample;

use crate::generate::Rng;

/// A sample type with a CPU reference.
pub trait Reference: Sample + std::fmt::Debug {
    /// The GLSL type of the parameter of a bin function.
    const GLSL: &'static str;

    /// The value `number`.
    fn small(number: u8) -> Self;

    /// The bin among `m` equal parts of [lo, hi), or `None` if the sample is out of range.
    fn even_bin(self, lo: Self, hi: Self, m: u32) -> Option<u32>;

    /// The bin if values are bin indices; `None` for values out of range, and for floats.
    fn identity_bin(self, m: u32) -> Option<u32>;

    /// The range of the even bins and of the splitters.
    fn domain() -> (Self, Self);

    /// The value at fraction `part` of the domain. The fraction may be outside 0..1.
    fn at(part: f64) -> Self;

    /// Edge-case values.
    fn special() -> Vec<Self>;
}

/// A generic function for every sample type, as an array.
#[macro_export]
macro_rules! of_every_sample {
    ($function:ident) => {
        $crate::of_every_sample!($function: f32, u32, i32, u8, u16, u64, f64, i64)
    };
    ($function:ident: $($sample:ty),*) => { [$($function::<$sample>),*] };
}

/// The bin among sorted splitters, by comparison with every splitter.
pub fn range_bin<S: Reference>(value: S, splitters: &[S]) -> Option<u32> {
    let inside = splitters[0] <= value && value < splitters[splitters.len() - 1];
    inside.then(|| splitters.iter().filter(|&&splitter| splitter <= value).count() as u32 - 1)
}

macro_rules! integer {
    ($($type:ty, $glsl:ident: $lo:expr, $hi:expr;)*) => {
        $(impl Reference for $type {
            const GLSL: &'static str = stringify!($glsl);

            fn small(number: u8) -> Self {
                number.into()
            }

            fn even_bin(self, lo: Self, hi: Self, m: u32) -> Option<u32> {
                let [x, lo, hi] = [self, lo, hi].map(|v| v as i128);
                let inside = lo <= x && x < hi;
                inside.then(|| ((x - lo) * i128::from(m) / (hi - lo)) as u32)
            }

            fn identity_bin(self, m: u32) -> Option<u32> {
                let inside = (0..i128::from(m)).contains(&(self as i128));
                inside.then_some(self as u32)
            }

            fn domain() -> (Self, Self) {
                ($lo, $hi)
            }

            fn at(part: f64) -> Self {
                let (lo, hi) = Self::domain();
                (lo as f64 + part * (hi as f64 - lo as f64)) as Self
            }

            fn special() -> Vec<Self> {
                let (lo, hi) = Self::domain();
                vec![0, 1, lo, lo - 1, lo + 1, hi - 1, hi, hi + 1, Self::MIN, Self::MAX]
            }
        })*
    };
}

integer! {
    u8, uint: 3, 251;
    u16, uint: 10, 60_001;
    u32, uint: 1000, 4_000_000_007;
    i32, int: -2_000_000_011, 2_100_000_000;
    u64, uint64_t: 5, (1 << 62) + 12_345;
    i64, int64_t: -(1 << 62) - 12_345, (1 << 61) + 99;
}

macro_rules! float {
    ($($type:ty, $glsl:ident;)*) => {
        $(impl Reference for $type {
            const GLSL: &'static str = stringify!($glsl);

            fn small(number: u8) -> Self {
                number.into()
            }

            fn even_bin(self, lo: Self, hi: Self, m: u32) -> Option<u32> {
                // Edges as documented: rounded after every operation.
                let step = (hi - lo) / m as Self;
                let begins_at_or_below = |k: u32| k as Self * step + lo <= self;
                let inside = lo <= self && self < hi;
                inside.then(|| {
                    let (mut first, mut end) = (0, m);
                    while end - first > 1 {
                        let middle = first + (end - first) / 2;
                        (first, end) =
                            if begins_at_or_below(middle) { (middle, end) } else { (first, middle) };
                    }
                    first
                })
            }

            fn identity_bin(self, _: u32) -> Option<u32> {
                None
            }

            fn domain() -> (Self, Self) {
                (-3.7, 1020.3)
            }

            fn at(part: f64) -> Self {
                (-3.7 + part * 1024.0) as Self
            }

            fn special() -> Vec<Self> {
                let (lo, hi) = Self::domain();
                vec![
                    Self::NAN, -Self::NAN, Self::INFINITY, Self::NEG_INFINITY, 0.0, -0.0, lo, hi,
                    lo.next_down(), lo.next_up(), hi.next_down(), hi.next_up(), Self::MIN,
                    Self::MAX, Self::MIN_POSITIVE, -Self::MIN_POSITIVE, Self::from_bits(1),
                ]
            }
        })*
    };
}

float! { f32, float; f64, double; }

/// Distribution of samples over bins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// All even bins are equally likely. About a tenth of the samples is outside the domain.
    Uniform,
    /// All samples are equal.
    OneBin,
    /// Bin indices have approximately a binomial distribution.
    Binomial,
    /// A bell curve around the middle.
    Normal,
    /// The given bin edges and special values.
    Edges,
}

impl Spread {
    /// Every spread.
    pub const ALL: [Self; 5] =
        [Self::Uniform, Self::OneBin, Self::Binomial, Self::Normal, Self::Edges];

    /// `n` samples over `m` bins, whose edges are `edges`.
    pub fn samples<S: Reference>(self, n: usize, m: u32, edges: &[S], seed: u64) -> Vec<S> {
        let mut rng = Rng::new(seed);
        let special = S::special();
        let unit = |rng: &mut Rng| rng.next_u32() as f64 / 4_294_967_296.0;
        let sample = |i: usize| match self {
            Self::Uniform => S::at(unit(&mut rng) * 1.1 - 0.05),
            Self::OneBin => S::at(0.37),
            Self::Binomial => {
                // The heads of 63 coin tosses, scaled to the index of one of at most 65 parts. With
                // more bins, several bins are in one part.
                let last = u64::from(m - 1).min(64);
                let heads = u64::from((rng.next_u64() & (u64::MAX >> 1)).count_ones());
                S::at(((heads * last / 63) as f64 + unit(&mut rng)) / (last + 1) as f64)
            }
            Self::Normal => {
                let sum: f64 = (0..12).map(|_| unit(&mut rng)).sum();
                S::at(0.5 + (sum - 6.0) * 0.15)
            }
            Self::Edges if i.is_multiple_of(3) => special[rng.below(special.len() as u64) as usize],
            Self::Edges => edges[i % edges.len()],
        };
        (0..n).map(sample).collect()
    }
}

/// m + 1 sorted splitters within the domain. With more than 8 bins, at least two of them are equal.
pub fn splitters<S: Reference>(m: u32, seed: u64) -> Vec<S> {
    let mut rng = Rng::new(seed);
    let (lo, hi) = S::domain();
    let mut parts: Vec<f64> = (1..m).map(|_| rng.next_u32() as f64 / 4_294_967_296.0).collect();
    parts.sort_by(f64::total_cmp);
    if m > 8 {
        parts[3] = parts[2];
    }
    let inner = parts.into_iter().map(S::at).map(|s| if s < lo { lo } else { s });
    [lo].into_iter().chain(inner).chain([hi]).collect()
}

/// The edges of `m` even bins over the domain, rounded to the sample type.
pub fn even_edges<S: Reference>(m: u32) -> Vec<S> {
    (0..=m).map(|k| S::at(f64::from(k) / f64::from(m))).collect()
}

/// The sum of weights in each bin, and the number of samples outside all bins. `bin_of` and
/// `weight_of` take the index of a sample.
pub fn count(
    n: usize,
    m: u32,
    bin_of: impl Fn(usize) -> Option<u32>,
    weight_of: impl Fn(usize) -> u64,
) -> (Vec<u64>, u64) {
    let (mut counts, mut out_of_range) = (vec![0; m as usize], 0);
    for i in 0..n {
        match bin_of(i) {
            Some(bin) => counts[bin as usize] += weight_of(i),
            None => out_of_range += 1,
        }
    }
    (counts, out_of_range)
}
