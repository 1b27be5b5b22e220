//! Errors that keep the machine from running a module or plan. Defects of a kernel that it runs are
//! reported as [`Finding`](crate::Finding)s.

/// The result of decoding or running a module or plan.
pub type Result<T> = std::result::Result<T, MachineError>;

/// Reason why a module or plan cannot be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MachineError {
    /// The words are not a valid module.
    #[error("`{kernel}` is no SPIR-V module: {problem}")]
    Module {
        /// The kernel's label.
        kernel: String,
        /// The parser's message.
        problem: String,
    },
    /// The module uses something that the machine does not support. Instructions are never skipped.
    #[error("`{kernel}` has {what}, which the machine does not know")]
    Unknown {
        /// The kernel's label.
        kernel: String,
        /// The instruction or operand, by its SPIR-V name.
        what: String,
    },
    /// No built-in kernel has this specialization constant.
    #[error("no kernel has a specialization constant `{name}`")]
    Constant {
        /// The requested name.
        name: String,
    },
    /// The plan does not match its imports.
    #[error("the plan `{plan}` cannot run: {problem}")]
    Plan {
        /// The plan's name.
        plan: String,
        /// Description of the problem.
        problem: String,
    },
}

impl MachineError {
    pub(crate) fn module(kernel: &str, problem: impl ToString) -> Self {
        Self::Module { kernel: kernel.to_owned(), problem: problem.to_string() }
    }

    pub(crate) fn plan(plan: &str, problem: String) -> Self {
        Self::Plan { plan: plan.to_owned(), problem }
    }
}
