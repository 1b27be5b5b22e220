//! Histogram: counts the samples in each of m bins. A function of the sample selects its bin.
//!
//! [`histogram`] declares the passes of one histogram in a graph. [`Bins`] describes the histogram, and
//! [`HistogramBuffers`] its arrays. [`Context::histogram`](crate::Context::histogram) does everything in one call.

mod bins;
mod description;
mod layout;
mod method;
mod passes;
mod pieces;
pub(crate) mod sizes;

pub use description::{
    AddedHistogram, Bin, Bins, HistogramBuffers, HistogramCounts, HistogramMethod, HistogramSizes,
    MAX_BINS,
};
pub use layout::Layout;
pub use passes::histogram;
pub use sizes::HistogramTuning;
