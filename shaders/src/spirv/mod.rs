//! SPIR-V modules: reflection, checks, rewriting and run-time compilation.

pub mod address;
pub mod check;
#[cfg(feature = "compile")]
pub mod compile;
pub(crate) mod editor;
mod fold;
pub mod freeze;
pub(crate) mod ids;
pub(crate) mod interface;
pub(crate) mod kernel;
pub mod prune;
pub(crate) mod push;
pub mod reconvergence;
pub mod reflect;
pub mod subgroup_barriers;
mod words;
