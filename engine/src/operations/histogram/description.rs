//! Typed description of a histogram: bins, sample layout, method.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use super::{Bin, Histogram, HistogramMethod, Layout, Weight};
use crate::elements::key::{KeyType, Sample};
use crate::operations::split::AnyType;

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
    /// `bins` equal parts of a range without its end. Samples outside the range and NaN belong to no bin.
    ///
    /// Bin k contains the samples at or above edge k and below edge k + 1. For integers, edge k is `start + k *
    /// (end - start) / bins`, without rounding. For floats, edge k is `k * ((end - start) / bins) + start`, with
    /// every operation rounded to the type, as in NumPy's `linspace`. Edges are clamped to `end`, and no operation
    /// overflows. [`Buckets::even`](crate::Buckets::even) has the same edges; [`edges`](Self::edges) returns them.
    pub fn even(range: Range<S>, bins: u32) -> Self {
        Self::new(bins, Bin::Even { lo: range.start.key_bits(), hi: range.end.key_bits() })
    }

    /// One bin between each two adjacent edges. The edges are sorted, and a bin excludes its upper edge.
    pub fn range(edges: &[S]) -> Self {
        // Saturates, because more than `MAX_BINS` bins are rejected later.
        let bins = u32::try_from(edges.len().saturating_sub(1)).unwrap_or(u32::MAX);
        Self::new(bins, Bin::Range(edges.iter().map(|edge| edge.key_bits()).collect()))
    }

    /// One bin per value below `bins`.
    pub fn identity(bins: u32) -> Self {
        Self::new(bins, Bin::Identity)
    }

    /// Bins by a GLSL function `uint bucket_of(S sample)`. Samples with an id of `bins` or more belong to no bin.
    #[cfg(feature = "glsl")]
    pub fn glsl(bins: u32, function: impl Into<crate::operations::split::Glsl>) -> Self {
        Self::new(bins, Bin::Glsl(function.into()))
    }

    fn new(bins: u32, function: Bin) -> Self {
        Bins::of(S::TYPE, bins, function).histogram.into()
    }

    /// Drops the static sample type.
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
        };
        histogram.into()
    }

    /// The sample type.
    pub fn sample(&self) -> KeyType {
        self.histogram.sample
    }
}

impl<S> Bins<S> {
    /// Includes the upper edge of the last bin, as NumPy does: the range `lo..hi` then contains `hi`. For even and
    /// range bins; the edges do not change.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// use multisplit::Bins;
    /// let grades = gpu.histogram(&[0u8, 5, 9, 10], Bins::even(0..10, 2).closed())?;
    /// assert_eq!((&grades.counts[..], grades.out_of_range[0]), (&[1, 3][..], 0));
    /// // Every value of a type has a bin: no edge need be past the largest one.
    /// let halves = gpu.histogram(&[0u8, 127, 128, 255], Bins::range(&[0, 128, 255]).closed())?;
    /// assert_eq!(halves.counts, [2, 2]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    #[must_use]
    pub fn closed(mut self) -> Self {
        self.histogram.closed = true;
        self
    }

    /// Sets the memory layout of samples that are not contiguous.
    #[must_use]
    pub fn layout(mut self, layout: Layout) -> Self {
        self.histogram.layout = layout;
        self
    }

    /// Adds the counts to the existing contents of the output.
    #[must_use]
    pub fn accumulate(mut self) -> Self {
        self.histogram.accumulate = true;
        self
    }

    /// Uses this method instead of `Auto`.
    #[must_use]
    pub fn method(mut self, method: HistogramMethod) -> Self {
        self.histogram.method = method;
        self
    }

    /// m, the number of bins.
    pub fn count(&self) -> u32 {
        self.histogram.bins
    }

    /// Number of counts in the output: m per counted channel.
    pub fn output_len(&self) -> u64 {
        u64::from(self.histogram.bins) * u64::from(self.histogram.layout.active_channels())
    }

    /// Length of an array of `elements` elements in samples, including the gaps between elements. Arrays of `u8`
    /// and `u16` are padded to whole words.
    pub fn input_len(&self, elements: u64) -> u64 {
        let sample = self.histogram.sample;
        self.histogram.layout.bytes(sample, elements).div_ceil(sample.bytes().into())
    }

    /// The m + 1 edges of the bins. For range bins, these are the given edges; for even bins of floats, exactly
    /// the edges that samples are compared with; for even bins of integers, the nearest floats, for an axis;
    /// otherwise 0 to m.
    pub fn edges(&self) -> Vec<f64> {
        self.histogram.edges()
    }

    /// Number of elements in an array of `samples` samples.
    pub(crate) fn elements_in(&self, samples: u64) -> u64 {
        let sample = self.histogram.sample;
        let bytes = samples.saturating_mul(sample.bytes().into());
        self.histogram.layout.elements(sample, bytes)
    }

    pub(crate) fn histogram(&self) -> &Histogram {
        &self.histogram
    }
}
