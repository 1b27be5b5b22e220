//! Buffer contracts: the requirements of a recording on the buffers that it is given, and its accesses to them.

use ash::vk;
use multisplit_graph::{self as graph, Plan, Scope};

use crate::device::Context;
use crate::execute::workspace;
use crate::execute::{Executable, ExecutableOptions};

/// Requirements of a recording on one buffer, and its accesses to the buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BufferContract {
    /// Name of the import.
    pub name: String,
    /// Minimum size in bytes.
    pub bytes: u64,
    /// Required alignment of the offset of the import.
    pub alignment: u64,
    /// Required usage flags.
    pub usage: vk::BufferUsageFlags,
    /// Accesses before the recording, as declared by the embedding program. The recording synchronizes with them.
    pub entry: Option<Scope>,
    /// Accesses after the recording, as declared by the embedding program. The recording synchronizes with them.
    pub exit: Option<Scope>,
    /// First access of the recording. `None` if it does not use the buffer. If `entry` is `None`, the embedding
    /// program must insert a barrier before the recording, with this as its second synchronization scope.
    pub first_use: Option<Scope>,
    /// Last access of the recording. `None` if it does not use the buffer. If `exit` is `None`, the embedding program
    /// must insert a barrier after the recording, with this as its first synchronization scope.
    pub last_use: Option<Scope>,
}

impl Context {
    /// Contracts of the imports of `plan`, in order of declaration, for an executable with these options. Does not
    /// create any objects.
    pub fn contracts(&self, plan: &Plan, options: ExecutableOptions) -> Vec<BufferContract> {
        let alignment = self.limits().heap_alignment();
        let one = |index| contract(plan, index, alignment, options.by_address);
        plan.imports().map(|(index, ..)| one(index)).collect()
    }
}

impl Executable {
    /// Contracts of all imports, in order of declaration.
    pub fn contracts(&self) -> Vec<BufferContract> {
        self.plan().imports().map(|(index, ..)| self.contract_at(index)).collect()
    }

    /// Contract of one import; `None` if the plan has no such import.
    pub fn contract(&self, import: graph::Buffer) -> Option<BufferContract> {
        let index = self.plan().index_of(import)?;
        self.plan().imports().find(|(other, ..)| *other == index)?;
        Some(self.contract_at(index))
    }

    fn contract_at(&self, index: usize) -> BufferContract {
        contract(self.plan(), index, self.offset_alignment(), self.is_by_address())
    }
}

fn contract(plan: &Plan, index: usize, alignment: u64, by_address: bool) -> BufferContract {
    let planned = &plan.buffers()[index];
    let contract = planned.contract().copied().unwrap_or_default();
    BufferContract {
        name: planned.name.clone(),
        bytes: planned.size,
        alignment,
        // Always includes shader usage, because Vulkan does not allow buffers without usage flags, and the plan may not
        // use this one.
        usage: workspace::usage(plan, by_address, |other| other == index)
            | workspace::shader_usage(by_address),
        entry: contract.entry,
        exit: contract.exit,
        first_use: contract.first_use,
        last_use: contract.last_use,
    }
}
