//! What a plan is: plain data that an executor follows from top to bottom.

use std::any::TypeId;
use std::fmt;
use std::sync::Arc;

use multisplit_shaders::{BindingAccess, BindingKind};

use crate::access::{Access, Scope, Stages};
use crate::limits::Limits;
use crate::pass::PassKernel;
use crate::resource::Buffer;

/// A compiled graph. An executor goes through [`steps`](Self::steps) in order (a barrier, where
/// there is one, then the pass) and ends with the [`exit`](Self::exit) barrier.
///
/// A plan is sealed: it can be read and not changed, so what the planner has proved of it holds.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) name: String,
    pub(crate) steps: Vec<Step>,
    pub(crate) exit: Option<Barrier>,
    pub(crate) buffers: Vec<PlannedBuffer>,
    pub(crate) workspace: Workspace,
    pub(crate) constants_size: u64,
    pub(crate) culled: Vec<String>,
    /// Labels of settable passes, culled passes included, and how many bytes each takes.
    pub(crate) settables: Vec<(String, u64)>,
    pub(crate) replayable: bool,
    pub(crate) limits: Limits,
    /// Of the graph, so that [`Plan::index_of`] notices a handle of another one.
    pub(crate) graph: u64,
}

/// One pass, and the barrier before it.
#[derive(Clone, Debug)]
pub struct Step {
    /// To be recorded before the pass, as one `vkCmdPipelineBarrier2`. Only the first pass of a
    /// level has one.
    pub barrier: Option<Barrier>,
    /// The pass.
    pub pass: PlannedPass,
}

/// A pass with everything resolved.
#[derive(Clone, Debug)]
pub struct PlannedPass {
    /// The dotted lower-case name.
    pub label: String,
    /// Passes of one level do not depend on each other.
    pub level: u32,
    /// What runs.
    pub work: Work,
    /// The kernel's bindings, ordered by set and binding number; empty for transfers.
    pub bindings: Vec<PlannedBinding>,
    /// Push constants; empty where the kernel has none.
    pub push: Vec<u8>,
    /// Specialization constants by `constant_id`, ordered by it.
    pub specialization: Vec<(u32, u32)>,
    /// The shader; `None` for transfers.
    pub kernel: Option<PassKernel>,
    /// Whether push constants, or what an update writes, may be given anew when the plan is recorded
    /// ([`Graph::settable`](crate::Graph::settable)).
    pub settable: bool,
    pub(crate) maker: Option<TypeId>,
}

impl PlannedPass {
    /// Whether the pass was declared with a value of `M`
    /// ([`PassBuilder::made_by`](crate::PassBuilder::made_by)).
    pub fn is_made_by<M: 'static>(&self) -> bool {
        self.maker == Some(TypeId::of::<M>())
    }
}

/// What a pass runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// `vkCmdDispatch`. Zero groups are legal and do nothing.
    Dispatch([u32; 3]),
    /// `vkCmdDispatchIndirect`.
    DispatchIndirect {
        /// Index into [`Plan::buffers`].
        buffer: usize,
        /// Byte offset in that buffer.
        offset: u64,
    },
    /// `vkCmdFillBuffer`.
    Fill {
        /// What is filled.
        view: PlannedView,
        /// With which word.
        value: u32,
    },
    /// `vkCmdCopyBuffer`: views of the same size.
    Copy {
        /// From where.
        src: PlannedView,
        /// To where.
        dst: PlannedView,
    },
    /// `vkCmdUpdateBuffer`.
    Update {
        /// What is written; as large as `bytes`.
        view: PlannedView,
        /// With which bytes.
        bytes: Vec<u8>,
    },
}

/// A range of bytes of a planned buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedView {
    /// Index into [`Plan::buffers`].
    pub buffer: usize,
    /// First byte in that buffer.
    pub offset: u64,
    /// Number of bytes.
    pub size: u64,
}

/// A buffer bound to a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedBinding {
    /// Descriptor set.
    pub set: u32,
    /// Binding number in the set.
    pub binding: u32,
    /// Storage or uniform buffer.
    pub kind: BindingKind,
    /// The kernel's name for it.
    pub name: String,
    /// Index into [`Plan::buffers`].
    pub buffer: usize,
    /// First byte in that buffer.
    pub offset: u64,
    /// Number of bytes.
    pub size: u64,
    /// What the kernel does with it.
    pub access: BindingAccess,
    /// The contents on entry do not matter.
    pub scratch: bool,
}

