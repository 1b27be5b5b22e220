//! Arguments of `multisplit bench paper`.

use clap::{Args, ValueEnum};

/// Arguments of `multisplit bench paper` alone.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of paper")]
pub struct PaperOptions {
    /// Which tables; several, separated by commas [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_enum)]
    pub table: Vec<Which>,
}

/// A table of the paper's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Which {
    /// Radix sort, and a split by a scan: what the rest is held against
    Reference,
    /// The stages of each method
    Stages,
    /// Delta buckets, by method and number of buckets
    Delta,
    /// Keys that are spread unevenly over the buckets
    Distribution,
    /// Identity buckets, which are a sort on few bits
    Bits,
    /// Radix sort by rounds of multisplit, by bits of a round
    Sort,
    /// Shortest paths
    Sssp,
    /// Histograms, even and by ranges
    Histogram,
}

impl PaperOptions {
    /// Whether any option was given.
    pub fn any(&self) -> bool {
        !self.table.is_empty()
    }
}
