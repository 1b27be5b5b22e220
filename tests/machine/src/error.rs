//! Errors that keep the machine from running a module or plan. Defects of a kernel that it runs are
//! reported as [`Findings`](crate::Findings).

/// The result of decoding or running a module or plan.
pub type Result<T> = std::result::Result<T, MachineError>;

/// Reason why a module or plan cannot be run.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct MachineError(String);

impl MachineError {
    /// The words cannot be decoded or rewritten.
    pub(crate) fn module(kernel: &str, problem: impl std::fmt::Display) -> Self {
        Self(format!("cannot decode the SPIR-V of `{kernel}`: {problem}"))
    }

    /// The module uses something that the machine does not support. Instructions are never skipped.
    pub(crate) fn unknown(kernel: &str, what: impl std::fmt::Display) -> Self {
        Self(format!("`{kernel}` uses {what}, which the machine does not support"))
    }

    /// No built-in kernel has this specialization constant.
    pub(crate) fn constant(name: &str) -> Self {
        Self(format!("no built-in kernel has a specialization constant `{name}`"))
    }

    /// A plan or kernel lacks a buffer, its memory or its SPIR-V.
    pub(crate) fn plan(plan: &str, problem: impl std::fmt::Display) -> Self {
        Self(format!("`{plan}` cannot run: {problem}"))
    }
}