/// One `vkCmdPipelineBarrier2`, and why it is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Barrier {
    /// The memory barriers of the call.
    pub memory: Vec<MemoryBarrier>,
    /// What would go wrong without it: the dependencies that no earlier barrier covers.
    pub hazards: Vec<Hazard>,
}

/// A `VkMemoryBarrier2`. With empty access masks it orders execution only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemoryBarrier {
    /// The stages to wait for.
    pub src_stages: Stages,
    /// The writes to make available.
    pub src_access: Access,
    /// The stages that wait.
    pub dst_stages: Stages,
    /// The accesses that see those writes.
    pub dst_access: Access,
}

impl fmt::Display for MemoryBarrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (src, dst) = (
            Scope::new(self.src_stages, self.src_access),
            Scope::new(self.dst_stages, self.dst_access),
        );
        if self.src_access.is_empty() && self.dst_access.is_empty() {
            write!(f, "{} -> {} (execution only)", src.stages, dst.stages)
        } else {
            write!(f, "{src} -> {dst}")
        }
    }
}

/// A reason for a barrier: two accesses to the same bytes that must not overlap in time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hazard {
    /// What kind of dependency.
    pub kind: HazardKind,
    /// The two sides use different buffers, which share memory.
    pub aliased: bool,
    /// `from` belongs to the run before.
    pub replay: bool,
    /// The earlier side.
    pub from: HazardSide,
    /// The later side.
    pub to: HazardSide,
    /// The masks that this dependency alone needs.
    pub masks: MemoryBarrier,
}

/// What kind of dependency a [`Hazard`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HazardKind {
    /// A read needs the data of an earlier write.
    ReadAfterWrite,
    /// A write must not overtake an earlier read. Execution only.
    WriteAfterRead,
    /// A write must not be overtaken by an earlier one.
    WriteAfterWrite,
    /// The caller asked for this order. Execution only.
    Order,
    /// The first use of an import after the caller's.
    Entry,
    /// The caller's use of an import after the last one here.
    Exit,
}

impl HazardKind {
    /// `RAW`, `WAR`, `WAW`, `order`, `entry` or `exit`.
    pub fn short_name(self) -> &'static str {
        match self {
            Self::ReadAfterWrite => "RAW",
            Self::WriteAfterRead => "WAR",
            Self::WriteAfterWrite => "WAW",
            Self::Order => "order",
            Self::Entry => "entry",
            Self::Exit => "exit",
        }
    }
}

/// One side of a [`Hazard`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HazardSide {
    /// The label of the pass; `None` for the caller.
    pub pass: Option<String>,
    /// The index of its step into [`Plan::steps`]; `None` for the caller.
    pub step: Option<usize>,
    /// Index into [`Plan::buffers`]; `None` for an explicit order.
    pub buffer: Option<usize>,
    /// The bytes of that buffer; empty for an explicit order.
    pub bytes: ByteRange,
}

/// Bytes from `start` up to, and not including, `end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByteRange {
    /// First byte.
    pub start: u64,
    /// Past the last byte.
    pub end: u64,
}

impl ByteRange {
    /// The number of bytes.
    pub fn size(self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    pub(crate) fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }
}

/// A buffer as planned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedBuffer {
    /// Its name.
    pub name: String,
    /// Size in bytes.
    pub size: u64,
    /// Where its memory is.
    pub placement: BufferPlacement,
    /// First level that uses it; `None` where no live pass does.
    pub first_level: Option<u32>,
    /// Last level that uses it.
    pub last_level: Option<u32>,
}

/// Where a buffer's memory is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BufferPlacement {
    /// The caller's, bound at record time.
    Import(ImportContract),
    /// In the workspace, from this byte on; `None` where no live pass uses it.
    Transient {
        /// Byte offset in the workspace.
        offset: Option<u64>,
    },
    /// In the workspace, from this byte on, shared with nothing; `None` where no live pass uses it.
    Persistent {
        /// Byte offset in the workspace.
        offset: Option<u64>,
    },
    /// The executor's, who brings memory of [`Plan::constants_size`] bytes for all constants and writes
    /// it before the first run. Passes only read it.
    Constant {
        /// Byte offset in that memory; `None` where no live pass uses it.
        offset: Option<u64>,
        /// What it holds.
        contents: Arc<[u8]>,
    },
    /// The executor's: a word that passes set by atomics, and that nothing in the plan reads. It has
    /// no levels, since nothing waits for it.
    StatusWord,
}

