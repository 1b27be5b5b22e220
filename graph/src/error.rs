//! Errors of graph compilation.

use multisplit_shaders::PushMismatch;
use thiserror::Error;

use crate::access::Scope;

/// An error in the declaration of a graph. The fields `pass`, `buffer` and `binding` contain the
/// names of the pass, the buffer and the binding that caused the error.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "names of passes, buffers and bindings")]
#[non_exhaustive]
pub enum GraphError {
    /// A kernel was specialized to a workgroup size of zero.
    #[error(
        "pass `{pass}`: the workgroup size is 0; set its specialization constants to at least 1"
    )]
    EmptyWorkgroup { pass: String },
    /// The passes require a subgroup size that the device does not have.
    #[error("{}; use the policy of the context that runs the graph", subgroup_sizes(*.lanes, *.device))]
    SubgroupSize {
        /// The subgroup size that the passes require; `u32::MAX` if they require different ones.
        lanes: u32,
        /// The subgroup size in the limits; 0 if unknown.
        device: u32,
    },
    /// A buffer handle was created by another graph.
    #[error("{at}: the buffer belongs to another graph; use a buffer declared in this graph")]
    ForeignBuffer {
        /// The pass and binding, or the [`Graph`](crate::Graph) method, that used the handle.
        at: String,
    },
    /// A pass handle was created by another graph.
    #[error("{at}: the pass belongs to another graph; use a pass declared in this graph")]
    ForeignPass {
        /// The [`Graph`](crate::Graph) method that used the handle.
        at: String,
    },
    /// A buffer, or a view of it, has a size of zero.
    #[error("{}buffer `{buffer}`: size is 0; use at least one element", in_pass(.pass.as_deref()))]
    EmptyBuffer {
        /// The pass that uses the empty view; `None` if the buffer itself is empty.
        pass: Option<String>,
        buffer: String,
    },
    /// Two imports have the same name.
    #[error("import `{buffer}` is declared twice; give each import a unique name")]
    DuplicateImport { buffer: String },
    /// A status word was used in a fill, a copy, an update or an indirect dispatch.
    #[error(
        "pass `{pass}`: status word `{buffer}` can only be bound to a kernel, not used in a transfer or indirect dispatch"
    )]
    StatusWord { pass: String, buffer: String },
    /// A pass writes to a constant.
    #[error(
        "pass `{pass}` writes constant `{buffer}`, which is read-only; use a transient or an import"
    )]
    ConstantWritten { pass: String, buffer: String },
    /// An entry or exit scope was given for a buffer that is not an import.
    #[error(
        "buffer `{buffer}` has an entry or exit scope, but only imports can have one; remove the scope"
    )]
    NotAnImport { buffer: String },
    /// An entry or exit scope is empty, has a stage without an access, has an access that none of
    /// its stages supports, or has unknown bits.
    #[error(
        "import `{buffer}`: invalid scope {scope}; every stage needs an access that it supports, every access needs a stage, and all bits must be known"
    )]
    InvalidScope { buffer: String, scope: Scope },
    /// The kernel has no binding of this name.
    #[error("pass `{pass}`: the kernel has no binding `{binding}`; its bindings are: {known}")]
    UnknownBinding {
        pass: String,
        /// The name that was bound.
        binding: String,
        /// The binding names of the kernel.
        known: String,
    },
    /// No buffer is bound to a binding of the kernel.
    #[error("pass `{pass}`: binding `{binding}` of the kernel is unbound; bind a buffer to it")]
    UnboundBinding { pass: String, binding: String },
    /// A binding was bound twice.
    #[error("pass `{pass}`: `{binding}` is bound twice; bind it once")]
    BoundTwice { pass: String, binding: String },
    /// A binding that the kernel only reads was bound as scratch.
    #[error(
        "pass `{pass}`: `{binding}` is bound as scratch, but the kernel only reads it; use `bind`"
    )]
    ScratchReadOnly { pass: String, binding: String },
    /// The kernel has no specialization constant of this name.
    #[error(
        "pass `{pass}`: the kernel has no specialization constant `{constant}`; check its name"
    )]
    UnknownConstant {
        pass: String,
        /// The name that was specialized.
        constant: String,
    },
    /// The kernel has push constants, but the pass does not set them.
    #[error(
        "pass `{pass}`: the kernel needs {expected} bytes of push constants, but none were set; call `push`"
    )]
    MissingPush {
        pass: String,
        /// Size of the kernel's block, in bytes.
        expected: u32,
    },
    /// The push-constant struct and the kernel's block have different layouts.
    #[error("pass `{pass}`: {mismatch}")]
    PushLayout {
        pass: String,
        /// The first difference.
        mismatch: PushMismatch,
    },
    /// The push constants and the kernel's block have different sizes.
    #[error(
        "pass `{pass}`: {given} bytes of push constants were given, but the kernel needs {expected}"
    )]
    PushSize {
        pass: String,
        /// Size of the kernel's block, in bytes; 0 if the kernel does not use push constants.
        expected: u32,
        /// Size of the push constants given, in bytes.
        given: usize,
    },
    /// A view extends past the end of its buffer.
    #[error(
        "pass `{pass}`: the view of {size} bytes at offset {offset} exceeds buffer `{buffer}`, which has {buffer_size} bytes"
    )]
    ViewOutOfBounds {
        pass: String,
        buffer: String,
        /// Offset of the view, in bytes.
        offset: u64,
        /// Size of the view, in bytes.
        size: u64,
        /// Size of the buffer, in bytes.
        buffer_size: u64,
    },
    /// The offset or size of a view is not aligned.
    #[error(
        "pass `{pass}`: the view of buffer `{buffer}` has {what} {value}, which must be a multiple of {alignment}"
    )]
    Misaligned {
        pass: String,
        buffer: String,
        /// `offset` or `size`.
        what: &'static str,
        /// Its value.
        value: u64,
        /// The required alignment, in bytes.
        alignment: u64,
    },
    /// A view is too small for the fixed-size members of the binding and one element, or for the
    /// parameters of an indirect dispatch.
    #[error(
        "pass `{pass}`: `{binding}` needs at least {needed} bytes, but the view of buffer `{buffer}` has {size}"
    )]
    ViewTooSmall {
        pass: String,
        binding: String,
        buffer: String,
        /// Size of the view, in bytes.
        size: u64,
        /// Minimum size, in bytes.
        needed: u64,
    },
    /// The element sizes of the buffer and the binding differ, and neither is a multiple of the
    /// other.
    #[error(
        "pass `{pass}`: `{binding}` has {stride}-byte elements, but buffer `{buffer}` has {element}-byte elements; one size must be a multiple of the other"
    )]
    ElementMismatch {
        pass: String,
        binding: String,
        buffer: String,
        /// Element size of the buffer, in bytes.
        element: u64,
        /// Element stride of the binding, in bytes.
        stride: u64,
    },
    /// The source and destination of a copy or an update have different sizes.
    #[error(
        "pass `{pass}`: cannot write {given} bytes to a {size}-byte view of buffer `{buffer}`; the sizes must be equal"
    )]
    SizeMismatch {
        pass: String,
        /// The destination buffer.
        buffer: String,
        /// Size of the destination view, in bytes.
        size: u64,
        /// Size of the source, in bytes.
        given: u64,
    },
    /// A value exceeds a device limit or a limit of a Vulkan command.
    #[error("{at}: {value} exceeds the maximum of {max} ({limit})")]
    LimitExceeded {
        /// The pass and its argument, the buffer, or the memory of the plan (such as `workspace`).
        at: String,
        /// The name of the Vulkan limit, or of the limited parameter.
        limit: &'static str,
        /// The requested value.
        value: u64,
        max: u64,
    },
    /// Two buffer uses of a pass overlap, such as two bindings or the source and destination of a
    /// copy, and at least one of them is written.
    #[error(
        "pass `{pass}`: `{first}` and `{second}` overlap in buffer `{buffer}`, and at least one of them is written; bind disjoint views"
    )]
    AliasConflict { pass: String, buffer: String, first: String, second: String },
    /// A pass reads bytes of a transient that no earlier pass writes.
    #[error(
        "pass `{pass}`: `{binding}` reads bytes {start}..{end} of transient `{buffer}`, which no earlier pass writes; write them first"
    )]
    UnwrittenRead {
        pass: String,
        binding: String,
        buffer: String,
        /// First unwritten byte.
        start: u64,
        /// End of the unwritten bytes.
        end: u64,
    },
    /// Explicit orders contradict the data flow or each other.
    #[error("the order of passes has a cycle: {}; remove an explicit order", chain(.links))]
    Cycle {
        /// The passes of the cycle in order, each with its dependency to the next pass.
        links: Vec<CycleLink>,
    },
    /// The graph is replayable, and a ping-pong pair that carries data to the next run was swapped
    /// an odd number of times.
    #[error(
        "ping-pong of `{started}` and `{ended}`: after an odd number of swaps the data is in `{ended}`, but a replay starts with `{started}`; use an even number of swaps"
    )]
    OddPingPong {
        /// The front buffer at the start of a run.
        started: String,
        /// The front buffer at the end of a run.
        ended: String,
    },
}

