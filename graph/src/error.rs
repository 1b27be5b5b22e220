//! What can be wrong with a graph.

use std::fmt;

use multisplit_shaders::PushMismatch;
use thiserror::Error;

use crate::access::Scope;

/// What is wrong with a graph. Every variant names the pass and the buffer or binding.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GraphError {
    /// A kernel was specialized to workgroups of no threads.
    #[error("pass `{pass}` has workgroups of no threads")]
    EmptyWorkgroup {
        /// The pass.
        pass: String,
    },
    /// Passes were sized for other subgroups than the device has.
    #[error(
        "passes were sized for subgroups of {lanes} lanes, the device has {device}: use the policy of its own context"
    )]
    SubgroupSize {
        /// What passes were sized for; 0 where two of them differ.
        lanes: u32,
        /// What the limits say.
        device: u32,
    },
    /// A buffer handle was made by another graph.
    #[error("{at}: the buffer belongs to another graph")]
    ForeignBuffer {
        /// Where the handle was used.
        at: String,
    },
    /// A pass handle was made by another graph.
    #[error("{at}: the pass belongs to another graph")]
    ForeignPass {
        /// Where the handle was used.
        at: String,
    },
    /// A buffer, or a view of it, has no bytes.
    #[error("{}buffer `{buffer}` has no bytes; give it, or the view of it, at least one element", In(.pass))]
    EmptyBuffer {
        /// The pass, where a view is empty.
        pass: Option<String>,
        /// The buffer.
        buffer: String,
    },
    /// Two imports have the same name, so that a caller could not tell them apart.
    #[error("import `{buffer}` is declared twice")]
    DuplicateImport {
        /// The name.
        buffer: String,
    },
    /// A status word was filled, copied, updated or read for an indirect dispatch.
    #[error("pass `{pass}`: status word `{buffer}` can only be bound to a kernel")]
    StatusWord {
        /// The pass.
        pass: String,
        /// The status word.
        buffer: String,
    },
    /// A pass writes to a constant.
    #[error("pass `{pass}`: constant `{buffer}` can only be read")]
    ConstantWritten {
        /// The pass.
        pass: String,
        /// The constant.
        buffer: String,
    },
    /// An entry or exit scope was given for a buffer that is not an import.
    #[error("buffer `{buffer}` has an entry or exit scope and is not an import")]
    NotAnImport {
        /// The buffer.
        buffer: String,
    },
    /// An entry or exit scope is empty, or has an access that none of its stages makes.
    #[error("import `{buffer}`: no such access in these stages: {scope}")]
    InvalidScope {
        /// The import.
        buffer: String,
        /// The scope.
        scope: Scope,
    },
    /// The kernel has no binding of this name.
    #[error("pass `{pass}`: the kernel has no binding `{binding}` (it has: {known})")]
    UnknownBinding {
        /// The pass.
        pass: String,
        /// The name that was bound.
        binding: String,
        /// The names that the kernel has.
        known: String,
    },
    /// A binding of the kernel has no buffer.
    #[error("pass `{pass}`: nothing is bound to `{binding}`")]
    UnboundBinding {
        /// The pass.
        pass: String,
        /// The binding.
        binding: String,
    },
    /// A binding was bound twice.
    #[error("pass `{pass}`: `{binding}` is bound twice")]
    BoundTwice {
        /// The pass.
        pass: String,
        /// The binding.
        binding: String,
    },
    /// A binding that the kernel only reads was bound as scratch.
    #[error("pass `{pass}`: `{binding}` is scratch, and the kernel only reads it")]
    ScratchReadOnly {
        /// The pass.
        pass: String,
        /// The binding.
        binding: String,
    },
    /// The kernel has no specialization constant of this name.
    #[error("pass `{pass}`: the kernel has no specialization constant `{constant}`")]
    UnknownConstant {
        /// The pass.
        pass: String,
        /// The name that was specialized.
        constant: String,
    },
    /// The kernel has push constants and the pass gives none.
    #[error("pass `{pass}`: no push constants, and the kernel has {expected} bytes")]
    MissingPush {
        /// The pass.
        pass: String,
        /// Bytes in the kernel's block.
        expected: u32,
    },
    /// The push constants' struct is laid out differently from the kernel's block.
    #[error("pass `{pass}`: {mismatch}")]
    PushLayout {
        /// The pass.
        pass: String,
        /// Where they differ.
        mismatch: PushMismatch,
    },
    /// The push constants have another size than the kernel's block.
    #[error(
        "pass `{pass}`: {given} bytes of push constants were given, and the kernel takes {expected}"
    )]
    PushSize {
        /// The pass.
        pass: String,
        /// Bytes in the kernel's block; zero where it has none.
        expected: u32,
        /// Bytes given.
        given: usize,
    },
    /// A view ends past its buffer.
    #[error(
        "pass `{pass}`: the view of {size} bytes from byte {offset} on is outside of buffer `{buffer}`, which has {buffer_size} bytes"
    )]
    ViewOutOfBounds {
        /// The pass.
        pass: String,
        /// The buffer.
        buffer: String,
        /// First byte of the view.
        offset: u64,
        /// Bytes of the view.
        size: u64,
        /// Bytes of the buffer.
        buffer_size: u64,
    },
    /// The offset or size of a view is not a multiple of what it has to be.
    #[error(
        "pass `{pass}`: {what} {value} of the view of buffer `{buffer}` is not a multiple of {alignment}"
    )]
    Misaligned {
        /// The pass.
        pass: String,
        /// The buffer.
        buffer: String,
        /// `offset` or `size`.
        what: &'static str,
        /// Its value.
        value: u64,
        /// What it has to be a multiple of.
        alignment: u64,
    },
    /// A view has fewer bytes than the binding needs for its header and one element.
    #[error(
        "pass `{pass}`: `{binding}` needs {needed} bytes, and the view of buffer `{buffer}` has {size}"
    )]
    ViewTooSmall {
        /// The pass.
        pass: String,
        /// The binding.
        binding: String,
        /// The buffer.
        buffer: String,
        /// Bytes of the view.
        size: u64,
        /// Bytes needed.
        needed: u64,
    },
    /// The elements of the buffer are not those of the binding.
    #[error(
        "pass `{pass}`: `{binding}` has elements of {stride} bytes, and buffer `{buffer}` of {element}"
    )]
    ElementMismatch {
        /// The pass.
        pass: String,
        /// The binding.
        binding: String,
        /// The buffer.
        buffer: String,
        /// Bytes of an element of the buffer.
        element: u64,
        /// Bytes of an element of the binding.
        stride: u64,
    },
    /// The two sides of a copy or an update have different sizes.
    #[error("pass `{pass}`: {given} bytes into {size} bytes of buffer `{buffer}`")]
    SizeMismatch {
        /// The pass.
        pass: String,
        /// The buffer that is written.
        buffer: String,
        /// Bytes of its view.
        size: u64,
        /// Bytes of the source.
        given: u64,
    },
    /// A limit of the device is exceeded.
    #[error("{at}: {value} exceeds {limit} = {max}")]
    LimitExceeded {
        /// The pass and the binding or buffer.
        at: String,
        /// Vulkan's name of the limit.
        limit: &'static str,
        /// What was asked for.
        value: u64,
        /// The limit.
        max: u64,
    },
    /// A pass binds the same bytes twice, and writes them at least once.
    #[error(
        "pass `{pass}`: `{first}` and `{second}` overlap in buffer `{buffer}`, and one of them is written"
    )]
    AliasConflict {
        /// The pass.
        pass: String,
        /// The buffer.
        buffer: String,
        /// One binding.
        first: String,
        /// The other.
        second: String,
    },
    /// A pass reads bytes of a transient that no pass before it writes.
    #[error(
        "pass `{pass}`: `{binding}` reads bytes {start}..{end} of transient `{buffer}`, which no earlier pass writes"
    )]
    UnwrittenRead {
        /// The pass.
        pass: String,
        /// The binding.
        binding: String,
        /// The transient.
        buffer: String,
        /// First unwritten byte.
        start: u64,
        /// End of the unwritten bytes.
        end: u64,
    },
    /// Explicit order contradicts the data flow or itself.
    #[error("cycle: {}", Links(.links))]
    Cycle {
        /// The passes of the cycle in order, each with the reason why the next one follows it.
        links: Vec<CycleLink>,
    },
    /// A carried ping-pong of a replayable graph does not end where it began.
    #[error(
        "ping-pong of `{started}` and `{ended}`: an odd number of swaps, so a replay would begin with `{started}` and the data is in `{ended}`"
    )]
    OddPingPong {
        /// The buffer that a run begins with.
        started: String,
        /// The buffer that holds the data at its end.
        ended: String,
    },
}

/// One step of a [`GraphError::Cycle`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CycleLink {
    /// The pass.
    pub pass: String,
    /// The buffer through which the next pass depends on it; `None` for an explicit order.
    pub buffer: Option<String>,
}

/// "pass `x`, " where there is one.
struct In<'a>(&'a Option<String>);

impl fmt::Display for In<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_ref().map_or(Ok(()), |pass| write!(f, "pass `{pass}`, "))
    }
}

/// The cycle as a chain that ends where it began.
struct Links<'a>(&'a [CycleLink]);

impl fmt::Display for Links<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for CycleLink { pass, buffer } in self.0 {
            match buffer {
                Some(buffer) => write!(f, "`{pass}` -(buffer `{buffer}`)-> ")?,
                None => write!(f, "`{pass}` -(explicit order)-> ")?,
            }
        }
        self.0.first().map_or(Ok(()), |first| write!(f, "`{}`", first.pass))
    }
}
