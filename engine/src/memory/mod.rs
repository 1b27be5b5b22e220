//! Device memory: buffers, how their contents come from and go to the host, and how much of it a
//! context may take.

pub(crate) mod budget;
pub(crate) mod buffer;
pub(crate) mod heap;
pub(crate) mod transfer;

pub use buffer::Buffer;
pub(crate) use buffer::Location;
pub use heap::MemoryReport;
