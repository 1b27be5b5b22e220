//! Reasons for rejecting a user's shader or function.

use crate::spirv::interface::ReflectError;

/// Reasons why a module cannot be run safely. Messages contain the GLSL names of functions and variables.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The words are not a module with exactly one compute shader that uses only buffers.
    #[error(transparent)]
    Module(#[from] ReflectError),
    /// The module exceeds the size limit for checking.
    #[error(
        "the shader has {words} words of SPIR-V, but at most {max} are allowed; make it smaller"
    )]
    TooLarge {
        /// Words of the module.
        words: usize,
        /// The maximum.
        max: usize,
    },
    /// The source exceeds the size limit for compiling.
    #[error("the GLSL has {bytes} bytes, but at most {max} are allowed; make it shorter")]
    SourceTooLong {
        /// Its length in bytes.
        bytes: usize,
        /// The maximum.
        max: usize,
    },
    /// The module violates a rule of SPIR-V that the checks rely on.
    #[error("the SPIR-V is not valid: {0}")]
    Invalid(String),
    /// A capability that is not allowed.
    #[error(
        "the shader uses the capability {capability}, which is not allowed; a function for a built-in kernel may use only numbers of 32 and 64 bits, and other shaders also integers of 8 and 16 bits, buffers, push constants, shared memory and subgroup operations"
    )]
    Capability {
        /// Name in SPIR-V.
        capability: String,
    },
    /// An extension that is not allowed.
    #[error(
        "the shader uses the extension {extension}, which is not allowed; use only extensions for subgroup operations, sized numbers, 64-bit atomics, control-flow attributes, includes and file names in #line"
    )]
    Extension {
        /// Its GLSL or SPIR-V name.
        extension: String,
    },
    /// An instruction that is not allowed.
    #[error("`{function}` uses {instruction}, which is not allowed in a checked shader; remove it")]
    Instruction {
        /// The function that contains it.
        function: String,
        /// Name in SPIR-V.
        instruction: String,
    },
    /// A variable, a block, a type or a mode that is not allowed.
    #[error("`{name}` {problem}")]
    Declaration {
        /// Its name.
        name: String,
        /// The problem, and what is allowed.
        problem: String,
    },
    /// A memory access or subgroup operation that is not allowed, or too much local memory.
    #[error("`{function}` {problem}")]
    Access {
        /// The function that contains it.
        function: String,
        /// The problem, and what is allowed.
        problem: String,
    },
    /// A barrier that part of the workgroup may not reach.
    #[error(
        "{barrier} in `{function}` may be reached by only a part of the workgroup; the conditions and loops around it, and returns before it, may depend only on constants, push constants, gl_WorkGroupID and gl_NumWorkGroups"
    )]
    Barrier {
        /// The function that contains it.
        function: String,
        /// The kind of barrier.
        barrier: &'static str,
    },
    /// A `subgroupBarrier()` that part of the subgroup may not reach.
    #[error(
        "subgroupBarrier() in `{function}` may be reached by only a part of the subgroup; the conditions and loops around it, and returns before it, may depend only on constants, push constants, gl_WorkGroupID, gl_NumWorkGroups, gl_SubgroupID, gl_NumSubgroups, gl_SubgroupSize, and on subgroup votes, ballots, broadcasts and reductions"
    )]
    SubgroupBarrier {
        /// The function that contains it.
        function: String,
    },
    /// A function that calls itself, directly or indirectly.
    #[error("`{function}` calls itself; use a loop instead")]
    Recursion {
        /// The function.
        function: String,
    },
    /// No pipeline can be created with the given specialization constants.
    #[error("invalid specialization constants: {0}")]
    Specialization(String),
    /// The source does not contain the required function.
    #[error("the GLSL has no function `{wanted}`")]
    NoFunction {
        /// Its name.
        name: &'static str,
        /// The required declaration.
        wanted: String,
    },
    /// The function has the wrong type.
    #[error("{name} {found}, but {expected}: write `{wanted}`")]
    FunctionType {
        /// Its name.
        name: &'static str,
        /// Its actual type.
        found: String,
        /// The expected type.
        expected: String,
        /// The required declaration.
        wanted: String,
    },
    /// A function with side effects or access to other data.
    #[error(
        "`{function}` {problem}; the function and its callees may read only their parameters, their own variables and, except in an operator (`combined`), push.parameter_0, _1 and _2 and table.at[], and may write only their own variables"
    )]
    SideEffect {
        /// The function.
        function: String,
        /// Description of the problem.
        problem: String,
    },
}

pub(crate) fn invalid(problem: impl Into<String>) -> CheckError {
    CheckError::Invalid(problem.into())
}

pub(super) fn declaration(name: impl Into<String>, problem: impl Into<String>) -> CheckError {
    CheckError::Declaration { name: name.into(), problem: problem.into() }
}
