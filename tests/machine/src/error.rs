//! Why the machine cannot run something. What it finds wrong with a kernel that it runs is a
//! [`Finding`](crate::Finding) instead.

/// Why a module or plan cannot be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MachineError {
    /// The words are not a module.
    #[error("`{kernel}` is no SPIR-V module: {problem}")]
    Module {
        /// The kernel's label.
        kernel: String,
        /// What the parser says.
        problem: String,
    },
    /// The module has something that the machine does not know. It never skips an instruction.
    #[error("`{kernel}` has {what}, which the machine does not know")]
    Unknown {
        /// The kernel's label.
        kernel: String,
        /// The instruction or operand, by its SPIR-V name.
        what: String,
    },
    /// No built-in kernel has such a specialization constant.
    #[error("no kernel has a specialization constant `{name}`")]
    Constant {
        /// The name that was given.
        name: String,
    },
    /// The plan and what it was given do not fit.
    #[error("the plan `{plan}` cannot run: {problem}")]
    Plan {
        /// The plan's name.
        plan: String,
        /// What is missing.
        problem: String,
    },
}
