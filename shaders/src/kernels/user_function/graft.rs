//! Replaces a function of a kernel by a checked user function with the same name. The kernel's module is called the
//! host.

use std::collections::{HashMap, HashSet};

use rspirv::dr::{Function, Instruction, Operand};
use rspirv::spirv::{Capability, Decoration, Op, StorageClass, Word};

use super::role::UserFunction;
use crate::spirv::check::error::invalid;
use crate::spirv::check::{CheckError, globals, ids, load};
use crate::spirv::editor::{Editor, plain};
use crate::spirv::ids::{Shape, function_id, is_variable, operand};

/// Returns the module `host`, with its function of the same name replaced by `function` of the module `user`. `order`
/// contains the function and its callees.
pub(super) fn graft(
    host: &[u32],
    user: &Editor,
    function: Word,
    order: &[Word],
) -> Result<Vec<u32>, CheckError> {
    let (module, _) = load(host, None)?;
    let ids = ids::index(&module)?;
    let host = Editor::new(module, ids);
    let mut graft = Graft { host, user, function, map: HashMap::new() };
    let replaced = graft.remove(user.ids.full_name(function))?;
    let replaced_def = replaced.def.as_ref();
    graft.map.extend(replaced_def.and_then(|d| d.result_id).map(|id| (function, id)));
    let wanted: HashSet<Word> = order.iter().copied().collect();
    let functions = user.module.functions.iter();
    let functions: Vec<&Function> =
        functions.filter(|f| function_id(f).is_some_and(|id| wanted.contains(&id))).collect();
    for new in &functions {
        for instruction in new.all_inst_iter() {
            if let Some(id) = instruction.result_id {
                let fresh = graft.host.fresh();
                graft.map.entry(id).or_insert(fresh);
            }
        }
    }
    for new in functions {
        let copy = graft.function(new)?;
        let id = function_id(&copy);
        let same_type = |a: Option<&Instruction>, b: Option<&Instruction>| {
            a.and_then(|d| d.operands.get(1)) == b.and_then(|d| d.operands.get(1))
        };
        if id == replaced_def.and_then(|d| d.result_id)
            && !same_type(copy.def.as_ref(), replaced_def)
        {
            return Err(invalid("the function's type differs from that of the call in the kernel"));
        }
        graft.host.module.functions.push(copy);
    }
    graft.copy_precision_decorations();
    graft.copy_capabilities();
    Ok(graft.host.finish())
}

struct Graft<'u> {
    host: Editor,
    user: &'u Editor,
    function: Word,
    /// Maps ids of the user's module to ids of the host.
    map: HashMap<Word, Word>,
}

