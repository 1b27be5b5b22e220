//! Arguments of `multisplit bench paper`.

use clap::{Args, ValueEnum};

/// Arguments for the subject `paper`.
#[derive(Debug, Default, PartialEq, Args)]
#[command(next_help_heading = "Options of paper")]
pub struct PaperOptions {
    /// Tables, separated by commas [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_enum)]
    pub table: Vec<PaperTable>,
}

/// A table of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PaperTable {
    /// Radix sort, and a split by a scan: the baselines
    Reference,
    /// Stages of each method
    Stages,
    /// Delta buckets, by method and number of buckets
    Delta,
    /// Keys with an uneven distribution over the buckets
    Distribution,
    /// Identity buckets, equivalent to a sort on few bits
    Bits,
    /// Radix sort by rounds of multisplit, by bits per round
    Sort,
    /// Shortest paths
    Sssp,
    /// Histograms with bins of equal width, and with splitters
    Histogram,
}
