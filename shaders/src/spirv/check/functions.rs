//! Checks that the functions of a module use only allowed instructions, and that their memory accesses match the
//! declarations.
//!
//! This includes the types of pointers, loads, stores and calls, because clamping of indices relies on them.

use std::collections::{HashMap, HashSet};

use rspirv::dr::{Function, Instruction, Operand};
use rspirv::spirv::{Decoration, GroupOperation, MemoryAccess, Op, StorageClass, Word};

use super::calls::Functions;
use super::error::{CheckError, declaration, invalid};
use super::instructions;
use crate::spirv::ids::{Ids, Shape, id_operands, literal, operand};
use crate::spirv::interface::{BindingAccess, Interface};

/// Minimum subgroup size that kernels support.
const MIN_SUBGROUP_SIZE: u64 = 4;

/// Rules for functions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rules {
    /// All instructions that a checked compute shader may use.
    Shader,
    /// Instructions without side effects, for user functions in built-in kernels.
    Pure,
}

/// Checks the functions in `which` against `rules`.
pub(crate) fn check(
    functions: &Functions<'_>,
    which: &HashSet<Word>,
    rules: Rules,
    interface: &Interface,
) -> Result<(), CheckError> {
    for (id, function) in functions.in_order() {
        if which.contains(&id) {
            let ids = functions.ids;
            Body { ids, name: ids.name(id), rules, interface }.check(function, functions)?;
        }
    }
    Ok(())
}

struct Body<'m> {
    ids: &'m Ids,
    name: String,
    rules: Rules,
    interface: &'m Interface,
}

