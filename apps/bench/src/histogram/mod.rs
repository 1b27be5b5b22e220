//! Histogram benchmarks: operations, methods, samples, plans, and the expected results.

mod expected;

pub use expected::expected;

use anyhow::Result;
use clap::ValueEnum;
use multisplit::Bins;
use multisplit::graph::Graph;
use multisplit::operations::histogram::{HistogramMethod, Layout};
use multisplit::operations::{self, HistogramBuffers};

use crate::choice::{Choice, Named, choice, name};
use crate::data::{self, SEED, SplitMix64};
use crate::plans::{Planned, Target, bytes_of};

/// Kind of histogram. The names are the same as in other benchmark programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "described below")]
pub enum Op {
    Even,
    Range,
    Bytes,
    Pixels,
}

impl Named for Op {
    const CHOICES: &'static [Choice<Self>] = &[
        choice(Self::Even, "histogram_even").help("f32 in [0, 1024), m bins of equal width"),
        choice(Self::Range, "histogram_range")
            .help("f32 in [0, 1024), m - 1 random splitters between the ends"),
        choice(Self::Bytes, "histogram_u8").help("u8, one bin per value"),
        choice(Self::Pixels, "histogram_rgba8")
            .help("RGBA8 pixels, four histograms of 256 bins in one pass"),
    ];
}

impl Op {
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

    /// Returns the engine's description of `bins` bins.
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

/// The paper's histograms of floats count samples from 0 up to this number.
const END: f32 = 1024.0;
/// Number of different bytes, each with its own bin.
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

/// Converts the upper 24 bits of a random word to a float in [0, 1024).
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
        Spread::Uniform => data::random_keys(n, SEED)?,
        Spread::One => data::words(n, |_| 0x4d4d_4d4d)?,
    };
    if floats {
        words.iter_mut().for_each(|word| *word = float(*word).to_bits());
    }
    Ok(words)
}

/// Command-line name of a histogram method.
pub type Method = Choice<HistogramMethod>;

impl Named for HistogramMethod {
    const CHOICES: &'static [Method] = &[
        choice(Self::Auto, "auto").help("Best method for the device"),
        choice(Self::Ballots, "ballots")
            .help("Ballots, with counts in registers, as in the GPU Multisplit paper"),
        choice(Self::Shared, "shared")
            .help("Counters in shared memory, in several passes if necessary"),
        choice(Self::Global, "global").help("Atomic operations on the output"),
    ];
}

/// Plans a histogram of `n` elements with `m` bins. The imports are the samples and the counts.
pub fn plan(target: &Target, op: Op, m: u32, method: HistogramMethod, n: u64) -> Result<Planned> {
    target.check_size(op.words(n))?;
    let bins = op.device_bins(m).method(method);
    let mut graph = Graph::new("histogram");
    // Kernels read whole words, so round the length up.
    let len = bytes_of(op.words(n)) / u64::from(bins.sample().bytes());
    let samples = graph.import_array("samples", bins.sample().into(), len);
    let counts = u64::from(bins.count()) * u64::from(op.channels());
    let counts = graph.import::<u32>("counts", counts);
    let buffers = HistogramBuffers::new(samples, counts).count(n);
    let added = operations::histogram(&mut graph, &target.policy, &bins, &buffers)?;
    let (plan, method) = (target.plan(graph)?, name(added.method));
    Ok(Planned { plan, method, imports: vec![samples, counts] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitters_are_sorted_between_the_ends() {
        let splitters = splitters(256);
        assert_eq!((splitters.len(), splitters[0], splitters[256]), (257, 0.0, 1024.0));
        assert!(splitters.is_sorted());
    }
}
