//! Radix sort of keys or key-value pairs, or of indices (argsort). Sorts are stable, in ascending or descending
//! order, by all bits of a key or by a range of bits.
//!
//! [`sort`] adds the passes to a graph: [`Sort`] specifies the order, [`SortBuffers`] the arrays.
//! [`Context::sort`](crate::Context::sort) and related functions run a sort in one call. Each round of a radix
//! sort is a multisplit by one digit.

mod counting;
mod description;
mod large_segments;
mod onesweep;
mod parameters;
mod passes;
mod rounds;
mod segment_rows;
mod segments;
pub(crate) mod sizes;

pub use crate::policy::method::SortMethod;
pub(in crate::operations) use description::SortValues;
pub use description::{AddedSort, Sort, SortBuffers};
pub(crate) use description::{DIGIT_BITS, KeyedSort, check_bits, check_policy};
pub(in crate::operations) use passes::add;
pub use passes::sort;
pub use sizes::SortTuning;
