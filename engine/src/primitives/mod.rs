//! The primitives: functions that add passes to a graph, and the policy that sizes them.
//!
//! The functions here never record or submit. They declare passes, and the graph plans these together with all
//! other passes of the caller. Each function takes a description of the operation and its buffers. Types come from
//! the buffers.

pub(crate) mod arrays;
mod cells;
mod constants;
mod count;
mod even;
mod groups;
pub mod histogram;
pub(crate) mod key;
mod look_back;
mod memory;
pub mod merge;
pub mod multisplit;
pub(crate) mod narrow;
mod open;
pub(crate) mod operator;
mod pieces;
pub mod probe;
pub mod reduce;
pub(crate) mod sample;
pub mod scan;
pub mod search;
pub mod select;
pub mod sort;
pub mod split;
pub(crate) mod term;
pub mod topk;
mod used_policy;

pub use crate::policy::Policy;
pub use crate::policy::method::ScanMethod;
pub use count::Count;
pub use groups::bounded_groups;
pub use histogram::{HistogramBuffers, histogram};
pub use memory::{copy, copy_first, fill, fill_first};
pub use merge::{Merge, MergeBuffers, merge};
pub use multisplit::SplitBuffers;
pub use reduce::{
    ReduceBuffers, ReduceByKeyBuffers, SegmentedReduceBuffers, reduce, reduce_by_key,
    reduce_segments,
};
pub use scan::{ScanBuffers, scan};
pub use search::{Search, SearchBuffers, search};
pub use select::{SelectBuffers, select};
pub use sort::{SortBuffers, sort};
pub use split::split;
pub use topk::{TopKBuffers, topk};
