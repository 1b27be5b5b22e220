//! Why a user's shader or function is refused.

use crate::reflect::ReflectError;

/// Why a module is not one that can be run safely. Messages name functions and variables as the
/// GLSL does.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The words are not a module with one compute shader that binds buffers.
    #[error(transparent)]
    Module(#[from] ReflectError),
    /// More words than a check is made for.
    #[error("the shader is {words} words of SPIR-V, at most {max} are checked: make it smaller")]
    TooLarge {
        /// Words of the module.
        words: usize,
        /// At most so many.
        max: usize,
    },
    /// A longer text than is compiled.
    #[error("the GLSL is {bytes} bytes long, at most {max} are compiled: make it shorter")]
    SourceTooLong {
        /// Its length.
        bytes: usize,
        /// At most so many.
        max: usize,
    },
    /// The module breaks a rule of SPIR-V that the check relies on.
    #[error("the SPIR-V is not valid: {0}")]
    Invalid(String),
    /// A capability that is not allowed.
    #[error(
        "the shader uses the capability {capability}, which is not allowed: storage and uniform buffers, push constants, shared memory, 64-bit numbers and subgroup operations are"
    )]
    Capability {
        /// Its name in SPIR-V.
        capability: String,
    },
    /// An extension that is not allowed.
    #[error(
        "the shader uses the extension {extension}, which is not allowed: those for subgroup operations, sized numbers, control-flow attributes and includes are"
    )]
    Extension {
        /// Its name in GLSL or SPIR-V.
        extension: String,
    },
    /// An instruction that is not allowed.
    #[error("`{function}` uses {instruction}, which is not allowed in a shader that is checked")]
    Instruction {
        /// The function that it is in.
        function: String,
        /// Its name in SPIR-V.
        instruction: String,
    },
    /// A variable, a block, a type or a mode that is not allowed.
    #[error("`{name}` {problem}")]
    Declaration {
        /// Its name.
        name: String,
        /// What is wrong, and what is allowed.
        problem: String,
    },
    /// An access to memory that is not allowed.
    #[error("`{function}` {problem}")]
    Access {
        /// The function that it is in.
        function: String,
        /// What is wrong, and what is allowed.
        problem: String,
    },
    /// A barrier that a part of the workgroup may not reach.
    #[error(
        "{barrier} in `{function}` may be reached by only a part of the workgroup: the conditions and loops around it, and returns before it, may depend on constants, push constants, gl_WorkGroupID and gl_NumWorkGroups alone"
    )]
    Barrier {
        /// The function that it is in.
        function: String,
        /// Which kind of barrier.
        barrier: &'static str,
    },
    /// A `subgroupBarrier()` that a part of the subgroup may not reach.
    #[error(
        "subgroupBarrier() in `{function}` may be reached by only a part of the subgroup: the conditions and loops around it, and returns before it, may depend on constants, push constants, gl_WorkGroupID, gl_NumWorkGroups, gl_SubgroupID, gl_NumSubgroups, gl_SubgroupSize, and on subgroup votes, ballots, broadcasts and reductions alone"
    )]
    SubgroupBarrier {
        /// The function that it is in.
        function: String,
    },
    /// A function that calls itself, perhaps by way of others.
    #[error("`{function}` calls itself: write a loop instead")]
    Recursion {
        /// The function.
        function: String,
    },
    /// Values of specialization constants that no pipeline can be made with.
    #[error("with these specialization constants {0}")]
    Specialization(String),
    /// The source has no function of the name asked for.
    #[error("the GLSL has no function `{wanted}`")]
    NoFunction {
        /// Its name.
        name: &'static str,
        /// How it is to be declared.
        wanted: String,
    },
    /// The function has another type than it should.
    #[error("{name} {found}, but {expected}: write `{wanted}`")]
    FunctionType {
        /// Its name.
        name: &'static str,
        /// What it has.
        found: String,
        /// What it should have.
        expected: String,
        /// How it is to be declared.
        wanted: String,
    },
    /// A function that does more than compute.
    #[error(
        "`{function}` {problem}: it may read its parameters, its own variables and, with one parameter, push.parameter_0, _1 and _2 and table.at[], and write its own variables"
    )]
    SideEffect {
        /// The function.
        function: String,
        /// What it does.
        problem: String,
    },
}
