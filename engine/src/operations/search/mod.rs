//! Binary searches: the position of each needle in a sorted array.
//!
//! [`search`] adds the pass to a graph: [`Search`] selects lower or upper bounds, [`SearchBuffers`]
//! the arrays. [`Context::lower_bound`](crate::Context::lower_bound) and
//! [`Context::upper_bound`](crate::Context::upper_bound) run a search in one call.

mod description;
mod passes;

pub use description::{Search, SearchBuffers};
pub use passes::search;
