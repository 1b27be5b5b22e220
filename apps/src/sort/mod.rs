//! Sorts arrays of any size: in one piece if device memory and limits allow it, otherwise bucket by bucket.

mod direct;
mod request;
mod streamed;
mod verify;
mod whole;

pub use direct::sort_direct;
pub use request::{SortRequest, Sorted};
pub use streamed::{Target, sort_streamed};
pub use verify::verify;
pub use whole::sort;