/// What a caller and a plan owe each other about an import.
///
/// Where `entry` is `None`, the caller's barrier before the plan has `first_use` as its second
/// scope; where `exit` is `None`, its barrier after the plan has `last_use` as its first scope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportContract {
    /// What the caller said it did before; the plan synchronises with it.
    pub entry: Option<Scope>,
    /// What the caller said it will do after; the plan synchronises with it.
    pub exit: Option<Scope>,
    /// The accesses that come first; `None` where no live pass uses the import.
    pub first_use: Option<Scope>,
    /// The accesses that come last; `None` where no live pass uses the import.
    pub last_use: Option<Scope>,
}

/// The one piece of memory that a plan needs besides its imports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Workspace {
    /// Size in bytes; zero where the plan needs none.
    pub size: u64,
    /// What its address, as an offset into a buffer, has to be a multiple of.
    pub alignment: u64,
    /// What it would be if no two buffers shared memory.
    pub unaliased_size: u64,
}

/// Where some bytes of a planned buffer lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the caller's memory for the import with this index into [`Plan::buffers`].
    Import {
        /// Index into [`Plan::buffers`].
        buffer: usize,
        /// Byte offset in the import.
        offset: u64,
    },
    /// In the workspace.
    Workspace {
        /// Byte offset in the workspace.
        offset: u64,
    },
    /// In the executor's memory for constants.
    Constant {
        /// Byte offset in that memory.
        offset: u64,
    },
    /// In the executor's status word, with this index into [`Plan::buffers`].
    StatusWord {
        /// Index into [`Plan::buffers`].
        buffer: usize,
    },
}

impl PlannedBuffer {
    /// The byte in the workspace where it begins; `None` for a buffer that is not in the workspace, or
    /// that no live pass uses.
    pub fn workspace_offset(&self) -> Option<u64> {
        match self.placement {
            BufferPlacement::Import(_)
            | BufferPlacement::Constant { .. }
            | BufferPlacement::StatusWord => None,
            BufferPlacement::Transient { offset } | BufferPlacement::Persistent { offset } => {
                offset
            }
        }
    }

    /// The contract, where it is an import.
    pub fn contract(&self) -> Option<&ImportContract> {
        match &self.placement {
            BufferPlacement::Import(contract) => Some(contract),
            _ => None,
        }
    }
}

impl Plan {
    /// The graph's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The live passes in execution order: by level, then by declaration.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The barrier after the last pass, for imports with an exit scope.
    pub fn exit(&self) -> Option<&Barrier> {
        self.exit.as_ref()
    }

    /// Every declared buffer, in order of declaration; bindings refer to it by index.
    pub fn buffers(&self) -> &[PlannedBuffer] {
        &self.buffers
    }

    /// The memory that transient and persistent buffers lie in.
    pub fn workspace(&self) -> Workspace {
        self.workspace
    }

    /// Bytes of memory for constants; zero where the plan has none.
    pub fn constants_size(&self) -> u64 {
        self.constants_size
    }

    /// The constants that live passes use: where each begins in the memory for them, and what it holds.
    pub fn constants(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.buffers.iter().filter_map(|buffer| match &buffer.placement {
            BufferPlacement::Constant { offset, contents } => Some(((*offset)?, &**contents)),
            _ => None,
        })
    }

    /// Labels of the passes whose results nobody reads, in order of declaration.
    pub fn culled(&self) -> &[String] {
        &self.culled
    }

    /// Number of bytes that may be given for the settable passes with this label
    /// ([`Graph::settable`](crate::Graph::settable)), culled passes included. `None` if there is no such
    /// pass, or if several passes take different numbers of bytes.
    pub fn settable_bytes(&self, label: &str) -> Option<u64> {
        let mut sizes = self.settables.iter().filter(|(known, _)| known == label);
        let size = sizes.next()?.1;
        sizes.all(|(_, other)| *other == size).then_some(size)
    }