/// One step of a [`GraphError::Cycle`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CycleLink {
    /// The pass.
    pub pass: String,
    /// The buffer on which this pass and the next conflict; `None` for an explicit order.
    pub buffer: Option<String>,
}

/// Returns "pass `x`, ", or an empty string for `None`.
fn in_pass(pass: Option<&str>) -> String {
    pass.map_or(String::new(), |pass| format!("pass `{pass}`, "))
}

/// Describes the required and the actual subgroup size.
fn subgroup_sizes(required: u32, device: u32) -> String {
    let required = match required {
        u32::MAX => return "the passes require different subgroup sizes".to_owned(),
        required => format!("the passes require a subgroup size of {required}"),
    };
    match device {
        0 => format!("{required}, but the device's is unknown"),
        device => format!("{required}, but the device has {device}"),
    }
}

/// Formats a cycle as a chain of passes that ends with the first pass.
fn chain(links: &[CycleLink]) -> String {
    let link = |CycleLink { pass, buffer }: &CycleLink| match buffer {
        Some(buffer) => format!("`{pass}` -(buffer `{buffer}`)-> "),
        None => format!("`{pass}` -(explicit order)-> "),
    };
    let first = links.first().map(|first| format!("`{}`", first.pass));
    links.iter().map(link).chain(first).collect()
}
