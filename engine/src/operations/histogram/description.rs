//! Describes a histogram: bins, method, arrays, and results.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use bytemuck::Pod;
use multisplit_graph::{Buffer, ElementType};

use super::layout::Layout;
use crate::elements::key::{KeyType, Sample};
use crate::error::{Error, Result};
use crate::memory::Place;
#[cfg(feature = "glsl")]
use crate::operations::shared::glsl::Glsl;
use crate::operations::shared::{Count, EvenFloats, check_element};
use crate::operations::split::AnyType;

/// Maximum number of bins.
pub const MAX_BINS: u32 = 1 << 20;

/// A bin function for samples whose type is known only at run time. Edges are given as the bits of samples. [`Bins`]
/// is the typed form.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Bin {
    /// m equal parts of the range [lo, hi). [`Bins::even`] documents their exact edges.
    Even {
        /// Lower edge of the first bin.
        lo: u64,
        /// Upper edge of the last bin.
        hi: u64,
    },
    /// m + 1 splitters in ascending order. Bin k contains the samples from splitter k up to, but not including,
    /// splitter k + 1. If both splitters are equal, the bin is empty.
    Range(Vec<u64>),
    /// The bin index is the sample itself.
    Identity,
    /// A user's GLSL function `uint bucket_of(K sample)` that returns the bin index. K is the GLSL type of the samples:
    /// `uint`, `int`, `float`, `uint64_t`, `int64_t` or `double`. Samples with an index of m or more are out of range.
    #[cfg(feature = "glsl")]
    Glsl(Glsl),
}

/// Method of a histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HistogramMethod {
    /// Chosen by the policy, from the description of the histogram and the number of samples.
    Auto,
    /// Subgroup ballots, with the counts in registers, as in the paper. Supports up to 256 bins of one channel,
    /// without weights.
    Ballots,
    /// Counters in shared memory. If shared memory is too small for all bins, the samples are read once per window of
    /// bins.
    Shared,
    /// Atomic additions to the output in device memory.
    Global,
}

/// The sizes of the counting passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistogramSizes {
    /// Workgroup size.
    pub threads: u32,
    /// Number of 16-byte loads in flight per thread; 0 if elements are read one by one.
    pub loads: u32,
    /// Number of copies of the counters in shared memory. Copies reduce contention.
    pub copies: u32,
    /// Number of bins per pass.
    pub window: u32,
    /// Number of passes over the samples.
    pub passes: u32,
    /// Number of elements that a workgroup reads at a time (a tile).
    pub tile: u32,
    /// Target number of tiles per workgroup.
    pub tiles: u32,
    /// Minimum number of workgroups, unless there are fewer tiles. Takes precedence over `tiles`.
    pub min_groups: u32,
    /// Capacity for inner splitters (all but the first and the last) in shared memory or registers.
    pub(super) splitters: u32,
    /// Number of counters in shared memory per channel.
    pub(super) counters: u32,
    /// Whether the kernel compares each sample with the exact edges of even float bins at once, as it always does with
    /// ballots. If false, it first computes likely bins, and compares only the samples of 16-byte vectors with a sample
    /// near an edge. False for other bins.
    pub(super) exact: bool,
}

/// Description of a histogram whose sample type is known only at run time.
#[derive(Clone, Debug)]
pub(crate) struct Histogram {
    pub sample: KeyType,
    /// The number of bins, m.
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
    /// Whether recordings may set other edges.
    pub settable: bool,
}

/// Amount that an element adds to the count of its bin. The discriminants are values of the specialization constant
/// WEIGHT.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Weight {
    /// 1, without an array of weights.
    None = 0,
    /// A `u32` weight per element. Sums are modulo 2^32, or modulo 2^64 if counts have 64 bits.
    U32 = 1,
    /// An `f32` weight per element. The order of additions, and thus the rounding of a sum, may vary between runs.
    F32 = 2,
}

impl Histogram {
    /// Size of a count in words.
    pub(super) fn count_words(&self) -> u64 {
        if self.wide { 2 } else { 1 }
    }

    /// Whether elements are read 16 bytes at a time.
    pub(super) fn reads_vectors(&self) -> bool {
        self.weight == Weight::None && self.layout.reads_vectors(self.sample)
    }
}

/// Description of a histogram of samples of type `S`: the bin function, the number of bins, the sample layout, and
/// the method.
///
/// ```
/// use multisplit::Bins;
///
/// let by_value = Bins::even(0.0f32..1.0, 8);
/// let by_edges = Bins::range(&[0u32, 10, 20, 50]); // three bins
/// let by_byte = Bins::<u8>::identity(256);
/// # let _ = (by_value, by_edges, by_byte);
/// ```
#[must_use]
pub struct Bins<S = AnyType> {
    histogram: Histogram,
    sample: PhantomData<fn(S)>,
}

impl<S> fmt::Debug for Bins<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Bins").field(&self.histogram).finish()
    }
}

impl<S> Clone for Bins<S> {
    fn clone(&self) -> Self {
        self.histogram.clone().into()
    }
}

