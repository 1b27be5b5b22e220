//! Defects that the machine finds in kernels, and their messages.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use crate::code::Program;
use crate::finding_kind::FindingKind;
use crate::memory::{Mode, Record};

/// A pass that has begun.
#[derive(Clone, Default)]
pub(crate) struct PassInfo {
    pub label: String,
    pub program: Option<Arc<Program>>,
}

/// The invocation and instruction of an access, or the transfer that made it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Site {
    pass: String,
    /// The kernel's label; empty for a transfer.
    kernel: String,
    /// Index of the workgroup in the dispatch.
    workgroup: u32,
    /// The invocation in its workgroup (`gl_LocalInvocationIndex`).
    lane: u32,
    /// Description of the access, such as `atomic or volatile read`.
    access: &'static str,
    /// The instruction's SPIR-V name and function, with the line if the module has line
    /// information.
    instruction: String,
}

impl Site {
    fn new(passes: &[PassInfo], record: &Record) -> Self {
        let Mode { write, atomic, coherent, fixed } = record.mode;
        let access = match (fixed, write, atomic, coherent) {
            (true, true, ..) => "transfer write",
            (true, false, ..) => "transfer or indirect read",
            (_, true, true, _) => "atomic or volatile write",
            (_, false, true, _) => "atomic or volatile read",
            (_, true, false, true) => "coherent write",
            (_, false, false, true) => "coherent read",
            (_, true, ..) => "write",
            _ => "read",
        };
        let PassInfo { label, program } = &passes[record.pass as usize];
        let program = program.as_ref().filter(|_| !fixed);
        Self {
            pass: label.clone(),
            kernel: program.map(|p| p.label.clone()).unwrap_or_default(),
            workgroup: record.group,
            lane: record.lane,
            access,
            instruction: program.and_then(|p| instruction(p, record.pc)).unwrap_or_default(),
        }
    }
}

fn instruction(program: &Program, pc: u32) -> Option<String> {
    let origin = program.origins.get(pc as usize)?;
    let function = program.functions.get(origin.function as usize)?;
    let name = function.split('(').next().unwrap_or(function);
    let line = if origin.line > 0 { format!(" line {}", origin.line) } else { String::new() };
    Some(format!("Op{:?} #{pc} in {name}(){line}", origin.opcode))
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
struct Finding {
    kind: FindingKind,
    /// The memory location, or other details.
    what: String,
    /// The access at which the defect was found.
    here: Site,
    /// The conflicting access, if any.
    other: Option<Site>,
    /// Number of times that the same two instructions caused this defect.
    count: u64,
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
    /// instructions in a pass with this label, was reported before; it must then be added.
    pub(crate) fn count_repeated(
        &mut self,
        passes: &[PassInfo],
        kind: FindingKind,
        here: &Record,
        other: Option<&Record>,
    ) -> bool {
        let label = passes[here.pass as usize].label.clone();
        let key = (kind, label, here.pc, other.map_or(u32::MAX, |other| other.pc));
        if let Some(finding) = self.seen.get(&key).and_then(|&at| self.list.get_mut(at)) {
            finding.count += 1;
            return true;
        }
        self.seen.insert(key, self.list.len());
        false
    }

    pub(crate) fn add(
        &mut self,
        passes: &[PassInfo],
        kind: FindingKind,
        what: String,
        here: &Record,
        other: Option<&Record>,
    ) {
        let (here, other) = (Site::new(passes, here), other.map(|o| Site::new(passes, o)));
        self.list.push(Finding { kind, what, here, other, count: 1 });
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
