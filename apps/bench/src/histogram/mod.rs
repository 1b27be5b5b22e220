//! Histogram benchmarks: operations, samples, and the expected results.

mod expected;
mod plan;

pub use expected::expected;
pub use plan::{HistogramPlan, Method, name};

use anyhow::Result;
use clap::ValueEnum;
use multisplit::Bins;
use multisplit::operations::histogram::Layout;

use crate::data::{self, SEED, SplitMix64};

/// An operation, by the name that figures of other programs go by too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Op {
    /// f32 in [0, 1024), m bins of equal width
    #[value(name = "histogram_even")]
    Even,
    /// f32 in [0, 1024), m - 1 random splitters between the ends
    #[value(name = "histogram_range")]
    Range,
    /// u8, one bin per value
    #[value(name = "histogram_u8")]
    Bytes,
    /// RGBA8 pixels, four histograms of 256 bins in one pass
    #[value(name = "histogram_rgba8")]
    Pixels,
}

impl Op {
    /// The name on the command line and in figures.
    pub fn name(self) -> &'static str {
        match self {
            Self::Even => "histogram_even",
            Self::Range => "histogram_range",
            Self::Bytes => "histogram_u8",
            Self::Pixels => "histogram_rgba8",
        }
    }

    /// Whether samples are floats. Otherwise they are bytes, which always have 256 bins.
    pub fn floats(self) -> bool {
        matches!(self, Self::Even | Self::Range)
    }

    /// Number of histograms per run.
    pub fn channels(self) -> u32 {
        if self == Self::Pixels { 4 } else { 1 }
    }

    /// Number of words for `n` elements.
    pub fn words(self, n: u64) -> u64 {
        if self == Self::Bytes { n.div_ceil(4) } else { n }
    }

    /// The bins in the engine's form, with m = `bins`.
    pub fn device_bins(self, bins: u32) -> Bins {
        match self {
            Self::Even => Bins::even(0.0..END, bins).untyped(),
            Self::Range => Bins::range(&splitters(bins)).untyped(),
            Self::Bytes => Bins::<u8>::identity(BYTES).untyped(),
            Self::Pixels => {
                Bins::<u8>::identity(BYTES).layout(Layout::interleaved(4, 0b1111)).untyped()
            }
        }
    }
}

/// Upper end of the paper's floats.
const END: f32 = 1024.0;
/// Number of values of a byte.
pub const BYTES: u32 = 256;
/// Seed of the splitters, which differs from that of the samples so that they are independent.
const SPLITTER_SEED: u64 = 0x0073_706c_6974;

/// m + 1 sorted splitters, including both ends.
fn splitters(bins: u32) -> Vec<f32> {
    let mut generator = SplitMix64::after(SPLITTER_SEED, 0);
    let mut splitters: Vec<f32> =
        (1..bins).map(|_| float((generator.draw() >> 32) as u32)).collect();
    splitters.sort_by(f32::total_cmp);
    splitters.insert(0, 0.0);
    splitters.push(END);
    splitters
}

/// Converts 24 random bits to a float in [0, 1024).
fn float(word: u32) -> f32 {
    (word >> 8) as f32 / 16_384.0
}

/// Distribution of the samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Spread {
    /// Uniform over all values
    #[default]
    Uniform,
    /// All samples in one bin
    One,
}

/// `n` words of samples.
pub fn samples(floats: bool, spread: Spread, n: u64) -> Result<Vec<u32>> {
    let mut words = match spread {
        Spread::Uniform => data::random_words(n, SEED)?,
        Spread::One => data::words(n, |_| 0x4d4d_4d4d)?,
    };
    if floats {
        words.iter_mut().for_each(|word| *word = float(*word).to_bits());
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operation_names_match_the_command_line() {
        for op in Op::value_variants() {
            let value = op.to_possible_value().expect("a value");
            assert_eq!(value.get_name(), op.name());
        }
    }

    #[test]
    fn splitters_are_sorted_between_the_ends() {
        let splitters = splitters(256);
        assert_eq!((splitters.len(), splitters[0], splitters[256]), (257, 0.0, 1024.0));
        assert!(splitters.is_sorted());
    }
}
