//! What a schedule does to memory: which bytes of which address space each level touches.
//!
//! Every import is an address space of its own, and the workspace is one. Two buffers that share
//! workspace bytes then conflict there like two uses of one buffer, and the barriers that
//! aliasing needs come out of the same rules as all others.

use crate::access::{Access, Scope, Stages};
use crate::lifetime::Heap;
use crate::order::Schedule;
use crate::plan::ByteRange;
use crate::validate::Checked;

/// The workspace; the import with index `i` is `i + 1`.
const WORKSPACE: usize = 0;

/// Bytes touched from one stage, by a pass or by the caller.
#[derive(Clone, Debug)]
pub(crate) struct Touch {
    pub space: usize,
    /// In the address space.
    pub bytes: ByteRange,
    /// `None` for the caller.
    pub pass: Option<usize>,
    pub buffer: usize,
    /// A single stage.
    pub stage: Stages,
    pub reads: Access,
    pub writes: Access,
    /// The contents on entry do not matter.
    pub scratch: bool,
}

/// Everything that happens in one run.
#[derive(Debug)]
pub(crate) struct Timeline {
    /// Number of address spaces.
    pub spaces: usize,
    /// What the caller did before the run.
    pub entry: Vec<Touch>,
    /// What each level does.
    pub levels: Vec<Vec<Touch>>,
    /// What the caller does after the run.
    pub exit: Vec<Touch>,
    /// The passes of each level, with the stages that each runs in.
    pub passes: Vec<Vec<(usize, Stages)>>,
    /// Explicit orders.
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

/// The caller may have touched, or may touch, any byte of its buffer.
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
