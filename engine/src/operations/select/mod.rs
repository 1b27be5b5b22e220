//! Selections: copy the elements of an array that satisfy a condition, in their original order, and count them.
//!
//! [`select`] adds the passes to a graph: [`Select`] specifies the condition, [`SelectBuffers`] the
//! arrays. The count stays on the device, where later passes can use it as their element count.
//! [`Context::select`](crate::Context::select), [`Context::partition`](crate::Context::partition),
//! [`Context::unique`](crate::Context::unique) and
//! [`Context::run_lengths`](crate::Context::run_lengths) run a selection in one call.

mod description;
mod passes;

pub(crate) use description::By;
pub use description::{Select, SelectBuffers};
pub use passes::select;
pub(crate) use passes::select_by;
