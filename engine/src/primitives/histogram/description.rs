//! How samples are counted: the bins, where samples lie in memory, the method.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use super::{Bin, Histogram, HistogramMethod, Layout, Weight};
use crate::primitives::multisplit::AnyType;
use crate::primitives::sample::{Sample, SampleType};

/// How samples of type `S` are counted: which bin a sample belongs to, how many bins there are,
/// where samples lie in memory, and by which method.
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
    /// `bins` equal parts of a range, whose end is left out. Samples outside it, and NaN, are in no
    /// bin.
    ///
    /// Bin k contains the samples at or above edge k and below edge k + 1. Edge k of integers is
    /// `start + k * (end - start) / bins`, exactly. Edge k of floats is
    /// `k * ((end - start) / bins) + start`, with every operation rounded to the type, as in NumPy's
    /// `linspace`; it is `end` where that is less, and no operation overflows.
    /// [`Buckets::even`](crate::Buckets::even) has the same edges; [`edges`](Self::edges) returns
    /// them.
    pub fn even(range: Range<S>, bins: u32) -> Self {
        Self::new(bins, Bin::Even { lo: range.start.bits(), hi: range.end.bits() })
    }

    /// A bin between each two neighbours of these sorted edges, the upper one left out.
    pub fn range(edges: &[S]) -> Self {
        // More than a number of bins can say is too many in any case.
        let bins = u32::try_from(edges.len().saturating_sub(1)).unwrap_or(u32::MAX);
        Self::new(bins, Bin::Range(edges.iter().map(|edge| edge.bits()).collect()))
    }

    /// A bin for each of the values below `bins`.
    pub fn identity(bins: u32) -> Self {
        Self::new(bins, Bin::Identity)
    }

    /// A GLSL function `uint bucket_of(S sample)`. An id of `bins` or more puts a sample into no bin.
    #[cfg(feature = "glsl")]
    pub fn glsl(bins: u32, function: impl Into<crate::primitives::multisplit::Glsl>) -> Self {
        Self::new(bins, Bin::Glsl(function.into()))
    }

    fn new(bins: u32, function: Bin) -> Self {
        Bins::of(S::TYPE, bins, function).histogram.into()
    }

    /// The same for samples whose type is known only when the program runs.
    pub fn untyped(self) -> Bins {
        self.histogram.into()
    }
}

impl Bins {
    /// `bins` bins of samples of a type that is known only when the program runs.
    pub fn of(sample: SampleType, bins: u32, function: Bin) -> Self {
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

    /// What a sample is.
    pub fn sample(&self) -> SampleType {
        self.histogram.sample
    }
}

impl<S> Bins<S> {
    /// With the upper edge of the last bin in that bin, as NumPy has it: the range `lo..hi` then has
    /// `hi` too. For even and range bins; equal parts stay where they are.
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

    /// With samples that lie in memory otherwise than side by side.
    #[must_use]
    pub fn layout(mut self, layout: Layout) -> Self {
        self.histogram.layout = layout;
        self
    }

    /// With counts added to what the output holds.
    #[must_use]
    pub fn accumulate(mut self) -> Self {
        self.histogram.accumulate = true;
        self
    }

    /// By this method instead of the one that suits.
    #[must_use]
    pub fn method(mut self, method: HistogramMethod) -> Self {
        self.histogram.method = method;
        self
    }

    /// m, the number of bins.
    pub fn count(&self) -> u32 {
        self.histogram.bins
    }

    /// Counts that a histogram writes: m for each channel that is counted.
    pub fn output_len(&self) -> u64 {
        u64::from(self.histogram.bins) * u64::from(self.histogram.layout.active_channels())
    }

    /// Samples in an array of `elements` elements, counting what lies between them. Arrays of `u8` and
    /// `u16` are whole words.
    pub fn input_len(&self, elements: u64) -> u64 {
        let sample = self.histogram.sample;
        self.histogram.layout.bytes(sample, elements).div_ceil(sample.bytes().into())
    }

    /// The m + 1 edges of the bins: the edges given; of even floats those that samples are compared
    /// with, to the bit; of even integers the nearest floats, for an axis; otherwise 0 to m.
    pub fn edges(&self) -> Vec<f64> {
        self.histogram.edges()
    }

    /// Elements in an array of `samples` samples.
    pub(crate) fn elements_in(&self, samples: u64) -> u64 {
        let sample = self.histogram.sample;
        let bytes = samples.saturating_mul(sample.bytes().into());
        self.histogram.layout.elements(sample, bytes)
    }

    pub(crate) fn histogram(&self) -> &Histogram {
        &self.histogram
    }
}
