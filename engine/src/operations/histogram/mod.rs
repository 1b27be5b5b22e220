//! Histograms: count the samples in each of m bins. A function of the sample selects its bin.
//!
//! [`histogram`] adds the passes to a graph: [`Bins`] describes the histogram, [`HistogramBuffers`] the arrays.
//! [`Context::histogram`](crate::Context::histogram) computes a histogram in one call.

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
