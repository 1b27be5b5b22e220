//! The C interface of multisplit, as declared in `multisplit.h`.
//!
//! The header is generated from these files (`tests/generated.rs`). The functions follow three rules: they
//! return panics as errors (`result::guard`), they validate every handle (`handle`), and they check the
//! `struct_size` of a caller's structure before reading its other members (`read`).

mod combine;
mod context;
mod declare;
mod glsl;
mod handle;
mod histogram;
mod log;
mod memory;
mod merge;
mod operation;
mod planned;
mod prelude;
mod read;
mod requirements;
mod result;
mod search;
mod segments;
mod select;
mod short;
mod sort;
mod split;
mod sssp;
mod topk;
mod types;
mod values;
mod version;
mod vulkan;

pub use combine::*;
pub use context::*;
pub use histogram::*;
pub use log::*;
pub use memory::*;
pub use merge::*;
pub use operation::*;
pub use planned::*;
pub use requirements::*;
pub use result::{MultisplitResult, multisplit_last_error, multisplit_result_name};
pub use search::*;
pub use segments::*;
pub use select::*;
pub use short::*;
pub use sort::*;
pub use split::*;
pub use sssp::*;
pub use topk::*;
pub use types::*;
pub use values::MultisplitValues;
pub use version::*;