impl Graft<'_> {
    /// Removes a function from the host, with the names and decorations of the ids in its body.
    fn remove(&mut self, name: &str) -> Result<Function, CheckError> {
        let ids = &self.host.ids;
        let functions = &mut self.host.module.functions;
        let is_it = |f: &Function| function_id(f).is_some_and(|id| ids.full_name(id) == name);
        let at = functions.iter().position(is_it);
        let at = at.ok_or_else(|| invalid("the kernel has no function of this name to replace"))?;
        let function = functions.remove(at);
        let own = function_id(&function);
        let gone: HashSet<Word> = function
            .all_inst_iter()
            .filter_map(|i| i.result_id)
            .filter(|i| Some(*i) != own)
            .collect();
        let stays = |i: &Instruction| !operand(i, 0).is_some_and(|id| gone.contains(&id));
        self.host.module.debug_names.retain(stays);
        self.host.module.annotations.retain(stays);
        Ok(function)
    }

    fn function(&mut self, function: &Function) -> Result<Function, CheckError> {
        let mut copy = function.clone();
        for instruction in copy.all_inst_iter_mut() {
            self.instruction(instruction)?;
        }
        Ok(copy)
    }

    fn instruction(&mut self, instruction: &mut Instruction) -> Result<(), CheckError> {
        let chain = matches!(instruction.class.opcode, Op::AccessChain | Op::InBoundsAccessChain);
        let base = operand(instruction, 0);
        let push = base.filter(|id| chain && self.is_variable(*id, StorageClass::PushConstant));
        if let (Some(push), Some(member)) = (push, instruction.operands.get_mut(1)) {
            // The member may have another index in the push-constant block of the kernel, which has more members.
            let place = member.id_ref_any().and_then(|id| self.user.ids.constant(id));
            let place = self.push_member(push, place.unwrap_or(u64::MAX) as u32)?;
            instruction.operands[0] = Operand::IdRef(self.variable(push)?);
            instruction.operands[1] = Operand::IdRef(place);
        }
        let done = if push.is_some() { 2 } else { 0 };
        for operand in instruction.operands.iter_mut().skip(done) {
            if let Some(id) = operand.id_ref_any_mut() {
                if self.is_variable(*id, StorageClass::PushConstant) {
                    return Err(self.uses("the whole block `push`; use its members"));
                }
                *id = self.import(*id)?;
            }
        }
        for id in instruction.result_type.iter_mut().chain(&mut instruction.result_id) {
            *id = self.import(*id)?;
        }
        Ok(())
    }

    /// The error for a function that uses something it may not use.
    fn uses(&self, what: &str) -> CheckError {
        let function = self.user.ids.name(self.function);
        CheckError::SideEffect { function, problem: format!("uses {what}") }
    }

    fn is_variable(&self, id: Word, class: StorageClass) -> bool {
        self.user.ids.global(id).is_some_and(|global| is_variable(global, class))
    }

    /// Returns the host's id for an id of the user's module. Adds types and constants that the host does not have.
    fn import(&mut self, id: Word) -> Result<Word, CheckError> {
        if let Some(known) = self.map.get(&id) {
            return Ok(*known);
        }
        let Some(global) = self.user.ids.global(id) else {
            // All other ids are types, constants, variables, or ids of copied functions, so this id is the extended
            // instruction set.
            let set = self.host.glsl_std_450();
            self.map.insert(id, set);
            return Ok(set);
        };
        let op = global.class.opcode;
        let new = match op {
            Op::Variable => self.variable(id)?,
            Op::SpecConstant
            | Op::SpecConstantTrue
            | Op::SpecConstantFalse
            | Op::SpecConstantComposite
            | Op::SpecConstantOp => {
                return Err(self.uses("a specialization constant"));
            }
            _ => {
                let (mut operands, mut ty) = (global.operands.clone(), global.result_type);
                for inner in operands.iter_mut().filter_map(Operand::id_ref_any_mut).chain(&mut ty)
                {
                    *inner = self.import(*inner)?;
                }
                match op {
                    Op::TypeStruct | Op::TypeArray => self.host.add(op, ty, operands),
                    Op::Undef => self.host.declare(Op::ConstantNull, ty, operands),
                    _ => self.host.declare(op, ty, operands),
                }
            }
        };
        self.map.insert(id, new);
        Ok(new)
    }

    /// Returns the host's variable for a variable of the user's module. Fails if the function may not read it.
    fn variable(&mut self, id: Word) -> Result<Word, CheckError> {
        let class = self.user.ids.pointer(id).map(|(class, _)| class);
        let name = self.user.ids.full_name(id).to_owned();
        // Operators cannot read variables of the kernel. If an operator uses one of the names below, the name refers to
        // a variable that the user has declared.
        let function = self.user.ids.full_name(self.function).split('(').next();
        let class = class.filter(|_| function != Some(UserFunction::Operator.name()));
        let class = match (class, name.as_str()) {
            (Some(class @ StorageClass::PushConstant), "push") => class,
            (Some(class @ StorageClass::StorageBuffer), "table") => class,
            _ => return Err(self.uses(&format!("`{}`", self.user.ids.name(id)))),
        };
        let own = globals::variables(&self.host.module, class);
        let found = own.into_iter().find(|id| self.host.ids.full_name(*id) == name);
        let found = found.ok_or_else(|| invalid(format!("the kernel has no `{name}`")))?;
        for entry in &mut self.host.module.entry_points {
            if !entry.operands.contains(&Operand::IdRef(found)) {
                entry.operands.push(Operand::IdRef(found));
            }
        }
        Ok(found)
    }

    /// Finds the host's push constant with the same name as `member` of the user's push constants, and returns its
    /// index as a constant of the host.
    fn push_member(&mut self, push: Word, member: u32) -> Result<Word, CheckError> {
        let missing = || invalid("the kernel does not have this member of `push`");
        let (_, block) = self.user.ids.pointer(push).ok_or_else(missing)?;
        let name = self.user.ids.member_name(block, member).to_owned();
        let host = self.variable(push)?;
        let (_, host_block) = self.host.ids.pointer(host).ok_or_else(missing)?;
        let host_member = self.host.ids.member(host_block, &name).ok_or_else(missing)?;
        let is_word = |editor: &Editor, block: Word, member: u32| {
            let Shape::Struct(members) = editor.ids.shape(block) else { return false };
            let ty = members.get(member as usize).copied();
            ty.is_some_and(|ty| matches!(editor.ids.shape(ty), Shape::Int { bits: 32, .. }))
        };
        if !is_word(self.user, block, member) || !is_word(&self.host, host_block, host_member) {
            return Err(invalid(format!(
                "`push.{name}` must be a 32-bit integer in both the kernel and the function"
            )));
        }
        let int = self.host.int(32, true);
        Ok(self.host.splat(int, host_member.into()))
    }

    /// Copies the decorations that affect the precision of the function's arithmetic.
    fn copy_precision_decorations(&mut self) {
        let mapped = |operand: Option<&Operand>| {
            self.map.get(&operand.and_then(Operand::id_ref_any)?).copied()
        };
        let is_global = |i: &&Instruction| {
            let id = operand(i, 0);
            id.is_some_and(|id| self.user.ids.global(id).is_some())
        };
        let precise = [Decoration::NoContraction, Decoration::RelaxedPrecision];
        let mut notes = Vec::new();
        for note in self.user.module.annotations.iter().filter(|i| !is_global(i)) {
            if let (Op::Decorate, Some(Operand::Decoration(what)), Some(id)) =
                (note.class.opcode, note.operands.get(1), mapped(note.operands.first()))
                && precise.contains(what)
            {
                let operands = vec![Operand::IdRef(id), Operand::Decoration(*what)];
                notes.push(plain(Op::Decorate, operands));
            }
        }
        self.host.module.annotations.extend(notes);
    }

    fn copy_capabilities(&mut self) {
        for capability in &self.user.module.capabilities {
            let known = &self.host.module.capabilities;
            let needed = match capability.operands.first() {
                Some(Operand::Capability(Capability::Matrix)) => false,
                operand => !known.iter().any(|k| k.operands.first() == operand),
            };
            if needed {
                self.host.module.capabilities.push(capability.clone());
            }
        }
    }
}
