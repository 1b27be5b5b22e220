//! Checks that every invocation of a workgroup reaches every barrier, and every lane of a subgroup every
//! `subgroupBarrier()`.
//!
//! This conservative analysis collects everything that may vary between the invocations of a workgroup or subgroup:
//! values, the contents of variables, and blocks that only some invocations execute. It starts with the variables that
//! may differ initially, and adds to the set until a fixed point is reached. A value is uniform if it is computed from
//! constants, push constants, gl_WorkGroupID and gl_NumWorkGroups, including via variables that are written in uniform
//! control flow. For subgroups, gl_SubgroupID, gl_NumSubgroups, gl_SubgroupSize and subgroup operations with a uniform
//! result are uniform too.

use std::collections::{HashMap, HashSet};

use rspirv::dr::{Function, Instruction, Module, Operand};
use rspirv::spirv::{BuiltIn, Decoration, Op, Scope, StorageClass, Word};

use super::error::CheckError;
use super::flow::Flow;
use super::instructions;
use crate::spirv::ids::{Ids, function_id, id_operands, literal, operand};

/// Rejects barriers that part of the workgroup may not reach, and subgroup barriers that part of the subgroup
/// may not reach.
pub(super) fn check_barriers(module: &Module, ids: &Ids) -> Result<(), CheckError> {
    check_barriers_in(Group::Workgroup, module, ids)?;
    check_barriers_in(Group::Subgroup, module, ids)
}

/// The invocations that a barrier waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    Workgroup,
    Subgroup,
}

const SUBGROUP_BARRIER: &str = "subgroupBarrier()";

fn check_barriers_in(group: Group, module: &Module, ids: &Ids) -> Result<(), CheckError> {
    let barrier = |instruction| {
        let is_of_group =
            |barrier: &&str| (*barrier == SUBGROUP_BARRIER) == (group == Group::Subgroup);
        barrier(instruction, ids).filter(is_of_group)
    };
    let all = module.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.instructions);
    if !all.into_iter().any(|i| barrier(i).is_some()) {
        return Ok(());
    }
    let mut varying = Varying::new(group, module, ids)?;
    while varying.grow() {}
    for (function, flow) in module.functions.iter().zip(&varying.flows) {
        for (place, block) in function.blocks.iter().enumerate() {
            for instruction in &block.instructions {
                if let Some(barrier) = barrier(instruction)
                    && varying.is_varying_block(flow, place)
                {
                    let function = ids.name(flow.id);
                    return Err(match group {
                        Group::Workgroup => CheckError::Barrier { function, barrier },
                        Group::Subgroup => CheckError::SubgroupBarrier { function },
                    });
                }
            }
        }
    }
    Ok(())
}

/// Returns the name of the barrier, if the instruction is one. This includes memory barriers of wider scope than a
/// subgroup, and atomics that order other accesses: a software driver makes all of them wait for the workgroup.
fn barrier(instruction: &Instruction, ids: &Ids) -> Option<&'static str> {
    let id = |at: usize| operand(instruction, at);
    let constant = |at: usize| id(at).and_then(|id| ids.constant(id));
    match instruction.class.opcode {
        Op::ControlBarrier if constant(0) == Some(Scope::Subgroup as u64) => Some(SUBGROUP_BARRIER),
        Op::ControlBarrier => Some("barrier()"),
        Op::MemoryBarrier => {
            let narrow = [Scope::Subgroup, Scope::Invocation].map(|s| Some(s as u64));
            (!narrow.contains(&constant(0))).then_some("a memory barrier")
        }
        op if instructions::is_atomic(op) => {
            let orders = instruction
                .operands
                .iter()
                .filter(|o| matches!(o, Operand::IdMemorySemantics(_)))
                .filter_map(Operand::id_ref_any)
                .any(|id| ids.constant(id) != Some(0));
            orders.then_some("an atomic operation that orders memory")
        }
        _ => None,
    }
}

/// Control flow of one function.
struct FunctionFlow {
    id: Word,
    flow: Flow,
    dependences: Vec<Option<Vec<usize>>>,
    /// The value that each block branches on.
    conditions: Vec<Option<Word>>,
}

