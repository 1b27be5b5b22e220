//! The subjects of `multisplit bench`.

pub mod family;
pub mod histogram;
pub mod host;
mod segments;
pub mod sort;
pub mod split;
pub mod sssp;
pub mod topk;
pub mod words;

use clap::ValueEnum;

/// A group of figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Subject {
    /// All of the following except paper and publish
    All,
    /// Exclusive scan, by each method
    Scan,
    /// Copy kernel: the upper bound for operations that read and write each element once
    Copy,
    /// Fill kernel
    Fill,
    /// Multisplit, by operation, number of buckets and method
    Split,
    /// Histograms, by operation, number of bins and method
    Histogram,
    /// Radix sort, by operation and method
    Sort,
    /// The k largest elements with their indices, of an array or of rows
    Topk,
    /// Scans, reductions, selections and segmented sorts of several types
    Family,
    /// Host arrays: transfers, and sorts that include transfers, timed by the host clock
    Host,
    /// Shortest paths, by network and method
    Sssp,
    /// Experiments of the GPU Multisplit paper, printed as its tables
    Paper,
    /// Every cell of the published tables, with raw samples
    Publish,
}

impl Subject {
    /// The subjects of `all`.
    pub const EVERY: [Self; 10] = [
        Self::Copy,
        Self::Fill,
        Self::Scan,
        Self::Sort,
        Self::Topk,
        Self::Split,
        Self::Histogram,
        Self::Family,
        Self::Host,
        Self::Sssp,
    ];
}
