//! Device memory: buffers, transfers between host and device, and the memory limit of a context.

pub(crate) mod array;
pub(crate) mod budget;
pub(crate) mod buffer;
pub(crate) mod heap;
mod host_buffer;
mod readback;
mod staging;
pub(crate) mod status;
pub(crate) mod transfer;

pub(crate) use array::{AnyArray, AnyOutput, Input, Output};
pub use array::{Array, Device, Elements, Host, Place};
pub(crate) use buffer::{Buffer, Location};
pub use heap::MemoryReport;
pub use readback::Readback;
pub(crate) use transfer::check_lengths;
