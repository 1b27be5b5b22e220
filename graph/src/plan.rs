//! Plans: plain data that an executor processes in order.

use std::any::TypeId;
use std::sync::Arc;

use multisplit_shaders::{BindingAccess, BindingKind};

use crate::access::Scope;
use crate::limits::Limits;
use crate::pass::PassKernel;
use crate::resource::Buffer;
use crate::sync::Barrier;

/// A compiled graph. An executor processes [`steps`](Self::steps) in order, each with an optional
/// barrier followed by a pass, and ends with the [`exit`](Self::exit) barrier.
///
/// A plan is read-only, so the guarantees of the planner cannot be invalidated later.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) name: String,
    pub(crate) steps: Vec<Step>,
    pub(crate) exit: Option<Barrier>,
    pub(crate) buffers: Vec<PlannedBuffer>,
    pub(crate) workspace: Workspace,
    pub(crate) constants_size: u64,
    pub(crate) state_size: u64,
    pub(crate) culled: Vec<String>,
    /// Label of each settable pass, and the size in bytes of its data. Includes culled passes.
    pub(crate) settables: Vec<(String, u64)>,
    pub(crate) replayable: bool,
    pub(crate) variant: Option<u32>,
    pub(crate) limits: Limits,
    /// Identifier of the graph. [`Plan::index_of`] uses it to reject handles of other graphs.
    pub(crate) graph: u64,
}

/// A pass and the barrier before it.
#[derive(Clone, Debug)]
pub struct Step {
    /// The barrier to record before the pass, as one `vkCmdPipelineBarrier2`. Only the first pass
    /// of a level can have one.
    pub barrier: Option<Barrier>,
    /// The pass.
    pub pass: PlannedPass,
}

/// A pass whose bindings, sizes and workgroup counts are resolved.
#[derive(Clone, Debug)]
pub struct PlannedPass {
    /// The declared label.
    pub label: String,
    /// The level. Passes of one level do not depend on each other.
    pub level: u32,
    /// The command to record.
    pub work: Work,
    /// The kernel's bindings, ordered by set and binding number; empty for transfers.
    pub bindings: Vec<PlannedBinding>,
    /// Push constants; empty if the kernel does not use any.
    pub push: Vec<u8>,
    /// Specialization constants as pairs of `constant_id` and value, sorted by `constant_id`.
    pub specialization: Vec<(u32, u32)>,
    /// The shader; `None` for transfers.
    pub kernel: Option<PassKernel>,
    /// Whether the push constants, or the bytes of an update, may be replaced each time the plan
    /// is recorded ([`Graph::settable`](crate::Graph::settable)).
    pub settable: bool,
    pub(crate) maker: Option<TypeId>,
}

impl PlannedPass {
    /// Whether the pass is tagged with the marker type `M`
    /// ([`PassBuilder::made_by`](crate::PassBuilder::made_by)).
    pub fn is_made_by<M: 'static>(&self) -> bool {
        self.maker == Some(TypeId::of::<M>())
    }
}

/// The command of a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// `vkCmdDispatch` with workgroup counts in x, y and z. A count of zero is a no-op.
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
        /// The destination.
        view: PlannedView,
        /// The 32-bit word to fill with.
        value: u32,
    },
    /// `vkCmdCopyBuffer`: views of the same size.
    Copy {
        /// The source.
        src: PlannedView,
        /// The destination.
        dst: PlannedView,
    },
    /// `vkCmdUpdateBuffer`.
    Update {
        /// The destination; its size is the length of `bytes`.
        view: PlannedView,
        /// The bytes to write.
        bytes: Vec<u8>,
    },
}

/// A byte range of a planned buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedView {
    /// Index into [`Plan::buffers`].
    pub buffer: usize,
    /// Byte offset in that buffer.
    pub offset: u64,
    /// Size in bytes.
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
    /// Name of the binding in the kernel.
    pub name: String,
    /// Index into [`Plan::buffers`].
    pub buffer: usize,
    /// Byte offset in that buffer.
    pub offset: u64,
    /// Size in bytes.
    pub size: u64,
    /// Whether the kernel reads the buffer, writes it, or both.
    pub access: BindingAccess,
    /// Whether the kernel writes every byte before it reads it, so that the previous contents are
    /// irrelevant.
    pub scratch: bool,
}

