//! The GLSL kernels of multisplit, their SPIR-V, and typed metadata reflected from it.
//!
//! - `builtin`: the built-in kernels. Their SPIR-V is checked in, so building the crate does not need a C++ compiler.
//!   A test verifies that it matches the GLSL.
//! - [`Kernel`] and [`Interface`]: kernels and their interface to the host.
//! - [`reflect`]: reflection of SPIR-V, also for user shaders at run time.
//! - [`address`]: rewrites kernels to access buffers by address instead of bindings.
//! - [`check`]: checks user shaders and rewrites them so that they are safe to run.
//! - [`prune`]: removes code that is unreachable with the specialization constants of a pipeline.
//! - [`freeze`]: replaces specialization constants by their values, for drivers that compile too slowly otherwise.
//! - [`reconvergence`]: adds execution modes for the reconvergence of lanes.
//! - [`subgroup_barriers`]: replaces subgroup barriers for drivers on which they do not work.
//! - [`compile`](mod@compile): compiles GLSL to SPIR-V at run time (cargo feature `compile`, on by default).
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

mod kernels;
pub mod sources;
mod spirv;

#[doc(hidden)]
pub use bytemuck;
#[doc(hidden)] // only the library may choose the sizes and counts of built-in kernels
pub use kernels::builtin;
pub use kernels::manifest;
#[cfg(feature = "compile")]
pub use kernels::user_function::UserFunction;
pub use spirv::check::{CheckError, MemoryUse};
#[cfg(feature = "compile")]
pub use spirv::compile;
pub use spirv::interface::{
    Binding, BindingAccess, BindingKind, Dimension, Interface, PushBlock, PushMember, ReflectError,
    SpecConstant,
};
pub use spirv::kernel::Kernel;
pub use spirv::push::{PushConstants, PushField, PushMismatch, check_layout};
pub use spirv::{address, check, freeze, prune, reconvergence, reflect, subgroup_barriers};
