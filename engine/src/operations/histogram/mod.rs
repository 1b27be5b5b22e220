//! Histogram: counts the samples in each of m bins. A function of the sample selects its bin.
//!
//! [`histogram`] declares the passes of one histogram in a graph. [`Bins`] describes the histogram, and
//! [`HistogramBuffers`] its arrays. [`Context::histogram`](crate::Context::histogram) does everything in one call.

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

use crate::elements::key::KeyType;
use crate::error::{Error, Result};
use crate::memory::Place;
use crate::operations::shared::checks::{check_element, check_size};
use crate::operations::shared::even_parts::EvenFloats;
use crate::operations::{Count, scan};
use crate::policy::Policy;
use bins::BinCode;
use passes::HistogramPasses;

/// Maximum number of bins.
pub const MAX_BINS: u32 = 1 << 20;

/// Description of a histogram, with the sample type as a value.
#[derive(Clone, Debug)]
pub(crate) struct Histogram {
    pub sample: KeyType,
    /// m, the number of bins.
    pub bins: u32,
    pub function: Bin,
    /// Whether the last bin includes its upper edge.
    pub closed: bool,
    pub layout: Layout,
    pub weight: Weight,
    /// Whether counts have 64 bits: two words each, low word first.
    pub wide: bool,
    pub accumulate: bool,
    pub method: HistogramMethod,
}

/// Amount that an element adds to its bin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Weight {
    /// One.
    None,
    /// A `u32` weight per element. Sums are modulo 2^32, or modulo 2^64 if counts are wide.
    U32,
    /// An `f32` weight per element. Sums are rounded in an order that may differ from run to run.
    F32,
}

impl Histogram {
    /// The m + 1 edges of the bins. For range bins, these are the splitters; for even bins of floats, exactly the
    /// edges that samples are compared with; for even bins of integers, equally spaced values, for an axis;
    /// otherwise 0 to m.
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

    /// Words per count.
    fn count_words(&self) -> u64 {
        if self.wide { 2 } else { 1 }
    }

    /// Whether elements are read 16 bytes at a time.
    fn reads_vectors(&self) -> bool {
        self.weight == Weight::None && self.layout.reads_vectors(self.sample)
    }
}

/// The arrays of a histogram in a graph. No output may overlap an input.
#[derive(Clone, Copy, Debug)]
pub struct HistogramBuffers {
    pub(in crate::operations) n: Option<Count>,
    pub(in crate::operations) samples: Buffer,
    pub(in crate::operations) weights: Option<Buffer>,
    pub(in crate::operations) counts: Buffer,
    pub(in crate::operations) out_of_range: Option<Buffer>,
    pub(in crate::operations) cumulative: Option<Buffer>,
}

impl HistogramBuffers {
    /// Counts `samples` into `counts`, which receives m counts per counted channel, channel by channel. Counts are
    /// `u32` or `u64`; with `f32` weights they are sums of type `f32`.
    pub fn new(samples: Buffer, counts: Buffer) -> Self {
        Self { n: None, samples, weights: None, counts, out_of_range: None, cumulative: None }
    }

    /// Limits the histogram to the first `n` elements, given as a host count or a device count. The default is the
    /// number of elements in the samples.
    #[must_use]
    pub fn count(self, n: impl Into<Count>) -> Self {
        Self { n: Some(n.into()), ..self }
    }

    /// Each element adds its weight, a `u32` or an `f32`, instead of one. Sums of `u32` are modulo 2^32, or modulo
    /// 2^64 if counts are `u64`. Sums of `f32` are rounded in an order that may differ from run to run.
    #[must_use]
    pub fn weights(self, weights: Buffer) -> Self {
        Self { weights: Some(weights), ..self }
    }

    /// Sets a buffer that receives one count per counted channel: the samples that belong to no bin, including
    /// NaN. It has the type of the counts.
    #[must_use]
    pub fn out_of_range(self, counts: Buffer) -> Self {
        Self { out_of_range: Some(counts), ..self }
    }

    /// Sets a buffer of m words that receives the exclusive prefix sums of the counts. Requires a single channel
    /// and `u32` counts.
    #[must_use]
    pub fn cumulative(self, sums: Buffer) -> Self {
        Self { cumulative: Some(sums), ..self }
    }

    /// Returns the kind of weights, and whether counts have 64 bits. Rejects unsupported types of weights and
    /// outputs.
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

/// Buffers of a histogram whose element count is resolved.
#[derive(Clone, Copy, Debug)]
struct Counted {
    n: Count,
    samples: Buffer,
    weights: Option<Buffer>,
    counts: Buffer,
    out_of_range: Option<Buffer>,
    cumulative: Option<Buffer>,
}

/// Result of a histogram: `Vec`s for samples on the host, arrays for samples on the device.
#[derive(Debug)]
pub struct HistogramCounts<P: Place, C: Pod = u64> {
    /// m counts per counted channel, channel by channel.
    pub counts: P::Array<C>,
    /// One count per counted channel: the samples that belong to no bin, including NaN.
    pub out_of_range: P::Array<C>,
    /// The method used.
    pub method: HistogramMethod,
}

/// The method and sizes that [`histogram`] chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddedHistogram {
    /// The method; never `Auto`.
    pub method: HistogramMethod,
    /// Sizes.
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
    let sample = KeyType::sample_of("samples", buffers.samples)?;
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
        return refuse("the number of bins is 0; use at least one bin");
    }
    if histogram.bins > MAX_BINS {
        let (asked, limit) = (histogram.bins.into(), MAX_BINS.into());
        return Err(Error::TooLarge { what: "number of bins", asked, limit });
    }
    let channels = u64::from(histogram.layout.active_channels());
    let plain = channels == 1 && !histogram.wide && histogram.weight != Weight::F32;
    if buffers.cumulative.is_some() && !plain {
        return refuse("cumulative counts need one channel and 32-bit counts");
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
            check_size(name, buffer, needed)?;
        }
    }
    Ok(())
}