impl<S> From<Histogram> for Bins<S> {
    fn from(histogram: Histogram) -> Self {
        Self { histogram, sample: PhantomData }
    }
}

impl<S: Sample> Bins<S> {
    /// Divides a range, without its end, into `bins` equal parts. Samples outside the range and NaN belong to no bin.
    ///
    /// Bin k contains the samples at or above edge k and below edge k + 1. For integers, edge k is the exact value of
    /// `start + k * (end - start) / bins`, which need not be an integer. For floats, edge k is `k * ((end - start) /
    /// bins) + start`. Each operation is rounded to the sample type, as in NumPy's `linspace`, and intermediate
    /// results do not overflow. Edges are clamped to `end`. [`Buckets::even`](crate::Buckets::even) has the same
    /// edges; [`edges`](Self::edges) returns them.
    pub fn even(range: Range<S>, bins: u32) -> Self {
        Self::new(bins, Bin::Even { lo: range.start.key_bits(), hi: range.end.key_bits() })
    }

    /// Defines one bin between each pair of adjacent edges. The edges must be in ascending order. A bin excludes its
    /// upper edge.
    pub fn range(edges: &[S]) -> Self {
        // Saturates, because `histogram` rejects more than `MAX_BINS` bins.
        let bins = u32::try_from(edges.len().saturating_sub(1)).unwrap_or(u32::MAX);
        Self::new(bins, Bin::Range(edges.iter().map(|edge| edge.key_bits()).collect()))
    }

    /// Defines one bin for each sample value from 0 to `bins - 1`.
    pub fn identity(bins: u32) -> Self {
        Self::new(bins, Bin::Identity)
    }

    /// Computes the bin index by a GLSL function `uint bucket_of(S sample)`. Samples with an index of `bins` or more
    /// belong to no bin.
    #[cfg(feature = "glsl")]
    pub fn glsl(bins: u32, function: impl Into<Glsl>) -> Self {
        Self::new(bins, Bin::Glsl(function.into()))
    }

    fn new(bins: u32, function: Bin) -> Self {
        Bins::of(S::TYPE, bins, function).histogram.into()
    }

    /// Converts to bins whose sample type is known only at run time.
    pub fn untyped(self) -> Bins {
        self.histogram.into()
    }
}

impl Bins {
    /// Describes a histogram of samples whose type is known only at run time.
    pub fn of(sample: KeyType, bins: u32, function: Bin) -> Self {
        let histogram = Histogram {
            sample,
            bins,
            function,
            closed: false,
            layout: Layout::PACKED,
            weight: Weight::None,
            wide: false,
            accumulate: false,
            method: HistogramMethod::Auto,
            settable: false,
        };
        histogram.into()
    }

    /// The sample type.
    pub fn sample(&self) -> KeyType {
        self.histogram.sample
    }
}

impl<S> Bins<S> {
    /// Includes the upper edge of the last bin, as NumPy does: the range `lo..hi` then contains `hi`. The edges
    /// themselves do not change. Only even and range bins can be closed.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// use multisplit::Bins;
    /// let grades = gpu.histogram(&[0u8, 5, 9, 10], Bins::even(0..10, 2).closed())?;
    /// assert_eq!((&grades.counts[..], grades.out_of_range[0]), (&[1, 3][..], 0));
    /// // The last edge can be the largest value of the type, so every value has a bin.
    /// let halves = gpu.histogram(&[0u8, 127, 128, 255], Bins::range(&[0, 128, 255]).closed())?;
    /// assert_eq!(halves.counts, [2, 2]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn closed(mut self) -> Self {
        self.histogram.closed = true;
        self
    }

    /// Sets the memory layout of samples that are not contiguous.
    pub fn layout(mut self, layout: Layout) -> Self {
        self.histogram.layout = layout;
        self
    }

    /// Adds the counts to the existing contents of the output instead of overwriting them.
    pub fn accumulate(mut self) -> Self {
        self.histogram.accumulate = true;
        self
    }

    /// Sets the method. The default is `Auto`.
    pub fn method(mut self, method: HistogramMethod) -> Self {
        self.histogram.method = method;
        self
    }

    /// Allows each recording to set other edges ([`edge_values`](Self::edge_values)). For even and range bins. Range
    /// bins are then found by a binary search, which for many bins is slower than the usual search.
    pub fn settable(mut self) -> Self {
        self.histogram.settable = true;
        self
    }

    /// The number of bins, m.
    pub fn count(&self) -> u32 {
        self.histogram.bins
    }

    /// Number of counts in the output: m for each counted channel.
    pub fn output_len(&self) -> u64 {
        u64::from(self.histogram.bins) * u64::from(self.histogram.layout.active_channels())
    }

    /// Length of the sample array that holds `elements` elements, in samples. This includes the offset, all channels,
    /// the gaps between elements, and, for `u8` and `u16`, padding to a multiple of 4 bytes.
    pub fn input_len(&self, elements: u64) -> u64 {
        let sample = self.histogram.sample;
        self.histogram.layout.bytes(sample, elements).div_ceil(sample.bytes().into())
    }

    /// The m + 1 edges of the bins, for example to label an axis. Range bins return the given edges. Even bins of
    /// floats return exactly the edges that samples are compared with; even bins of integers return edges that are
    /// rounded to `f64`. Other bins return 0 to m.
    pub fn edges(&self) -> Vec<f64> {
        let Histogram { sample, bins, .. } = self.histogram;
        match &self.histogram.function {
            Bin::Range(splitters) => splitters.iter().map(|&s| sample.value(s)).collect(),
            &Bin::Even { lo, hi } if sample.is_float() => {
                let edges = EvenFloats { sample, lo, hi, parts: bins }.edges();
                edges.into_iter().map(|edge| sample.value(edge)).collect()
            }
            &Bin::Even { lo, hi } => {
                let (lo, hi) = (sample.value(lo), sample.value(hi));
                (0..=bins).map(|k| lo + (hi - lo) * f64::from(k) / f64::from(bins)).collect()
            }
            _ => (0..=bins).map(f64::from).collect(),
        }
    }

    /// Number of elements in an array of `samples` samples, according to the layout.
    pub(crate) fn elements_in(&self, samples: u64) -> u64 {
        let sample = self.histogram.sample;
        let bytes = samples.saturating_mul(sample.bytes().into());
        self.histogram.layout.elements(sample, bytes)
    }

    pub(crate) fn histogram(&self) -> &Histogram {
        &self.histogram
    }
}

