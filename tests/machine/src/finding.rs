//! What the machine finds wrong with a kernel, and how it says so.

use std::collections::HashMap;
use std::fmt;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FindingKind {
    /// Two accesses to a word, one of them a write, with nothing that orders them.
    Race,
    /// A write that is ordered before an access of another invocation, but need not be seen by
    /// it: the memory is not `coherent`.
    NotCoherent,
    /// An access out of the bounds of an array, or of the range that is bound.
    OutOfBounds,
    /// A read of memory that nobody wrote.
    Unwritten,
    /// A value that nobody set decides something: a branch, an address, a vote, what is stored.
    Undefined,
    /// A barrier that not all invocations reach.
    Barrier,
    /// A value asked of a lane that does not take part.
    AbsentLane,
    /// An indirect dispatch of more workgroups than devices take.
    TooManyGroups,
    /// More instructions than the budget.
    Budget,
    /// An instruction that must not be reached.
    Unreachable,
}

impl FindingKind {
    fn text(self) -> &'static str {
        match self {
            Self::Race => "data race",
            Self::NotCoherent => "write need not be visible (memory is not coherent)",
            Self::OutOfBounds => "out of bounds",
            Self::Unwritten => "read of memory that nobody wrote",
            Self::Undefined => "undefined value is used",
            Self::Barrier => "barrier is not reached by all invocations",
            Self::AbsentLane => "value of a lane that does not take part",
            Self::TooManyGroups => "more workgroups than devices take",
            Self::Budget => "step budget exceeded",
            Self::Unreachable => "unreachable code is reached",
        }
    }
}

/// Who did it, and where in the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The pass.
    pub pass: String,
    /// The kernel's label; empty for a transfer.
    pub kernel: String,
    /// The workgroup, counted through the dispatch.
    pub workgroup: u64,
    /// The invocation in its workgroup (`gl_LocalInvocationIndex`).
    pub lane: u32,
    /// What it did, in words: `volatile load`, `atomic`.
    pub access: &'static str,
    /// The instruction's SPIR-V name and function, with the line where the module has it.
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

/// Something wrong, with who did it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What.
    pub kind: FindingKind,
    /// Where in memory, or what else there is to say.
    pub what: String,
    /// The access that showed it.
    pub here: Site,
    /// The other access, where there is one.
    pub other: Option<Site>,
    /// How often the same two instructions showed it.
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

/// All that was found; the same pair of instructions is told once.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    list: Vec<Finding>,
    seen: HashMap<(FindingKind, String, u32, u32), usize>,
}

impl Findings {
    /// Counts one more of the kind between two places of a kernel; whether it is not the first.
    pub(crate) fn again(&mut self, kind: FindingKind, kernel: &str, places: (u32, u32)) -> bool {
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

    /// What was found, in the order it was.
    pub fn all(&self) -> &[Finding] {
        &self.list
    }

    /// Whether nothing was found.
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