impl Body<'_> {
    fn check(&self, function: &Function, functions: &Functions<'_>) -> Result<(), CheckError> {
        self.check_signature(function)?;
        // The variable or parameter that each pointer points into. The variable belongs to the module or the function.
        let mut roots: HashMap<Word, Word> = HashMap::new();
        let returns = function.def.as_ref().and_then(|d| d.result_type).unwrap_or(0);
        for instruction in function.blocks.iter().flat_map(|b| &b.instructions) {
            self.check_allowed(instruction)?;
            self.check_pointers(instruction)?;
            let first = operand(instruction, 0).unwrap_or(0);
            let root = roots.get(&first).copied().unwrap_or(first);
            match instruction.class.opcode {
                Op::Variable => self.check_variable(instruction)?,
                Op::AccessChain | Op::InBoundsAccessChain => {
                    self.check_chain(instruction)?;
                    roots.extend(instruction.result_id.map(|id| (id, root)));
                }
                Op::Load => self.check_access(instruction, root, false)?,
                Op::Store => self.check_access(instruction, root, true)?,
                Op::ArrayLength => self.check_array_length(instruction)?,
                Op::FunctionCall => self.check_call(instruction, functions)?,
                Op::ReturnValue if self.ids.type_of(first) != returns => {
                    return Err(
                        self.invalid("returns a value whose type differs from its result type")
                    );
                }
                Op::CompositeExtract | Op::CompositeInsert => self.check_composite(instruction)?,
                op if instructions::is_atomic(op) => self.check_atomic(instruction, root)?,
                _ => {}
            }
            if let Some(pointer) = instructions::written_by(instruction) {
                let root = roots.get(&pointer).copied().unwrap_or(pointer);
                self.check_written(instruction, pointer, root)?;
            }
        }
        Ok(())
    }

    /// The error for a function that breaks the rules.
    fn refuse(&self, problem: impl Into<String>) -> CheckError {
        let (function, problem) = (self.name.clone(), problem.into());
        match self.rules {
            Rules::Pure => CheckError::SideEffect { function, problem },
            Rules::Shader => CheckError::Access { function, problem },
        }
    }

    /// The error for a function that is not valid SPIR-V.
    fn invalid(&self, problem: &str) -> CheckError {
        invalid(format!("`{}` {problem}", self.name))
    }

    fn check_signature(&self, function: &Function) -> Result<(), CheckError> {
        let def = function.def.as_ref();
        let ty = def.and_then(|d| d.operands.get(1)).and_then(Operand::id_ref_any).unwrap_or(0);
        let Shape::Function { returns, parameters } = self.ids.shape(ty) else {
            return Err(self.invalid("has no function type"));
        };
        let own: Vec<Word> = function.parameters.iter().filter_map(|p| p.result_type).collect();
        if own != parameters || def.and_then(|d| d.result_type) != Some(returns) {
            return Err(invalid(format!(
                "the declared parameters or result of `{}` differ from its function type",
                self.name
            )));
        }
        for parameter in own {
            if let Shape::Pointer { class, .. } = self.ids.shape(parameter) {
                let inside =
                    [StorageClass::Function, StorageClass::Private, StorageClass::Workgroup];
                if !inside.contains(&class) {
                    return Err(self.refuse(
                        "has a parameter that points into neither local nor shared memory",
                    ));
                }
            }
        }
        Ok(())
    }

    fn check_allowed(&self, instruction: &Instruction) -> Result<(), CheckError> {
        let op = instruction.class.opcode;
        let function = self.name.clone();
        if op == Op::ExtInst {
            match instruction.operands[..] {
                [Operand::IdRef(set), Operand::LiteralExtInstInteger(number), ..]
                    if self.ids.is_import(set) =>
                {
                    if !instructions::is_plain_glsl(number) {
                        let instruction = format!("instruction {number} of GLSL.std.450");
                        return Err(CheckError::Instruction { function, instruction });
                    }
                }
                _ => return Err(invalid("an extended instruction has no instruction set")),
            }
        }
        if instructions::is_plain(op) {
            return Ok(());
        }
        let known = instructions::is_atomic(op)
            || instructions::is_group(op)
            || instructions::is_barrier(op);
        match self.rules {
            Rules::Shader if instructions::is_group(op) => self.check_lanes(instruction),
            Rules::Shader if known => Ok(()),
            Rules::Pure if instructions::is_atomic(op) => {
                Err(self.refuse("uses an atomic operation"))
            }
            Rules::Pure if instructions::is_group(op) => {
                Err(self.refuse("uses a subgroup operation"))
            }
            Rules::Pure if instructions::is_barrier(op) => Err(self.refuse("waits at a barrier")),
            _ => Err(CheckError::Instruction { function, instruction: format!("Op{op:?}") }),
        }
    }

    /// Checks the operands of a subgroup operation. The lane of a broadcast must be uniform, so only constants are
    /// accepted. Clusters must not exceed the smallest supported subgroup. Otherwise, the behaviour would be undefined.
    fn check_lanes(&self, instruction: &Instruction) -> Result<(), CheckError> {
        let constant = |at: usize| {
            let id = operand(instruction, at);
            id.and_then(|id| self.ids.constant(id))
        };
        match (instruction.class.opcode, instruction.operands.get(1)) {
            (Op::GroupNonUniformBroadcast | Op::GroupNonUniformQuadBroadcast, _)
                if constant(2).is_none() =>
            {
                Err(self.refuse(
                    "broadcasts from a lane that is not a constant; use subgroupShuffle",
                ))
            }
            (_, Some(Operand::GroupOperation(GroupOperation::ClusteredReduce)))
                if constant(3).is_none_or(|size| size > MIN_SUBGROUP_SIZE) =>
            {
                Err(self.refuse(format!(
                    "uses clusters of more than {MIN_SUBGROUP_SIZE} lanes or of an unknown size, but a subgroup may have only {MIN_SUBGROUP_SIZE}"
                )))
            }
            _ => Ok(()),
        }
    }

    /// Checks that pointers are created only by variables and access chains, and are used only in memory accesses,
    /// array length queries, calls, `modf` and `frexp`.
    fn check_pointers(&self, instruction: &Instruction) -> Result<(), CheckError> {
        let op = instruction.class.opcode;
        let computes =
            || self.refuse(format!("computes a pointer with Op{op:?}, which is not allowed"));
        let makes = matches!(op, Op::Variable | Op::AccessChain | Op::InBoundsAccessChain);
        let is_pointer = |ty: Word| matches!(self.ids.shape(ty), Shape::Pointer { .. });
        if instruction.result_type.is_some_and(is_pointer) != makes {
            return Err(computes());
        }
        let takes = match op {
            Op::Load | Op::Store | Op::AccessChain | Op::InBoundsAccessChain | Op::ArrayLength => 1,
            Op::FunctionCall => usize::MAX,
            op if instructions::is_atomic(op) => 1,
            _ if instructions::written_by(instruction).is_some() => usize::MAX,
            _ => 0,
        };
        for (at, id) in id_operands(instruction).enumerate() {
            if self.ids.pointer(id).is_some() && at >= takes {
                return Err(computes());
            }
        }
        Ok(())
    }

    fn check_variable(&self, instruction: &Instruction) -> Result<(), CheckError> {
        let class = Operand::StorageClass(StorageClass::Function);
        let ty = self.ids.shape(instruction.result_type.unwrap_or(0));
        match ty {
            Shape::Pointer { class: StorageClass::Function, pointee }
                if instruction.operands.first() == Some(&class) =>
            {
                check_plain_data(self.ids, pointee)
            }
            _ => {
                Err(invalid(format!("a variable in `{}` is not local to the function", self.name)))
            }
        }
    }

    fn check_chain(&self, instruction: &Instruction) -> Result<(), CheckError> {
        let mut ids = id_operands(instruction);
        let base = ids.next().unwrap_or(0);
        let wrong = || {
            invalid(format!("an access in `{}` does not match the type of its variable", self.name))
        };
        let (class, mut ty) = self.ids.pointer(base).ok_or_else(wrong)?;
        for index in ids {
            if !matches!(self.ids.shape_of(index), Shape::Int { .. }) {
                return Err(wrong());
            }
            ty = match self.ids.shape(ty) {
                Shape::Struct(members) => {
                    let member = self.ids.constant(index).ok_or_else(wrong)?;
                    let member = usize::try_from(member).map_err(|_| wrong())?;
                    *members.get(member).ok_or_else(wrong)?
                }
                Shape::Array { element, .. } | Shape::RuntimeArray { element } => element,
                Shape::Vector { component, .. } => component,
                Shape::Matrix { column, .. } => column,
                _ => return Err(wrong()),
            };
        }
        let found = self.ids.shape(instruction.result_type.unwrap_or(0));
        if found == (Shape::Pointer { class, pointee: ty }) { Ok(()) } else { Err(wrong()) }
    }

    fn check_access(
        &self,
        instruction: &Instruction,
        root: Word,
        writes: bool,
    ) -> Result<(), CheckError> {
        let id = |at: usize| operand(instruction, at);
        let pointee = id(0).and_then(|id| self.ids.pointer(id)).map(|(_, pointee)| pointee);
        let value = match writes {
            true => id(1).map(|id| self.ids.type_of(id)),
            false => instruction.result_type,
        };
        if value.is_none() || value != pointee {
            return Err(invalid(format!("an access in `{}` has the wrong type", self.name)));
        }
        let plain = MemoryAccess::VOLATILE | MemoryAccess::NONTEMPORAL;
        for operand in instruction.operands.iter().skip(if writes { 2 } else { 1 }) {
            if !matches!(operand, Operand::MemoryAccess(how) if plain.contains(*how)) {
                return Err(self.invalid("has memory operands that are not supported"));
            }
        }
        self.check_memory(root, !writes, writes)
    }

    /// Checks a call of `modf` or `frexp`, which return one part of a number and write the other through a pointer.
    fn check_written(
        &self,
        instruction: &Instruction,
        pointer: Word,
        root: Word,
    ) -> Result<(), CheckError> {
        let wrong = || self.invalid("splits a number into parts of the wrong type");
        let (_, pointee) = self.ids.pointer(pointer).ok_or_else(wrong)?;
        let value = operand(instruction, 2).unwrap_or(0);
        let lanes = |ty| match self.ids.shape(ty) {
            Shape::Vector { count, .. } => count,
            _ => 1,
        };
        let number = |ty| matches!(self.ids.scalar(ty), Shape::Float { .. } | Shape::Int { .. });
        let ty = self.ids.type_of(value);
        if instruction.result_type != Some(ty) || !number(pointee) || lanes(ty) != lanes(pointee) {
            return Err(wrong());
        }
        self.check_memory(root, false, true)
    }

    fn check_atomic(&self, instruction: &Instruction, root: Word) -> Result<(), CheckError> {
        let first = operand(instruction, 0).unwrap_or(0);
        let wrong = |what: &str| invalid(format!("an atomic operation of `{}` {what}", self.name));
        let Some((StorageClass::StorageBuffer | StorageClass::Workgroup, pointee)) =
            self.ids.pointer(first)
        else {
            return Err(wrong("accesses neither a buffer nor shared memory"));
        };
        if !matches!(self.ids.shape(pointee), Shape::Int { bits: 32 | 64, .. }) {
            return Err(wrong("accesses a value that is not an integer of 32 or 64 bits"));
        }
        let op = instruction.class.opcode;
        if op != Op::AtomicStore && instruction.result_type != Some(pointee) {
            return Err(wrong("has the wrong type"));
        }
        self.check_memory(root, op != Op::AtomicStore, op != Op::AtomicLoad)
    }

    /// Checks that the variable may be read or written.
    fn check_memory(&self, root: Word, reads: bool, writes: bool) -> Result<(), CheckError> {
        let Some((class, _)) = self.ids.pointer(root) else { return Ok(()) };
        let name = self.ids.name(root);
        if self.rules == Rules::Pure {
            return self.check_pure(class, &name, writes);
        }
        match class {
            StorageClass::Function | StorageClass::Private | StorageClass::Workgroup => Ok(()),
            StorageClass::StorageBuffer => {
                let number = literal(self.ids.decoration(root, Decoration::Binding));
                let binding = self.interface.bindings.iter().find(|b| Some(b.binding) == number);
                match binding.map(|b| b.access) {
                    Some(BindingAccess::Read) if writes => Err(self.refuse(format!(
                        "writes `{name}`, which is declared readonly; remove the qualifier"
                    ))),
                    Some(BindingAccess::Write) if reads => Err(self.refuse(format!(
                        "reads `{name}`, which is declared writeonly; remove the qualifier"
                    ))),
                    _ => Ok(()),
                }
            }
            _ if writes => Err(self.refuse(format!("writes `{name}`, which is read-only"))),
            _ => Ok(()),
        }
    }

    fn check_pure(&self, class: StorageClass, name: &str, writes: bool) -> Result<(), CheckError> {
        match class {
            StorageClass::Function => Ok(()),
            StorageClass::PushConstant | StorageClass::StorageBuffer if !writes => Ok(()),
            _ if writes => Err(self.refuse(format!("writes `{name}`"))),
            _ => Err(self.refuse(format!("reads `{name}`"))),
        }
    }

    fn check_array_length(&self, instruction: &Instruction) -> Result<(), CheckError> {
        let wrong = || self.invalid("requests the length of a value that has no length");
        let [Operand::IdRef(pointer), Operand::LiteralBit32(member)] = instruction.operands[..]
        else {
            return Err(wrong());
        };
        let Some((StorageClass::StorageBuffer, block)) = self.ids.pointer(pointer) else {
            return Err(wrong());
        };
        let Shape::Struct(members) = self.ids.shape(block) else { return Err(wrong()) };
        let member = members.get(member as usize).copied().ok_or_else(wrong)?;
        match self.ids.shape(member) {
            Shape::RuntimeArray { .. } if self.ids.global(pointer).is_some() => Ok(()),
            _ => Err(wrong()),
        }
    }

    fn check_call(&self, call: &Instruction, functions: &Functions<'_>) -> Result<(), CheckError> {
        let ids: Vec<Word> = id_operands(call).collect();
        let name = &self.name;
        let wrong = || {
            invalid(format!("a call in `{name}` does not match the type of the called function"))
        };
        let (&callee, arguments) = ids.split_first().ok_or_else(wrong)?;
        let expected = functions.parameter_types(callee).ok_or_else(wrong)?;
        let given: Vec<Word> = arguments.iter().map(|id| self.ids.type_of(*id)).collect();
        if given == expected { Ok(()) } else { Err(wrong()) }
    }

    fn check_composite(&self, instruction: &Instruction) -> Result<(), CheckError> {
        let whole = id_operands(instruction).next_back().unwrap_or(0);
        let wrong = || self.invalid("accesses a component that the value does not have");
        let mut ty = self.ids.type_of(whole);
        for operand in &instruction.operands {
            let Operand::LiteralBit32(at) = operand else { continue };
            let (inner, count) = match self.ids.shape(ty) {
                Shape::Struct(members) => {
                    (members.get(*at as usize).copied().unwrap_or(0), members.len() as u64)
                }
                Shape::Vector { component, count } => (component, count.into()),
                Shape::Matrix { column, count } => (column, count.into()),
                Shape::Array { element, length } => {
                    (element, self.ids.constant(length).unwrap_or(0))
                }
                _ => return Err(wrong()),
            };
            if u64::from(*at) >= count {
                return Err(wrong());
            }
            ty = inner;
        }
        Ok(())
    }
}

/// Checks that a type is plain data: no pointers, unsized arrays or opaque types.
pub(crate) fn check_plain_data(ids: &Ids, ty: Word) -> Result<(), CheckError> {
    match ids.shape(ty) {
        Shape::Bool | Shape::Int { .. } | Shape::Float { .. } => Ok(()),
        Shape::Vector { component: inner, .. }
        | Shape::Matrix { column: inner, .. }
        | Shape::Array { element: inner, .. } => check_plain_data(ids, inner),
        Shape::Struct(members) => members.iter().try_for_each(|m| check_plain_data(ids, *m)),
        _ => Err(declaration(
            ids.name(ty),
            "is not plain data; use numbers, vectors, matrices, arrays with a length or structures",
        )),
    }
}
