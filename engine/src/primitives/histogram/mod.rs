//! Histogram: how many samples fall into each of m bins, by a function of the sample.
//!
//! [`histogram`] declares the passes of one histogram in a graph: [`Bins`] says how,
//! [`HistogramBuffers`] where. [`Context::histogram`](crate::Context::histogram) does everything in
//! one call.

mod bins;
mod description;
mod layout;
mod method;
mod passes;
pub(crate) mod sizes;

pub use bins::Bin;
pub use description::Bins;
pub use layout::Layout;
pub use method::{HistogramMethod, HistogramSizes};
pub use sizes::HistogramTuning;

use bytemuck::Pod;
use multisplit_graph::{Buffer, ElementType, Graph};

use super::arrays::{check_element, check_room};
use super::even::EvenFloats;
use super::sample::SampleType;
use super::{Count, Policy, scan};
use crate::error::{Error, Result};
use crate::memory::Place;
use bins::BinCode;
use passes::HistogramPasses;

/// The most bins.
pub const MAX_BINS: u32 = 1 << 20;

/// A histogram of samples of a type.
#[derive(Clone, Debug)]
pub(crate) struct Histogram {
    pub sample: SampleType,
    /// m, the number of bins.
    pub bins: u32,
    pub function: Bin,
    /// Whether the last bin has its upper edge.
    pub closed: bool,
    pub layout: Layout,
    pub weight: Weight,
    /// Whether counts have 64 bits: two words each, the low one first.
    pub wide: bool,
    pub accumulate: bool,
    pub method: HistogramMethod,
}

/// What an element adds to its bin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Weight {
    /// One.
    None,
    /// A u32 of its own. Sums are modulo 2^32, or 2^64 where counts are wide.
    U32,
    /// An f32 of its own. Sums are rounded in an order that may differ from run to run.
    F32,
}

impl Histogram {
    /// The m + 1 edges of the bins: splitters; of floats those that samples are compared with, to the
    /// bit; of integers equally spaced values, for an axis; 0 to m.
    fn edges(&self) -> Vec<f64> {
        match &self.function {
            Bin::Range(splitters) => splitters.iter().map(|&s| self.sample.value(s)).collect(),
            Bin::Even { lo, hi } if self.sample.is_float() => {
                let parts = EvenFloats { sample: self.sample, lo: *lo, hi: *hi, parts: self.bins };
                parts.edges().into_iter().map(|edge| self.sample.value(edge)).collect()
            }
            Bin::Even { lo, hi } => {
                let (lo, hi) = (self.sample.value(*lo), self.sample.value(*hi));
                let edge = |k| lo + (hi - lo) * f64::from(k) / f64::from(self.bins);
                (0..=self.bins).map(edge).collect()
            }
            _ => (0..=self.bins).map(f64::from).collect(),
        }
    }

    /// Words of a count.
    fn count_words(&self) -> u64 {
        if self.wide { 2 } else { 1 }
    }

    /// Whether elements are read 16 bytes at a time.
    fn reads_vectors(&self) -> bool {
        self.weight == Weight::None && self.layout.reads_vectors(self.sample)
    }
}

/// Where the arrays of a histogram are in a graph. None of the outputs may overlap an input.
#[derive(Clone, Copy, Debug)]
pub struct HistogramBuffers {
    pub(in crate::primitives) n: Option<Count>,
    pub(in crate::primitives) samples: Buffer,
    pub(in crate::primitives) weights: Option<Buffer>,
    pub(in crate::primitives) counts: Buffer,
    pub(in crate::primitives) out_of_range: Option<Buffer>,
    pub(in crate::primitives) cumulative: Option<Buffer>,
}

impl HistogramBuffers {
    /// Counts `samples` into `counts`: m for each channel that is counted, channel after channel,
    /// of `u32` or `u64`. (Of weights that are `f32`, sums of `f32`.)
    pub fn new(samples: Buffer, counts: Buffer) -> Self {
        Self { n: None, samples, weights: None, counts, out_of_range: None, cumulative: None }
    }

    /// The first `n` elements, by a host count or a device count; without, as many as the samples
    /// hold.
    #[must_use]
    pub fn count(self, n: impl Into<Count>) -> Self {
        Self { n: Some(n.into()), ..self }
    }

    /// Each element adds its weight, a `u32` or an `f32`, instead of one. Sums of `u32` are modulo
    /// 2^32, or 2^64 where counts are `u64`. Sums of `f32` are rounded in an order that may differ
    /// from run to run.
    #[must_use]
    pub fn weights(self, weights: Buffer) -> Self {
        Self { weights: Some(weights), ..self }
    }

    /// Gets one count for each channel, of the samples in no bin, NaN included. It has the type of the
    /// counts.
    #[must_use]
    pub fn out_of_range(self, counts: Buffer) -> Self {
        Self { out_of_range: Some(counts), ..self }
    }

    /// Gets m words: the exclusive prefix sums of the counts (of one channel, of `u32`).
    #[must_use]
    pub fn cumulative(self, sums: Buffer) -> Self {
        Self { cumulative: Some(sums), ..self }
    }

