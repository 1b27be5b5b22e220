//! Histogram: how many samples fall into each of m bins, by a function of the sample.
//!
//! [`add`] declares the passes of one histogram in a graph. [`Histogram`] says what is counted how;
//! [`HistogramBuffers`] where it is. [`Context::histogram`](crate::Context::histogram) does
//! everything in one call.
//!
//! ```
//! # fn main() -> Result<(), multisplit::Error> {
//! use multisplit::primitives::histogram::Histogram;
//! use multisplit::{Config, Context};
//!
//! let context = Context::open(&Config::default())?;
//! let samples = [0.5f32, 1.5, 1.75, 3.0, -1.0, f32::NAN];
//! let result = context.histogram(&Histogram::even(4, 0.0f32, 4.0), &samples)?;
//! assert_eq!(result.counts, [1, 2, 0, 1]);
//! assert_eq!(result.dropped, [2]);
//! # Ok(())
//! # }
//! ```

mod bins;
mod cells;
mod host;
mod layout;
mod method;
mod passes;
mod sample;
mod tuning;

pub use bins::Bins;
pub use host::HistogramResult;
pub use layout::Layout;
pub use method::{HistogramMethod, HistogramSizes};
pub use sample::{Sample, SampleType};
pub use tuning::HistogramTuning;

use multisplit_graph::{Buffer, Graph};

use super::{Count, Policy, scan};
use crate::error::{Error, Result};
use bins::BinCode;
use passes::Job;

/// Most bins.
pub const MAX_BINS: u32 = 1 << 20;

/// What is counted, and how.
#[derive(Clone, Debug)]
pub struct Histogram {
    /// What a sample is.
    pub sample: SampleType,
    /// m, the number of bins.
    pub bins: u32,
    /// Which bin a sample belongs to.
    pub function: Bins,
    /// Where the samples are in their buffer.
    pub layout: Layout,
    /// What an element adds to its bin.
    pub weight: Weight,
    /// Whether counts have 64 bits: two words each, the low one first.
    pub wide: bool,
    /// Whether counts are added to what the output holds.
    pub accumulate: bool,
    /// Which algorithm; `Auto` lets the policy choose.
    pub method: HistogramMethod,
}

/// What an element adds to its bin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Weight {
    /// One.
    None,
    /// A u32 of its own. Sums are modulo 2^32, or 2^64 where counts are wide.
    U32,
    /// An f32 of its own. Sums are rounded in an order that may differ from run to run.
    F32,
}

impl Histogram {
    /// `bins` equal parts of [lo, hi).
    pub fn even<S: Sample>(bins: u32, lo: S, hi: S) -> Self {
        Self::new(S::TYPE, bins, Bins::Even { lo: lo.bits(), hi: hi.bits() })
    }

    /// A bin between each two neighbours of these sorted splitters, the upper one left out.
    pub fn range<S: Sample>(splitters: &[S]) -> Self {
        // More than a number of bins can say is too many in any case.
        let bins = u32::try_from(splitters.len().saturating_sub(1)).unwrap_or(u32::MAX);
        Self::new(S::TYPE, bins, Bins::Range(splitters.iter().map(|s| s.bits()).collect()))
    }

    /// A bin for each of the values below `bins`.
    pub fn identity(sample: SampleType, bins: u32) -> Self {
        Self::new(sample, bins, Bins::Identity)
    }

    /// A function of the user's.
    #[cfg(feature = "glsl")]
    pub fn glsl(sample: SampleType, bins: u32, function: super::multisplit::UserBucket) -> Self {
        Self::new(sample, bins, Bins::Glsl(function))
    }

    /// `function`, of `sample`s side by side, by the method that suits.
    pub fn new(sample: SampleType, bins: u32, function: Bins) -> Self {
        Self {
            sample,
            bins,
            function,
            layout: Layout::PACKED,
            weight: Weight::None,
            wide: false,
            accumulate: false,
            method: HistogramMethod::Auto,
        }
    }

    /// The same by another method.
    #[must_use]
    pub fn by(self, method: HistogramMethod) -> Self {
        Self { method, ..self }
    }

    /// The same with samples laid out otherwise.
    #[must_use]
    pub fn laid_out(self, layout: Layout) -> Self {
        Self { layout, ..self }
    }

    /// The same with a weight for each element.
    #[must_use]
    pub fn weighted(self, weight: Weight) -> Self {
        Self { weight, ..self }
    }