    /// Whether the barriers also cover a run against the next run of the same recording.
    pub fn is_replayable(&self) -> bool {
        self.replayable
    }

    /// The limits that it was compiled for.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The index into [`buffers`](Self::buffers) of a buffer of this plan's graph; `None` for a
    /// buffer of another graph.
    pub fn index_of(&self, buffer: Buffer) -> Option<usize> {
        (buffer.graph == self.graph && buffer.index < self.buffers.len()).then_some(buffer.index)
    }

    /// The imports, with their indices into [`buffers`](Self::buffers).
    pub fn imports(&self) -> impl Iterator<Item = (usize, &PlannedBuffer, &ImportContract)> {
        self.buffers
            .iter()
            .enumerate()
            .filter_map(|(index, buffer)| Some((index, buffer, buffer.contract()?)))
    }

    /// Whether a live pass sets the status word called `name`.
    pub fn sets_status_word(&self, name: &str) -> bool {
        let is_meant = |index: usize| {
            let buffer = self.buffers.get(index);
            buffer.is_some_and(|b| b.placement == BufferPlacement::StatusWord && b.name == name)
        };
        self.steps.iter().any(|step| step.pass.bindings.iter().any(|b| is_meant(b.buffer)))
    }

    /// The contract of the import called `name`.
    pub fn import(&self, name: &str) -> Option<&ImportContract> {
        self.imports().find(|(_, buffer, _)| buffer.name == name).map(|(_, _, contract)| contract)
    }

    /// Where byte `offset` of the buffer with this index lies; `None` where the index is wrong or
    /// no live pass uses the buffer.
    pub fn place(&self, buffer: usize, offset: u64) -> Option<Place> {
        let planned = self.buffers.get(buffer)?;
        match planned.placement {
            BufferPlacement::Import(_) => Some(Place::Import { buffer, offset }),
            BufferPlacement::StatusWord => Some(Place::StatusWord { buffer }),
            BufferPlacement::Constant { offset: base, .. } => {
                base.map(|base| Place::Constant { offset: base + offset })
            }
            _ => planned.workspace_offset().map(|base| Place::Workspace { offset: base + offset }),
        }
    }

    /// The barriers with the index of the step that each precedes; the exit barrier has the index
    /// `steps.len()`.
    pub fn barriers(&self) -> impl Iterator<Item = (usize, &Barrier)> {
        let exit = self.exit.as_ref().map(|barrier| (self.steps.len(), barrier));
        self.steps
            .iter()
            .enumerate()
            .filter_map(|(index, step)| Some((index, step.barrier.as_ref()?)))
            .chain(exit)
    }

    /// The number of levels.
    pub fn levels(&self) -> u32 {
        self.steps.last().map_or(0, |step| step.pass.level + 1)
    }

    /// A copy changed by `edit`, which may break it: for tests of whatever checks a plan.
    #[cfg(feature = "broken-plans")]
    #[doc(hidden)]
    #[must_use]
    pub fn broken_by(&self, edit: impl FnOnce(&mut BrokenPlan<'_>)) -> Self {
        let mut plan = self.clone();
        edit(&mut BrokenPlan {
            steps: &mut plan.steps,
            exit: &mut plan.exit,
            buffers: &mut plan.buffers,
            workspace: &mut plan.workspace,
            culled: &mut plan.culled,
            replayable: &mut plan.replayable,
        });
        plan
    }

    /// A copy without the barrier before step `step` (`steps().len()` for the exit barrier).
    #[cfg(feature = "broken-plans")]
    #[doc(hidden)]
    #[must_use]
    pub fn without_barrier(&self, step: usize) -> Self {
        self.broken_by(|plan| match plan.steps.get_mut(step) {
            Some(step) => step.barrier = None,
            None => *plan.exit = None,
        })
    }
}

/// What [`Plan::broken_by`] lets a test change.
#[cfg(feature = "broken-plans")]
#[doc(hidden)]
#[allow(missing_docs, reason = "the same as the accessors of a plan")]
pub struct BrokenPlan<'p> {
    pub steps: &'p mut Vec<Step>,
    pub exit: &'p mut Option<Barrier>,
    pub buffers: &'p mut Vec<PlannedBuffer>,
    pub workspace: &'p mut Workspace,
    pub culled: &'p mut Vec<String>,
    pub replayable: &'p mut bool,
}
