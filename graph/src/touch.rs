//! Memory accesses of a schedule (touches), level by level, as byte ranges in address spaces.
//!
//! The workspace is a single address space. Each buffer outside it is an address space of its own.
//! Buffers that share workspace bytes therefore conflict like two uses of one buffer, and aliasing
//! needs no special rules.

use crate::access::{Access, Scope, Stages};
use crate::lifetime::Heap;
use crate::order::Schedule;
use crate::sync::ByteRange;
use crate::validate::Checked;

/// Address space of the workspace. A buffer outside the workspace with index `i` has address
/// space `i + 1`.
const WORKSPACE: usize = 0;

/// An access to a byte range, in one stage, by a pass or by the caller.
#[derive(Clone, Debug)]
pub(crate) struct Touch {
    /// The address space: [`WORKSPACE`], or the buffer's own.
    pub space: usize,
    /// Byte range in the address space.
    pub bytes: ByteRange,
    /// `None` if the caller performs the access.
    pub pass: Option<usize>,
    pub buffer: usize,
    /// A single stage.
    pub stage: Stages,
    pub reads: Access,
    pub writes: Access,
    /// Whether the pass writes every byte before it reads it, so that the previous contents are
    /// irrelevant.
    pub scratch: bool,
}

/// All accesses and passes of one run.
#[derive(Debug)]
pub(crate) struct Timeline {
    /// Number of address spaces.
    pub spaces: usize,
    /// Accesses of the caller before the run.
    pub entry: Vec<Touch>,
    /// Accesses of each level.
    pub levels: Vec<Vec<Touch>>,
    /// Accesses of the caller after the run.
    pub exit: Vec<Touch>,
    /// The passes of each level, with all stages of each pass.
    pub passes: Vec<Vec<(usize, Stages)>>,
    /// Explicit orders, as pairs of pass indices.
    pub orders: Vec<(usize, usize)>,
}

pub(crate) fn timeline(checked: &Checked, schedule: &Schedule, heap: &Heap) -> Timeline {
    let level = |passes: &Vec<usize>| {
        passes.iter().flat_map(|&pass| pass_touches(checked, heap, pass)).collect()
    };
    let stages = |passes: &Vec<usize>| {
        passes.iter().map(|&pass| (pass, checked.passes[pass].stages)).collect()
    };
    let scoped = |scope: fn(&crate::resource::BufferDecl) -> Option<Scope>| {
        let scopes = checked.buffers.iter().map(scope).enumerate();
        let scopes = scopes.filter_map(|(buffer, scope)| Some((buffer, scope?)));
        scopes.flat_map(|(buffer, scope)| caller_touches(checked, buffer, scope)).collect()
    };
    Timeline {
        spaces: checked.buffers.len() + 1,
        entry: scoped(|buffer| buffer.entry),
        levels: schedule.levels.iter().map(level).collect(),
        exit: scoped(|buffer| buffer.exit),
        passes: schedule.levels.iter().map(stages).collect(),
        orders: schedule.orders.clone(),
    }
}

fn pass_touches(checked: &Checked, heap: &Heap, pass: usize) -> Vec<Touch> {
    let touch = |used: &crate::resolve::Use| {
        let (space, base) =
            heap.offsets[used.buffer].map_or((used.buffer + 1, 0), |base| (WORKSPACE, base));
        Touch {
            space,
            bytes: ByteRange { start: base + used.bytes.start, end: base + used.bytes.end },
            pass: Some(pass),
            buffer: used.buffer,
            stage: used.stage,
            reads: used.reads,
            writes: used.writes,
            scratch: used.scratch,
        }
    };
    checked.passes[pass].uses.iter().map(touch).collect()
}

/// The accesses of an entry or exit scope. The caller may access any byte of its buffer.
fn caller_touches(checked: &Checked, buffer: usize, scope: Scope) -> Vec<Touch> {
    let bytes = ByteRange { start: 0, end: checked.buffers[buffer].size };
    let touch = |(stage, access): (Stages, Access)| Touch {
        space: buffer + 1,
        bytes,
        pass: None,
        buffer,
        stage,
        reads: access.reads(),
        writes: access.writes(),
        scratch: false,
    };
    scope.parts().into_iter().map(touch).collect()
}