/// The values, variables and control flow that may differ between the invocations of a group.
struct Varying<'m> {
    group: Group,
    module: &'m Module,
    ids: &'m Ids,
    flows: Vec<FunctionFlow>,
    /// For each pointer, the variable that it points into. The arguments passed to one parameter are merged, as if they
    /// pointed into the same variable.
    roots: HashMap<Word, Word>,
    /// Values that may differ.
    values: HashSet<Word>,
    /// Variables whose contents may differ.
    memory: HashSet<Word>,
    /// Functions that only some invocations may call.
    functions: HashSet<Word>,
    /// Functions whose result may differ.
    returns: HashSet<Word>,
    /// Blocks that only some invocations may execute, as pairs of function and block index.
    blocks: HashSet<(Word, usize)>,
    /// The parameters of each function.
    parameters: HashMap<Word, Vec<Word>>,
}

impl<'m> Varying<'m> {
    fn new(group: Group, module: &'m Module, ids: &'m Ids) -> Result<Self, CheckError> {
        let mut flows = Vec::new();
        let mut parameters = HashMap::new();
        for function in &module.functions {
            let id = function_id(function).unwrap_or(0);
            let flow = Flow::new(function)?;
            let dependences = flow.dependences();
            let conditions = function.blocks.iter().map(|b| condition(b.instructions.last()));
            let conditions = conditions.collect();
            flows.push(FunctionFlow { id, flow, dependences, conditions });
            let own = function.parameters.iter().filter_map(|p| p.result_id).collect();
            parameters.insert(id, own);
        }
        let mut this = Self {
            group,
            module,
            ids,
            flows,
            roots: HashMap::new(),
            values: HashSet::new(),
            memory: HashSet::new(),
            functions: HashSet::new(),
            returns: HashSet::new(),
            blocks: HashSet::new(),
            parameters,
        };
        this.find_roots();
        let variables = module.types_global_values.iter();
        for variable in variables.filter(|i| i.class.opcode == Op::Variable) {
            if let Some(id) = variable.result_id
                && !this.is_same_for_all(id)
            {
                let root = this.root(id);
                this.memory.insert(root);
            }
        }
        Ok(this)
    }

    /// Whether a module-scope variable initially has the same value in all invocations.
    fn is_same_for_all(&self, id: Word) -> bool {
        match self.ids.pointer(id).map(|(class, _)| class) {
            Some(StorageClass::PushConstant | StorageClass::Private) => true,
            Some(StorageClass::Input) => {
                let builtin = literal(self.ids.decoration(id, Decoration::BuiltIn));
                let of_workgroup = [BuiltIn::WorkgroupId, BuiltIn::NumWorkgroups];
                let of_subgroup =
                    [BuiltIn::SubgroupId, BuiltIn::NumSubgroups, BuiltIn::SubgroupSize];
                let is_one = |b: BuiltIn| builtin == Some(b as u32);
                of_workgroup.into_iter().any(is_one)
                    || self.group == Group::Subgroup && of_subgroup.into_iter().any(is_one)
            }
            _ => false,
        }
    }

    /// Finds the variable that each pointer points into. Access chains have the variable of their base. A parameter
    /// shares the variables of its arguments.
    fn find_roots(&mut self) {
        let functions: Vec<&Function> = self.module.functions.iter().collect();
        for function in &functions {
            for instruction in function.blocks.iter().flat_map(|b| &b.instructions) {
                let base = operand(instruction, 0);
                if matches!(instruction.class.opcode, Op::AccessChain | Op::InBoundsAccessChain)
                    && let (Some(id), Some(base)) = (instruction.result_id, base)
                {
                    self.join(id, base);
                }
                if instruction.class.opcode == Op::FunctionCall {
                    for (argument, parameter) in self.arguments(instruction) {
                        if self.ids.pointer(argument).is_some() {
                            self.join(parameter, argument);
                        }
                    }
                }
            }
        }
    }

