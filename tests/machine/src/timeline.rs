//! The happens-before relation between passes, from the barriers of the plan.
//!
//! For each use of memory by a pass, this tracks the stages that wait for it and the accesses to
//! which its writes are visible, by Vulkan's rules for execution and memory dependencies.

use multisplit_graph::{Access, Barrier, MemoryBarrier, Stages};

use crate::memory::Record;

/// A use of memory by a pass, and the effect of all later barriers on it.
#[derive(Clone, Debug)]
struct Use {
    stage: Stages,
    write: Access,
    /// Stages of later passes that wait for this use.
    waits: Stages,
    /// Stages of later passes that run after this write was made available.
    available: Stages,
    /// Stages and accesses of later passes to which this write is visible.
    visible: Vec<(Stages, Access)>,
}

impl Use {
    fn new(stage: Stages, write: Access) -> Self {
        let (waits, available) = (Stages::empty(), Stages::empty());
        Self { stage, write, waits, available, visible: Vec::new() }
    }

    /// Applies a barrier command. Its barriers act independently, not one after another.
    fn pass_barrier(&mut self, call: &[MemoryBarrier]) {
        let before = self.clone();
        for barrier in call {
            let (src, dst) = (stages(barrier.src_stages), stages(barrier.dst_stages));
            let own = src.contains(before.stage);
            if !own && !src.intersects(before.waits) {
                continue;
            }
            self.waits |= dst;
            let makes = own && accesses(barrier.src_access).contains(before.write);
            if !before.write.is_empty() && (makes || src.intersects(before.available)) {
                self.available |= dst;
                let seen = (dst, accesses(barrier.dst_access));
                if !self.visible.contains(&seen) {
                    self.visible.push(seen);
                }
            }
        }
    }

    fn comes_before(&self, stage: Stages, access: Access) -> bool {
        if self.write.is_empty() {
            return self.waits.contains(stage);
        }
        // A later write requires that the earlier write is available, but not that it is visible.
        let overwrites = !access.writes().is_empty() && self.available.contains(stage);
        overwrites || self.visible.iter().any(|(s, a)| s.contains(stage) && a.contains(access))
    }
}

/// Expands combined stages to the stages they contain.
fn stages(stages: Stages) -> Stages {
    let graphics = Stages::DRAW_INDIRECT
        | Stages::VERTEX_INPUT
        | Stages::VERTEX_SHADER
        | Stages::FRAGMENT_SHADER;
    let mut all = stages;
    if stages.contains(Stages::ALL_GRAPHICS) {
        all |= graphics;
    }
    if stages.contains(Stages::ALL_COMMANDS) {
        all |= graphics | Stages::COMPUTE_SHADER | Stages::TRANSFER;
    }
    all
}

/// Expands combined accesses to the accesses they contain.
fn accesses(access: Access) -> Access {
    let mut all = access;
    if access.contains(Access::MEMORY_READ) {
        all |= Access::all().reads();
    }
    if access.contains(Access::MEMORY_WRITE) {
        all |= Access::all().writes();
    }
    all
}

/// Kinds of memory access of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Shader,
    Transfer,
    Indirect,
}

impl Stage {
    fn bits(self, write: bool) -> (Stages, Access) {
        match (self, write) {
            (Self::Shader, false) => (Stages::COMPUTE_SHADER, Access::SHADER_STORAGE_READ),
            (Self::Shader, true) => (Stages::COMPUTE_SHADER, Access::SHADER_STORAGE_WRITE),
            (Self::Transfer, false) => (Stages::TRANSFER, Access::TRANSFER_READ),
            (Self::Transfer, true) => (Stages::TRANSFER, Access::TRANSFER_WRITE),
            (Self::Indirect, _) => (Stages::DRAW_INDIRECT, Access::INDIRECT_COMMAND_READ),
        }
    }
}

/// The uses of memory by each pass: its reads, its writes, and the read of indirect arguments.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    /// `None` for passes that the host has waited for.
    passes: Vec<Option<[Use; 3]>>,
    /// The host has waited for all passes before this index.
    open: usize,
}

impl Timeline {
    /// Begins a pass. Index 0 is reserved for "no pass".
    pub fn begin(&mut self, transfer: bool) -> u32 {
        if self.passes.is_empty() {
            self.passes.push(None);
        }
        let stage = if transfer { Stage::Transfer } else { Stage::Shader };
        let read = Use::new(stage.bits(false).0, Access::empty());
        let write = Use::new(stage.bits(true).0, stage.bits(true).1);
        let indirect = Use::new(Stages::DRAW_INDIRECT, Access::empty());
        self.passes.push(Some([read, write, indirect]));
        self.passes.len() as u32 - 1
    }

    pub fn barrier(&mut self, barrier: &Barrier) {
        for uses in self.passes.iter_mut().skip(self.open).flatten() {
            for one in uses {
                one.pass_barrier(&barrier.memory);
            }
        }
    }

    /// The host waits for all passes so far.
    pub fn wait(&mut self) {
        for uses in &mut self.passes {
            *uses = None;
        }
        self.open = self.passes.len();
    }

    /// Whether the barriers so far order a new access of the current pass after `old`, an access of
    /// an earlier pass.
    pub fn after(&self, old: &Record, stage: Stage, write: bool) -> bool {
        let Some(Some([read, written, indirect])) = self.passes.get(old.pass as usize) else {
            return true;
        };
        let old = match (old.mode.write, old.mode.fixed && read.stage == Stages::COMPUTE_SHADER) {
            (true, _) => written,
            (false, true) => indirect,
            (false, false) => read,
        };
        let (stage, access) = stage.bits(write);
        old.comes_before(stage, access)
    }
}
