//! The GLSL kernels of multisplit, their SPIR-V, and typed metadata reflected from it.
//!
//! - [`builtin`]: the kernels that ship with the library. Their SPIR-V is checked in, so that
//!   building it needs no C++ compiler; a test proves it is what the GLSL compiles to.
//! - [`Kernel`] and [`Interface`]: what a kernel is, and what it expects from the host.
//! - [`reflect`]: how that is read out of SPIR-V, for user shaders at run time as well.
//! - [`address`]: kernels that take addresses instead of bindings.
//! - [`check`]: which user's shaders are safe to run, and how they are made so.
//! - [`prune`]: modules without what a pipeline's specialization constants rule out.
//! - [`reconvergence`]: modules that state where lanes come together again.
//! - [`subgroup_barriers`]: modules for drivers on which subgroup barriers do not work.
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
#[doc(hidden)] // their sizes and counts are for the library to choose
pub mod builtin;
pub mod check;
#[cfg(feature = "compile")]
pub mod compile;
mod declarations;
mod fold;
pub mod freeze;
#[rustfmt::skip]
mod generated;
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
pub use kernel::{
    Binding, BindingAccess, BindingKind, Dimension, Interface, Kernel, PushBlock, PushMember,
    SpecConstant,
};
pub use push::{PushConstants, PushField, PushMismatch, check_layout};
pub use reflect::ReflectError;