    /// What an element adds, by the types of weights and counts; an error where these are no such
    /// types.
    fn weight(&self) -> Result<(Weight, bool)> {
        use ElementType::{F32, U32, U64};
        let (weight, expected) = match self.weights.map(Buffer::element) {
            None => (Weight::None, "u32 or u64"),
            Some(U32) => (Weight::U32, "u32 or u64"),
            Some(F32) => (Weight::F32, "f32"),
            Some(other) => return mismatch("weights", other, "u32 or f32"),
        };
        let wide = match (weight, self.counts.element()) {
            (Weight::F32, F32) | (Weight::None | Weight::U32, U32) => false,
            (Weight::None | Weight::U32, U64) => true,
            (_, other) => return mismatch("counts", other, expected),
        };
        if let Some(out) = self.out_of_range {
            check_element("out_of_range", out, self.counts.element())?;
        }
        if let Some(sums) = self.cumulative {
            check_element("cumulative", sums, U32)?;
        }
        Ok((weight, wide))
    }
}

fn mismatch<T>(name: &'static str, found: ElementType, expected: &str) -> Result<T> {
    let (found, expected) = (found.to_string(), expected.to_owned());
    Err(Error::KeyTypeMismatch { name, found, expected })
}

/// Buffers of a histogram of so many elements.
#[derive(Clone, Copy, Debug)]
struct Counted {
    n: Count,
    samples: Buffer,
    weights: Option<Buffer>,
    counts: Buffer,
    out_of_range: Option<Buffer>,
    cumulative: Option<Buffer>,
}

/// What a histogram gives: `Vec`s of samples on the host, arrays of samples on the device.
#[derive(Debug)]
pub struct HistogramCounts<P: Place, C: Pod = u64> {
    /// m counts for each channel that is counted, channel after channel.
    pub counts: P::Array<C>,
    /// One for each such channel: the samples in no bin, NaN included.
    pub out_of_range: P::Array<C>,
    /// How it was done.
    pub method: HistogramMethod,
}

/// What [`histogram`] chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddedHistogram {
    /// The method; never `Auto`.
    pub method: HistogramMethod,
    /// Its sizes.
    pub sizes: HistogramSizes,
}

const WORD: u64 = 4;

/// Adds the passes of a histogram to the graph.
pub fn histogram<S>(
    graph: &mut Graph,
    policy: &Policy,
    bins: &Bins<S>,
    buffers: &HistogramBuffers,
) -> Result<AddedHistogram> {
    let sample = SampleType::of("samples", buffers.samples)?;
    let (weight, wide) = buffers.weight()?;
    let histogram = Histogram { weight, wide, ..bins.histogram().clone() };
    if sample != histogram.sample {
        let (found, expected) = (sample.to_string(), histogram.sample.to_string());
        return Err(Error::KeyTypeMismatch { name: "samples", found, expected });
    }
    policy.check()?;
    policy.histogram.check_on(&policy.facts)?;
    graph.sized_for_subgroups(policy.facts.subgroup_size);
    histogram.layout.check(sample)?;
    let HistogramBuffers { samples, weights, counts, out_of_range, cumulative, .. } = *buffers;
    let n = buffers.n.unwrap_or(Count::Host(histogram.layout.elements(sample, samples.size())));
    let buffers = Counted { n, samples, weights, counts, out_of_range, cumulative };
    check(&histogram, &buffers)?;
    let code = BinCode::new(&histogram, policy)?;
    let pieces = layout::pieces(policy, &histogram, &buffers)?;
    let (method, sizes) = method::choose(policy, &histogram, &code)?;
    tracing::debug!(?method, ?sizes, ?n, m = histogram.bins, "histogram");
    let (histogram, buffers) = (&histogram, &buffers);
    let mut job = HistogramPasses { graph, policy, histogram, buffers, code, method, sizes };
    job.clear()?;
    job.count(&pieces)?;
    if let Some(cumulative) = cumulative {
        scan::sums_before(graph, policy, counts, cumulative, u64::from(histogram.bins))?;
    }
    Ok(AddedHistogram { method, sizes })
}

fn check(histogram: &Histogram, buffers: &Counted) -> Result<()> {
    let refuse = |problem: &str| {
        let sample = histogram.sample.to_string();
        Err(Error::Histogram { sample, problem: problem.to_owned() })
    };
    if histogram.bins == 0 {
        return refuse("there are no bins");
    }
    if histogram.bins > MAX_BINS {
        let (asked, limit) = (histogram.bins.into(), MAX_BINS.into());
        return Err(Error::TooLarge { what: "number of bins", asked, limit });
    }
    let channels = u64::from(histogram.layout.active_channels());
    let plain = channels == 1 && !histogram.wide && histogram.weight != Weight::F32;
    if buffers.cumulative.is_some() && !plain {
        return refuse("cumulative counts are those of one channel, of 32 bits");
    }
    let m = u64::from(histogram.bins);
    let count = WORD * histogram.count_words();
    let outputs = [
        ("counts", Some(buffers.counts), m * channels * count),
        ("out_of_range", buffers.out_of_range, channels * count),
        ("cumulative", buffers.cumulative, m * WORD),
    ];
    for (name, buffer, needed) in outputs {
        if let Some(buffer) = buffer {
            check_room(name, buffer, needed)?;
        }
    }
    Ok(())
}
