//! A sort of arrays of any size: in one go where they fit the device, else bucket by bucket.

mod direct;
mod in_memory;
mod request;
mod streamed;
mod verify;
mod whole;

pub use direct::sort_direct;
pub use request::{SortRequest, Sorted};
pub use streamed::{Target, sort_streamed};
pub use verify::verify;
pub use whole::sort;
