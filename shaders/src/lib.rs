//! The GLSL kernels of multisplit, their SPIR-V, and typed metadata reflected from it.
//!
//! - [`builtin`]: the built-in kernels. Their SPIR-V is checked in, so that building the crate needs no C++
//!   compiler; a test verifies that it matches the GLSL.
//! - [`Kernel`] and [`Interface`]: kernels and their interface to the host.
//! - [`reflect`]: reflection of SPIR-V, also for user shaders at run time.
//! - [`address`]: kernels that use addresses instead of bindings.
//! - [`check`]: safety checks and rewriting of user shaders.
//! - [`prune`]: removal of code that the specialization constants of a pipeline rule out.
//! - [`reconvergence`]: execution modes for the reconvergence of lanes.
//! - [`subgroup_barriers`]: modules for drivers with broken subgroup barriers.
//! - [`compile`](mod@compile): GLSL to SPIR-V at run time (cargo feature `compile`, on by default).
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use multisplit_shaders::{BindingAccess, builtin};
//!
//! let kernel = builtin::SCAN_REDUCE.kernel()?;
//! let src = kernel.interface().binding("src").ok_or("no such binding")?;
//! assert_eq!(src.access, BindingAccess::Read);
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

pub mod address;
pub mod check;
#[cfg(feature = "compile")]
pub mod compile;
mod declarations;
mod embedded;
mod fold;
pub mod freeze;
#[rustfmt::skip]
mod generated;
mod interface;
mod kernel;
pub mod manifest;
pub mod prune;
mod push;
pub mod reconvergence;
pub mod reflect;
pub mod sources;
pub mod subgroup_barriers;

#[doc(hidden)]
pub use bytemuck;
pub use check::{CheckError, MemoryUse};
pub use interface::{
    Binding, BindingAccess, BindingKind, Dimension, Interface, PushBlock, PushMember, ReflectError,
    SpecConstant,
};
pub use kernel::Kernel;
pub use push::{PushConstants, PushField, PushMismatch, check_layout};

/// The built-in kernels as constants: `builtin::SCAN_REDUCE`.
#[doc(hidden)] // only the library may choose their sizes and counts
pub mod builtin {
    pub use crate::embedded::Builtin;
    pub use crate::generated::*;
}
