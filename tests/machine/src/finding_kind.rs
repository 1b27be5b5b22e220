//! Kinds of defects that the machine finds.

/// Kind of a defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum FindingKind {
    /// Two unordered accesses to a word, at least one of them a write.
    Race,
    /// A write is ordered before an access by another invocation, but that access need not observe
    /// it, because the buffer is not `coherent`.
    NotCoherent,
    /// An access beyond the bounds of an array or of the bound range.
    OutOfBounds,
    /// A read of memory that was not written.
    Unwritten,
    /// An undefined value is used in one of the ways that `undefined.rs` lists.
    Undefined,
    /// A barrier that is not reached by all invocations.
    Barrier,
    /// A subgroup operation reads from an inactive lane.
    AbsentLane,
    /// A dispatch with more workgroups in a dimension than some devices support.
    TooManyGroups,
    /// The instruction budget is exceeded.
    Budget,
    /// An `OpUnreachable` instruction was executed.
    Unreachable,
}

impl FindingKind {
    pub fn text(self) -> &'static str {
        match self {
            Self::Race => "data race",
            Self::NotCoherent => "write need not be visible (memory is not coherent)",
            Self::OutOfBounds => "out of bounds",
            Self::Unwritten => "read of memory that was not written",
            Self::Undefined => "undefined value is used",
            Self::Barrier => "barrier is not reached by all invocations",
            Self::AbsentLane => "value read from an inactive lane",
            Self::TooManyGroups => "more workgroups than some devices support",
            Self::Budget => "instruction budget exceeded",
            Self::Unreachable => "OpUnreachable is executed",
        }
    }
}
