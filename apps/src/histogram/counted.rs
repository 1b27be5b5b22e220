//! Result of a histogram.

use multisplit::operations::histogram::HistogramMethod;
use serde::Serialize;

use crate::edges::Edge;

/// Counts of a histogram, its edges, and the method that was used.
#[derive(Debug)]
pub struct Counted {
    pub counts: Counts,
    /// Bin edges: one more than the number of bins.
    pub edges: Vec<Edge>,
    pub out_of_range: OutOfRange,
    pub method: HistogramMethod,
}

/// Number of samples per bin, or the sum of their weights.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Counts {
    /// Counts, or sums of u32 weights.
    Whole(Vec<u64>),
    /// Sums of f32 weights.
    Real(Vec<f64>),
}

/// Number of samples outside all bins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutOfRange {
    pub below: u64,
    pub above: u64,
    /// NaN, "not a time", and samples that a user's function excludes.
    pub other: u64,
}

impl OutOfRange {
    pub fn all(self) -> u64 {
        self.below + self.above + self.other
    }

    /// The sum of two counts.
    pub fn plus(self, more: Self) -> Self {
        Self {
            below: self.below + more.below,
            above: self.above + more.above,
            other: self.other + more.other,
        }
    }
}

impl Counted {
    /// Adds the counts of other samples for the same bins.
    pub fn add(&mut self, other: &Self) {
        self.counts.add(&other.counts);
        self.out_of_range = self.out_of_range.plus(other.out_of_range);
        if other.method != HistogramMethod::Auto {
            self.method = other.method;
        }
    }
}

impl Counts {
    /// Adds counts of the same kind; integers wrap around.
    pub fn add(&mut self, other: &Self) {
        match (self, other) {
            (Self::Whole(all), Self::Whole(counts)) => {
                all.iter_mut().zip(counts).for_each(|(all, count)| *all = all.wrapping_add(*count));
            }
            (Self::Real(all), Self::Real(sums)) => {
                all.iter_mut().zip(sums).for_each(|(all, sum)| *all += sum);
            }
            _ => {}
        }
    }

    /// The counts as floats, for drawing.
    pub fn heights(&self) -> Vec<f64> {
        match self {
            Self::Whole(counts) => counts.iter().map(|&count| count as f64).collect(),
            Self::Real(sums) => sums.clone(),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Whole(counts) => counts.len(),
            Self::Real(sums) => sums.len(),
        }
    }
}