/// A buffer with its placement and lifetime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedBuffer {
    /// The declared name.
    pub name: String,
    /// Size in bytes.
    pub size: u64,
    /// The memory of the buffer.
    pub placement: BufferPlacement,
    /// First level that uses the buffer; `None` if no live pass does.
    pub first_level: Option<u32>,
    /// Last level that uses the buffer; `None` if no live pass does.
    pub last_level: Option<u32>,
}

/// The memory that holds a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BufferPlacement {
    /// Memory that the caller provides when recording.
    Import(ImportContract),
    /// Workspace memory that other transients may share.
    Transient {
        /// Byte offset in the workspace; `None` if no live pass uses the buffer.
        offset: Option<u64>,
    },
    /// Workspace memory that is never shared.
    Persistent {
        /// Byte offset in the workspace; `None` if no live pass uses the buffer.
        offset: Option<u64>,
    },
    /// State memory. The executor allocates [`Plan::state_size`] bytes for each frame in flight and
    /// sets them to zero before the first run.
    State {
        /// Byte offset in the state memory; `None` if no live pass uses the buffer.
        offset: Option<u64>,
    },
    /// Constant memory. The executor allocates [`Plan::constants_size`] bytes for all constants
    /// and writes them before the first run. Passes only read it.
    Constant {
        /// Byte offset in the constant memory; `None` if no live pass uses the buffer.
        offset: Option<u64>,
        /// The bytes of the constant.
        contents: Arc<[u8]>,
    },
    /// A 32-bit word that the executor allocates and passes set with atomics. Passes never read
    /// or wait for it, so its `first_level` and `last_level` are `None`.
    StatusWord,
}

/// Synchronization of an import between the caller and the plan.
///
/// If `entry` is `None`, the caller must record a barrier before the plan, with `first_use` as its
/// second scope. If `exit` is `None`, the caller must record a barrier after the plan, with
/// `last_use` as its first scope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportContract {
    /// The caller's declared accesses before a run, with which the plan synchronises.
    pub entry: Option<Scope>,
    /// The caller's declared accesses after a run, with which the plan synchronises.
    pub exit: Option<Scope>,
    /// The first accesses of the plan; `None` if no live pass uses the import.
    pub first_use: Option<Scope>,
    /// The last accesses of the plan; `None` if no live pass uses the import.
    pub last_use: Option<Scope>,
}

/// The memory for transient and persistent buffers, as a single allocation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Workspace {
    /// Size in bytes; 0 if the plan does not use a workspace.
    pub size: u64,
    /// Required alignment of the workspace's offset in its Vulkan buffer, in bytes.
    pub alignment: u64,
    /// Size in bytes if buffers did not share memory.
    pub unaliased_size: u64,
}

/// The memory location of a byte of a planned buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In an import.
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
    /// In the constant memory.
    Constant {
        /// Byte offset in the constant memory.
        offset: u64,
    },
    /// In the state memory.
    State {
        /// Byte offset in the state memory.
        offset: u64,
    },
    /// In a status word.
    StatusWord {
        /// Index into [`Plan::buffers`].
        buffer: usize,
    },
}

impl PlannedBuffer {
    /// Byte offset in the workspace; `None` if the buffer is not in the workspace or no live pass
    /// uses it.
    pub fn workspace_offset(&self) -> Option<u64> {
        match self.placement {
            BufferPlacement::Import(_)
            | BufferPlacement::State { .. }
            | BufferPlacement::Constant { .. }
            | BufferPlacement::StatusWord => None,
            BufferPlacement::Transient { offset } | BufferPlacement::Persistent { offset } => {
                offset
            }
        }
    }

    /// The import contract; `None` if the buffer is not an import.
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

    /// The live passes in execution order, sorted by level and then by declaration.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The barrier after the last pass, for imports with an exit scope.
    pub fn exit(&self) -> Option<&Barrier> {
        self.exit.as_ref()
    }

    /// All declared buffers in order of declaration. Bindings and views refer to them by index.
    pub fn buffers(&self) -> &[PlannedBuffer] {
        &self.buffers
    }

    /// Size and alignment of the memory for transient and persistent buffers.
    pub fn workspace(&self) -> Workspace {
        self.workspace
    }

    /// Size of the constant memory in bytes; 0 if no live pass uses a constant.
    pub fn constants_size(&self) -> u64 {
        self.constants_size
    }

    /// Size of the state memory in bytes; 0 if no live pass uses state.
    pub fn state_size(&self) -> u64 {
        self.state_size
    }

