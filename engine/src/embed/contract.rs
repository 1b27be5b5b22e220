//! What a recording expects of each buffer that it is given, and does with it.

use ash::vk;
use multisplit_graph::{self as graph, Plan, Scope};

use crate::device::context::Context;
use crate::execute::executable::{Executable, ExecutableOptions};
use crate::execute::workspace;

/// What a recording expects of a buffer, and does with it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BufferContract {
    /// The import's name.
    pub name: String,
    /// Bytes that it has at least.
    pub bytes: u64,
    /// What its offset is a multiple of.
    pub alignment: u64,
    /// The usages that it was created with at least.
    pub usage: vk::BufferUsageFlags,
    /// What the engine said it did before: the recording synchronises with it.
    pub entry: Option<Scope>,
    /// What the engine said it does after: the recording synchronises with it.
    pub exit: Option<Scope>,
    /// What the recording does first with it. Where `entry` is `None`, the engine's barrier before
    /// has this as its second scope. `None` where it is not touched at all.
    pub first_use: Option<Scope>,
    /// What the recording does last with it. Where `exit` is `None`, the engine's barrier after has
    /// this as its first scope.
    pub last_use: Option<Scope>,
}

impl Context {
    /// What recordings of `plan`, instantiated with these options, would expect of each import, and
    /// do with it, in order of declaration. Nothing is made.
    pub fn contracts(&self, plan: &Plan, options: ExecutableOptions) -> Vec<BufferContract> {
        let alignment = self.limits().heap_alignment();
        let one = |index| contract(plan, index, alignment, options.by_address);
        plan.imports().map(|(index, ..)| one(index)).collect()
    }
}

impl Executable {
    /// What a recording expects of each import, and does with it, in order of declaration.
    pub fn contracts(&self) -> Vec<BufferContract> {
        self.plan().imports().map(|(index, ..)| self.contract_at(index)).collect()
    }

    /// What it expects of one of them; `None` where it has no such import.
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
        // Also of a buffer that is not touched: Vulkan has none of no use.
        usage: workspace::usage(plan, by_address, |other| other == index)
            | workspace::shader_usage(by_address),
        entry: contract.entry,
        exit: contract.exit,
        first_use: contract.first_use,
        last_use: contract.last_use,
    }
}
