//! The operations: functions that add passes to a graph.
//!
//! Except for those in [`probe`], the functions here do not record or submit commands. They add passes to a graph,
//! which plans them together with all other passes. Most functions take a description of the operation, and the buffers
//! that it processes. The kernels are chosen for the element types of the buffers.

mod context_policy;
pub(crate) mod full_sort;
pub mod histogram;
pub mod merge;
pub mod probe;
pub mod reduce;
pub mod scan;
pub mod search;
pub mod select;
pub(crate) mod shared;
pub mod sort;
pub mod split;
pub mod topk;

pub use crate::policy::method::ScanMethod;
pub use full_sort::split;
pub use histogram::{HistogramBuffers, histogram};
pub use merge::{Merge, MergeBuffers, merge};
pub use reduce::{
    ReduceBuffers, ReduceByKeyBuffers, SegmentedReduceBuffers, reduce, reduce_by_key,
    reduce_segments,
};
pub use scan::{ScanBuffers, scan};
pub use search::{Search, SearchBuffers, search};
pub use select::{SelectBuffers, select};
pub use shared::bounded_groups::bounded_groups;
pub use shared::count::{Count, DISPATCH_WORDS, dispatch_arguments};
pub use shared::fill::{copy, copy_first, fill, fill_first};
pub use sort::{SortBuffers, sort};
pub use split::SplitBuffers;
pub use topk::{TopKBuffers, topk};