    /// The constants that live passes use, as pairs of offset in the constant memory and contents.
    pub fn constants(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.buffers.iter().filter_map(|buffer| match &buffer.placement {
            BufferPlacement::Constant { offset, contents } => Some(((*offset)?, &**contents)),
            _ => None,
        })
    }

    /// Labels of the culled passes, in order of declaration. They affect no live pass, import or
    /// persistent buffer.
    pub fn culled(&self) -> &[String] {
        &self.culled
    }

    /// Size in bytes of the data that a caller may set for the passes with this label
    /// ([`Graph::settable`](crate::Graph::settable)), including culled passes. `None` if there is
    /// no such pass, or if several passes with this label take different sizes.
    pub fn settable_bytes(&self, label: &str) -> Option<u64> {
        let mut sizes = self.settables.iter().filter(|(known, _)| known == label);
        let size = sizes.next()?.1;
        sizes.all(|(_, other)| *other == size).then_some(size)
    }

    /// Whether the barriers also cover the hazards between consecutive runs of one recording.
    pub fn is_replayable(&self) -> bool {
        self.replayable
    }

    /// The lowest variant that was declared for passes of the graph
    /// ([`Graph::planned_in`](crate::Graph::planned_in)); `None` if none was declared.
    pub fn variant(&self) -> Option<u32> {
        self.variant
    }

    /// The limits that the plan was compiled for.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The index of a buffer into [`buffers`](Self::buffers); `None` if the buffer belongs to
    /// another graph.
    pub fn index_of(&self, buffer: Buffer) -> Option<usize> {
        (buffer.graph == self.graph && buffer.index < self.buffers.len()).then_some(buffer.index)
    }

    /// The imports, with their indices into [`buffers`](Self::buffers) and their contracts.
    pub fn imports(&self) -> impl Iterator<Item = (usize, &PlannedBuffer, &ImportContract)> {
        self.buffers
            .iter()
            .enumerate()
            .filter_map(|(index, buffer)| Some((index, buffer, buffer.contract()?)))
    }

    /// Whether a live pass sets the status word called `name`.
    pub fn sets_status_word(&self, name: &str) -> bool {
        let is_this_word = |index: usize| {
            let buffer = self.buffers.get(index);
            buffer.is_some_and(|b| b.placement == BufferPlacement::StatusWord && b.name == name)
        };
        self.steps.iter().any(|step| step.pass.bindings.iter().any(|b| is_this_word(b.buffer)))
    }

    /// The contract of the import called `name`; `None` if there is no such import.
    pub fn import(&self, name: &str) -> Option<&ImportContract> {
        self.imports().find(|(_, buffer, _)| buffer.name == name).map(|(_, _, contract)| contract)
    }

    /// The memory location of byte `offset` of the buffer with index `buffer`; `None` if the index
    /// is out of range, or if the buffer is not placed because no live pass uses it.
    pub fn place(&self, buffer: usize, offset: u64) -> Option<Place> {
        let planned = self.buffers.get(buffer)?;
        match planned.placement {
            BufferPlacement::Import(_) => Some(Place::Import { buffer, offset }),
            BufferPlacement::StatusWord => Some(Place::StatusWord { buffer }),
            BufferPlacement::Constant { offset: base, .. } => {
                base.map(|base| Place::Constant { offset: base + offset })
            }
            BufferPlacement::State { offset: base } => {
                base.map(|base| Place::State { offset: base + offset })
            }
            _ => planned.workspace_offset().map(|base| Place::Workspace { offset: base + offset }),
        }
    }

    /// All barriers, each with the index of the step that follows it. The exit barrier has the
    /// index `steps().len()`.
    pub fn barriers(&self) -> impl Iterator<Item = (usize, &Barrier)> {
        let exit = self.exit.as_ref().map(|barrier| (self.steps.len(), barrier));
        self.steps
            .iter()
            .enumerate()
            .filter_map(|(index, step)| Some((index, step.barrier.as_ref()?)))
            .chain(exit)
    }

    /// Number of levels.
    pub fn levels(&self) -> u32 {
        self.steps.last().map_or(0, |step| step.pass.level + 1)
    }

    /// Returns a copy that `edit` has modified, to test code that must detect invalid plans.
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

    /// Returns a copy without the barrier before step `step`. If `step` is `steps().len()`, the
    /// exit barrier is removed.
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

/// The parts of a plan that [`Plan::broken_by`] can modify.
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