/// The arrays of a histogram in a graph. No output may overlap an input.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct HistogramBuffers {
    pub(super) n: Option<Count>,
    pub(super) samples: Buffer,
    pub(super) weights: Option<Buffer>,
    pub(super) counts: Buffer,
    pub(super) out_of_range: Option<Buffer>,
    pub(super) cumulative: Option<Buffer>,
}

impl HistogramBuffers {
    /// Counts `samples` into `counts`, which receives m counts for each counted channel, one channel after the other.
    /// Counts are `u32` or `u64`. With `f32` weights, they are `f32` sums.
    pub fn new(samples: Buffer, counts: Buffer) -> Self {
        Self { n: None, samples, weights: None, counts, out_of_range: None, cumulative: None }
    }

    /// Counts only the first `n` elements. `n` is a host count or a device count. By default, all elements of the
    /// sample array are counted.
    pub fn count(self, n: impl Into<Count>) -> Self {
        Self { n: Some(n.into()), ..self }
    }

    /// Adds the weight of each element, a `u32` or an `f32`, to the count of its bin, instead of 1. Sums of `u32` are
    /// modulo 2^32, or modulo 2^64 if counts are `u64`. The order of additions, and thus the rounding of `f32` sums,
    /// may vary between runs.
    pub fn weights(self, weights: Buffer) -> Self {
        Self { weights: Some(weights), ..self }
    }

    /// Writes the number of samples that belong to no bin, including NaN, to `counts`: one number for each counted
    /// channel. `counts` has the element type of the counts.
    pub fn out_of_range(self, counts: Buffer) -> Self {
        Self { out_of_range: Some(counts), ..self }
    }

    /// Writes the exclusive prefix sums of the counts to `sums`, an array of m `u32`. Requires a single channel and
    /// `u32` counts.
    pub fn cumulative(self, sums: Buffer) -> Self {
        Self { cumulative: Some(sums), ..self }
    }

    /// Returns the kind of weights, and whether counts have 64 bits. Rejects unsupported types of weights and outputs.
    pub(super) fn weight(&self) -> Result<(Weight, bool)> {
        use ElementType::{F32, U32, U64};
        let (weight, expected) = match self.weights.map(Buffer::element) {
            None => (Weight::None, "u32 or u64"),
            Some(U32) => (Weight::U32, "u32 or u64"),
            Some(F32) => (Weight::F32, "f32"),
            Some(other) => return Err(mismatch("weights", other.to_string(), "u32 or f32")),
        };
        let wide = match (weight, self.counts.element()) {
            (Weight::F32, F32) | (Weight::None | Weight::U32, U32) => false,
            (Weight::None | Weight::U32, U64) => true,
            (_, other) => return Err(mismatch("counts", other.to_string(), expected)),
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

/// Returns an error about an array of an unsupported type.
pub(super) fn mismatch(name: &'static str, found: String, expected: &str) -> Error {
    Error::KeyTypeMismatch { name, found, expected: expected.to_owned() }
}

/// Result of a histogram. The counts are `Vec`s if the samples were on the host, and device arrays if the samples
/// were on the device.
#[derive(Debug)]
pub struct HistogramCounts<P: Place, C: Pod = u64> {
    /// m counts for each counted channel, one channel after the other.
    pub counts: P::Array<C>,
    /// Number of samples that belong to no bin, including NaN, for each counted channel.
    pub out_of_range: P::Array<C>,
    /// The method used.
    pub method: HistogramMethod,
}

/// The method and sizes that [`histogram`](super::histogram) chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddedHistogram {
    /// The method. Never `Auto`.
    pub method: HistogramMethod,
    /// The sizes of the counting passes.
    pub sizes: HistogramSizes,
}