    /// The same with counts of 64 bits.
    #[must_use]
    pub fn wide(self) -> Self {
        Self { wide: true, ..self }
    }

    /// The same added to what the output holds.
    #[must_use]
    pub fn accumulating(self) -> Self {
        Self { accumulate: true, ..self }
    }

    /// The m + 1 edges of the bins, for an axis: splitters; m + 1 equally spaced values; 0 to m.
    pub fn edges(&self) -> Vec<f64> {
        match &self.function {
            Bins::Range(splitters) => splitters.iter().map(|&s| self.sample.value(s)).collect(),
            Bins::Even { lo, hi } => {
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

/// The buffers of a histogram. None of the outputs may overlap an input.
#[derive(Clone, Copy, Debug)]
pub struct HistogramBuffers {
    /// How many elements.
    pub n: Count,
    /// The samples; only read. A multiple of 4 bytes long.
    pub samples: Buffer,
    /// A weight for each element, where they have any.
    pub weights: Option<Buffer>,
    /// m counts for each channel that is counted, channel after channel.
    pub counts: Buffer,
    /// One count for each such channel: of the samples outside, NaN included.
    pub dropped: Option<Buffer>,
    /// m words, which get the exclusive prefix sums of the counts (of one channel, of 32 bits).
    pub cumulative: Option<Buffer>,
}

impl HistogramBuffers {
    /// `n` elements of `samples` into `counts`.
    pub fn new(n: impl Into<Count>, samples: Buffer, counts: Buffer) -> Self {
        let n = n.into();
        Self { n, samples, weights: None, counts, dropped: None, cumulative: None }
    }
}

/// What [`add`] chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddedHistogram {
    /// The method; never `Auto`.
    pub method: HistogramMethod,
    /// Its sizes.
    pub sizes: HistogramSizes,
}

const WORD: u64 = 4;

/// Adds the passes of `histogram` to the graph.
pub fn add(
    graph: &mut Graph,
    policy: &Policy,
    histogram: &Histogram,
    buffers: &HistogramBuffers,
) -> Result<AddedHistogram> {
    policy.check()?;
    let whole = |threads: u32| threads > 0 && threads.is_multiple_of(policy.subgroup_size.max(1));
    if !whole(policy.histogram.threads) || !whole(policy.histogram.lookup_threads) {
        return Err(Error::Policy {
            problem: "the histogram's workgroups are not whole subgroups",
        });
    }
    check(histogram, buffers)?;
    let code = BinCode::new(histogram, policy)?;
    let pieces = layout::pieces(policy, histogram, buffers)?;
    let (method, sizes) = method::choose(policy, histogram, &code)?;
    let n = buffers.n;
    tracing::debug!(?method, ?sizes, ?n, m = histogram.bins, "histogram");
    let mut job = Job { graph, policy, histogram, buffers, code, method, sizes };
    job.clear()?;
    job.count(&pieces)?;
    if let Some(cumulative) = buffers.cumulative {
        scan::exclusive(graph, policy, buffers.counts, cumulative, u64::from(histogram.bins))?;
    }
    Ok(AddedHistogram { method, sizes })
}

fn check(histogram: &Histogram, buffers: &HistogramBuffers) -> Result<()> {
    let refuse = |problem: &str| {
        let sample = format!("{:?}", histogram.sample);
        Err(Error::Histogram { sample, problem: problem.to_owned() })
    };
    if histogram.bins == 0 {
        return refuse("there are no bins");
    }
    if histogram.bins > MAX_BINS {
        let (asked, limit) = (histogram.bins.into(), MAX_BINS.into());
        return Err(Error::TooLarge { what: "number of bins", asked, limit });
    }
    histogram.layout.check(histogram.sample)?;
    if buffers.weights.is_some() != (histogram.weight != Weight::None) {
        return refuse("weights are bound to a histogram without, or not bound to one with them");
    }
    if histogram.wide && histogram.weight == Weight::F32 {
        return refuse("sums of f32 have 32 bits");
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
        ("dropped", buffers.dropped, channels * count),
        ("cumulative", buffers.cumulative, m * WORD),
    ];
    for (name, buffer, needed) in outputs {
        if let Some(buffer) = buffer
            && buffer.size() < needed
        {
            let (name, size) = (format!("histogram.{name}"), buffer.size());
            return Err(Error::BufferTooSmall { name, size, needed });
        }
    }
    Ok(())
}
