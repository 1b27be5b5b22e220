//! One-call histograms of host or device arrays.

use bytemuck::Pod;
use multisplit_graph::ElementType;

use crate::device::Context;
use crate::elements::key::Sample;
use crate::error::{Error, Result};
use crate::memory::{AnyArray, Elements, Input, Place, check_lengths};
use crate::operations::HistogramBuffers;
use crate::operations::histogram::{Bins, HistogramCounts, HistogramMethod, Layout, histogram};

impl Context {
    /// Counts the samples in each bin, with 64-bit counters.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// let samples = [0.5f32, 1.5, 1.75, 3.0, -1.0, f32::NAN];
    /// let histogram = gpu.histogram(&samples, multisplit::Bins::even(0.0..4.0, 4))?;
    /// assert_eq!(histogram.counts, [1, 2, 0, 1]);
    /// assert_eq!(histogram.out_of_range, [2]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn histogram<A>(
        &self,
        samples: &A,
        bins: Bins<A::Item>,
    ) -> Result<HistogramCounts<A::Place>>
    where
        A: Elements<Item: Sample> + ?Sized,
    {
        self.count_samples(samples.input(), None, &bins.untyped())?.take(self)
    }

    /// Sums the weights of the samples in each bin, modulo 2^64. `weights` has one weight for each
    /// element. All channels of an element have the same weight.
    ///
    /// ```
    /// # let gpu = multisplit::Context::new()?;
    /// use multisplit::Bins;
    /// use multisplit::operations::histogram::Layout;
    /// let bins = Bins::identity(4).layout(Layout::interleaved(2, 0b11));
    /// let sums = gpu.histogram_weighted(&[0u8, 3, 1, 3], &[10, 20], bins)?;
    /// assert_eq!(sums.counts, [10, 20, 0, 0, 0, 0, 0, 30]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    pub fn histogram_weighted<A, W>(
        &self,
        samples: &A,
        weights: &W,
        bins: Bins<A::Item>,
    ) -> Result<HistogramCounts<A::Place>>
    where
        A: Elements<Item: Sample> + ?Sized,
        W: Elements<Item = u32, Place = A::Place> + ?Sized,
    {
        let weights = Some(weights.input());
        self.count_samples(samples.input(), weights, &bins.untyped())?.take(self)
    }

    /// Sums the weights of the samples in each bin as 32-bit floats. `weights` has one weight for
    /// each element. The order of additions, and thus the rounding, may vary between runs.
    pub fn histogram_weighted_f32<A, W>(
        &self,
        samples: &A,
        weights: &W,
        bins: Bins<A::Item>,
    ) -> Result<HistogramCounts<A::Place, f32>>
    where
        A: Elements<Item: Sample> + ?Sized,
        W: Elements<Item = f32, Place = A::Place> + ?Sized,
    {
        let weights = Some(weights.input());
        self.count_samples(samples.input(), weights, &bins.untyped())?.take(self)
    }

    fn count_samples(
        &self,
        samples: Input<'_>,
        weights: Option<Input<'_>>,
        bins: &Bins,
    ) -> Result<Counted> {
        let weights = weights.map(|weights| weights.on_device(self, "weights")).transpose()?;
        let described = bins.histogram();
        let reject = |problem| {
            let sample = described.sample.to_string();
            Err(Error::Histogram { sample, problem })
        };
        if described.accumulate {
            return reject("one-call histograms do not support Bins::accumulate; use Context::work or operations::histogram".to_owned());
        }
        described.layout.check(described.sample)?;
        let n = bins.elements_in(samples.len());
        match weights.as_ref().map(AnyArray::len) {
            Some(len) if described.layout == Layout::PACKED => {
                check_lengths("weights", len, "samples", n)?;
            }
            Some(len) if len != n => {
                let samples = samples.len();
                return reject(format!(
                    "`weights` has {len} elements, but `samples`, of length {samples}, has {n} elements in this layout; give one weight per element"
                ));
            }
            _ => {}
        }
        let samples = samples.on_device(self, "samples")?;
        let channels = u64::from(described.layout.active_channels());
        let count = match weights.as_ref().map(AnyArray::element) {
            Some(ElementType::F32) => ElementType::F32,
            _ => ElementType::U64,
        };
        let counts = AnyArray::uninit(self, "counts", count, channels * u64::from(bins.count()))?;
        let out_of_range = AnyArray::uninit(self, "out_of_range", count, channels)?;
        let added = self.call("histogram", |work| {
            let buffers = HistogramBuffers::new(work.array(&samples), work.array(&counts));
            let mut buffers = buffers.count(n).out_of_range(work.array(&out_of_range));
            if let Some(weights) = &weights {
                buffers = buffers.weights(work.array(weights));
            }
            let (graph, policy) = work.parts();
            histogram(graph, policy, bins, &buffers)
        })?;
        Ok(Counted { counts, out_of_range, method: added.method })
    }
}

/// Output arrays of a histogram, in device memory.
struct Counted {
    counts: AnyArray,
    out_of_range: AnyArray,
    method: HistogramMethod,
}

impl Counted {
    fn take<P: Place, C: Pod>(self, context: &Context) -> Result<HistogramCounts<P, C>> {
        let counts = P::take(context, self.counts)?;
        let out_of_range = P::take(context, self.out_of_range)?;
        Ok(HistogramCounts { counts, out_of_range, method: self.method })
    }
}