    /// Records that two pointers may point into the same variable.
    fn join(&mut self, a: Word, b: Word) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            self.roots.insert(a, b);
        }
    }

    fn root(&self, pointer: Word) -> Word {
        let mut at = pointer;
        while let Some(up) = self.roots.get(&at) {
            at = *up;
        }
        at
    }

    /// The arguments of a call, each with the parameter of the called function.
    fn arguments(&self, call: &Instruction) -> Vec<(Word, Word)> {
        let mut ids = id_operands(call);
        let Some(parameters) = ids.next().and_then(|f| self.parameters.get(&f)) else {
            return Vec::new();
        };
        ids.zip(parameters.iter().copied()).collect()
    }

    fn is_varying_block(&self, function: &FunctionFlow, place: usize) -> bool {
        self.functions.contains(&function.id) || self.blocks.contains(&(function.id, place))
    }

    /// Visits the module once. Returns whether anything was added to the set.
    fn grow(&mut self) -> bool {
        let before = self.size();
        for at in 0..self.flows.len() {
            self.grow_blocks(at);
            let function = &self.module.functions[at];
            for (place, block) in function.blocks.iter().enumerate() {
                let varying = self.is_varying_block(&self.flows[at], place);
                for instruction in &block.instructions {
                    self.grow_instruction(at, varying, instruction);
                }
            }
        }
        self.size() > before
    }

    fn size(&self) -> usize {
        let (values, memory) = (self.values.len(), self.memory.len());
        values + memory + self.functions.len() + self.returns.len() + self.blocks.len()
    }

    fn grow_blocks(&mut self, at: usize) {
        let function = &self.flows[at];
        let mut found = Vec::new();
        for (place, dependences) in function.dependences.iter().enumerate() {
            let by = |&on: &usize| {
                self.blocks.contains(&(function.id, on))
                    || function.conditions[on].is_some_and(|c| self.values.contains(&c))
            };
            if dependences.as_ref().is_none_or(|list| list.iter().any(by)) {
                found.push((function.id, place));
            }
        }
        self.blocks.extend(found);
    }

    fn grow_instruction(&mut self, at: usize, varying_block: bool, instruction: &Instruction) {
        let function = self.flows[at].id;
        let ids: Vec<Word> = id_operands(instruction).collect();
        let any = ids.iter().any(|id| self.values.contains(id));
        let first = ids.first().copied().unwrap_or(0);
        let op = instruction.class.opcode;
        let varies = varying_block
            || match op {
                Op::Load => any || self.memory.contains(&self.root(first)),
                Op::FunctionCall => self.returns.contains(&first),
                Op::Phi => any || self.comes_from_varying_block(at, &ids),
                _ if self.group == Group::Subgroup
                    && instructions::is_same_in_subgroup(instruction) =>
                {
                    false
                }
                _ => any || instructions::is_atomic(op) || instructions::is_group(op),
            };
        match op {
            Op::Store if varies => {
                let root = self.root(first);
                self.memory.insert(root);
            }
            Op::ReturnValue if varies => {
                self.returns.insert(function);
            }
            Op::FunctionCall => {
                if varying_block {
                    self.functions.insert(first);
                }
                for (argument, parameter) in self.arguments(instruction) {
                    let pointer = self.ids.pointer(argument).is_some();
                    if self.values.contains(&argument) || (varying_block && !pointer) {
                        self.values.insert(parameter);
                    }
                }
            }
            _ => {}
        }
        if varies {
            let written = instructions::written_by(instruction).map(|pointer| self.root(pointer));
            self.memory.extend(written);
            self.values.extend(instruction.result_id);
        }
    }

    fn comes_from_varying_block(&self, at: usize, ids: &[Word]) -> bool {
        let function = &self.flows[at];
        ids.chunks(2)
            .filter_map(|pair| function.flow.place(*pair.get(1)?))
            .any(|place| self.is_varying_block(function, place))
    }
}

/// The value that the last instruction of a block branches on; `None` if it is not a conditional branch.
fn condition(last: Option<&Instruction>) -> Option<Word> {
    let last = last?;
    matches!(last.class.opcode, Op::BranchConditional | Op::Switch).then(|| operand(last, 0))?
}
