//! The built-in kernels: their constants and tables, and their variants with a user's function.

pub(crate) mod embedded;
#[rustfmt::skip]
mod generated;
pub mod manifest;
mod packed;
#[cfg(feature = "compile")]
pub(crate) mod user_function;

/// The built-in kernels as statics, for example `builtin::SCAN_REDUCE`.
pub mod builtin {
    pub use super::embedded::Builtin;
    pub use super::generated::*;
}
