//! Prefix scans. Element i of the result combines the input elements before i (exclusive scan), or
//! the input elements up to and including i (inclusive scan).
//!
//! [`scan`] adds the passes to a graph: [`Scan`] specifies the operator and the kind of scan,
//! [`ScanBuffers`] the arrays. [`Context::scan`](crate::Context::scan) runs a scan in one call.

mod description;
mod passes;
mod plan;

pub use description::{Scan, ScanBuffers};
pub(in crate::operations) use passes::exclusive_sum;
pub use passes::scan;
pub(in crate::operations) use plan::ScanPlan;
pub(crate) use plan::max_row;
