//! Defects that the machine finds in kernels, and their messages.

use std::collections::HashMap;
use std::fmt;

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
    fn text(self) -> &'static str {
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

/// The invocation and instruction of an access, or the transfer that made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    pub pass: String,
    /// The kernel's label; empty for a transfer.
    pub kernel: String,
    /// Index of the workgroup in the dispatch.
    pub workgroup: u64,
    /// The invocation in its workgroup (`gl_LocalInvocationIndex`).
    pub lane: u32,
    /// Description of the access, such as `atomic or volatile read`.
    pub access: &'static str,
    /// The instruction's SPIR-V name and function, with the line if the module has line
    /// information.
    pub instruction: String,
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kernel.is_empty() {
            return write!(f, "{} by pass {}", self.access, self.pass);
        }
        write!(
            f,
            "{} {} ({}), workgroup {} lane {}",
            self.kernel, self.instruction, self.access, self.workgroup, self.lane
        )?;
        if self.pass == self.kernel { Ok(()) } else { write!(f, ", pass {}", self.pass) }
    }
}

/// A defect with the accesses that cause it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub kind: FindingKind,
    /// The memory location, or other details.
    pub what: String,
    /// The access at which the defect was found.
    pub here: Site,
    /// The conflicting access, if any.
    pub other: Option<Site>,
    /// Number of times that the same two instructions caused this defect.
    pub count: u64,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.kind.text(), self.what, self.here)?;
        if let Some(other) = &self.other {
            write!(f, "; with {other}")?;
        }
        if self.count > 1 {
            write!(f, " ({} times)", self.count)?;
        }
        Ok(())
    }
}

/// All findings. If the same two instructions cause a defect repeatedly, it is one finding with a
/// count.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    list: Vec<Finding>,
    seen: HashMap<(FindingKind, String, u32, u32), usize>,
}

impl Findings {
    /// Counts a repeated finding. Returns false if no finding of this kind, at the same two
    /// instructions in a pass with this label, was reported before.
    pub(crate) fn count_repeated(
        &mut self,
        kind: FindingKind,
        kernel: &str,
        places: (u32, u32),
    ) -> bool {
        let key = (kind, kernel.to_owned(), places.0, places.1);
        if let Some(finding) = self.seen.get(&key).and_then(|&at| self.list.get_mut(at)) {
            finding.count += 1;
            return true;
        }
        self.seen.insert(key, self.list.len());
        false
    }

    pub(crate) fn push(&mut self, finding: Finding) {
        self.list.push(finding);
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in &self.list {
            writeln!(f, "{finding}")?;
        }
        Ok(())
    }
}
