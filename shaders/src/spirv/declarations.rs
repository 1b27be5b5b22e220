//! Declarations of a SPIR-V module, and the interface derived from them.
//!
//! Two properties of real modules shape the code: `NonWritable` and `NonReadable` decorate block *members*,
//! so access is determined by following variable -> pointer -> (array) -> struct; and several blocks may
//! share one binding number (the same memory viewed as `uint` and as `uvec4`), so variables are merged by
//! binding.

use std::collections::HashMap;

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{BuiltIn, Decoration, ExecutionMode, ExecutionModel, Op, StorageClass, Word};

use crate::spirv::interface::{
    Binding, BindingAccess, BindingKind, Dimension, Interface, PushBlock, PushMember, ReflectError,
    SpecConstant,
};

/// Decorations of one id or member, with their first operand.
type Decorations = Vec<(Decoration, Option<u32>)>;

/// All declarations of the module, by id.
#[derive(Default)]
pub(crate) struct Declarations<'m> {
    names: HashMap<Word, &'m str>,
    member_names: HashMap<(Word, u32), &'m str>,
    decorations: HashMap<Word, Decorations>,
    member_decorations: HashMap<(Word, u32), Decorations>,
    definitions: HashMap<Word, &'m Instruction>,
    module: Option<&'m Module>,
}

/// Memory layout of a member's matrices.
#[derive(Clone, Copy)]
struct MatrixLayout {
    /// Bytes between columns, or between rows.
    stride: u32,
    by_rows: bool,
}

impl<'m> Declarations<'m> {
    pub fn index(module: &'m Module) -> Self {
        let mut this = Self { module: Some(module), ..Self::default() };
        for instruction in &module.debug_names {
            match (instruction.class.opcode, instruction.operands.as_slice()) {
                (Op::Name, [Operand::IdRef(id), Operand::LiteralString(name)]) => {
                    this.names.insert(*id, name);
                }
                (
                    Op::MemberName,
                    [
                        Operand::IdRef(id),
                        Operand::LiteralBit32(member),
                        Operand::LiteralString(name),
                    ],
                ) => {
                    this.member_names.insert((*id, *member), name);
                }
                _ => {}
            }
        }
        for instruction in &module.annotations {
            match (instruction.class.opcode, instruction.operands.as_slice()) {
                (Op::Decorate, [Operand::IdRef(id), Operand::Decoration(what), rest @ ..]) => {
                    this.decorations.entry(*id).or_default().push((*what, decoration_value(rest)));
                }
                (
                    Op::MemberDecorate,
                    [
                        Operand::IdRef(id),
                        Operand::LiteralBit32(member),
                        Operand::Decoration(what),
                        rest @ ..,
                    ],
                ) => {
                    let entry = this.member_decorations.entry((*id, *member)).or_default();
                    entry.push((*what, decoration_value(rest)));
                }
                _ => {}
            }
        }
        for instruction in &module.types_global_values {
            if let Some(id) = instruction.result_id {
                this.definitions.insert(id, instruction);
            }
        }
        this
    }

    pub fn interface(&self) -> Result<Interface, ReflectError> {
        let Some(module) = self.module else { return Ok(Interface::default()) };
        let mut capabilities: Vec<String> = module
            .capabilities
            .iter()
            .filter_map(|i| match i.operands.first() {
                Some(Operand::Capability(capability)) => Some(format!("{capability:?}")),
                _ => None,
            })
            .collect();
        capabilities.sort();
        let (entry_id, entry_point) = self.entry_point(module)?;
        let local_size = self.local_size(module, entry_id);
        Ok(Interface {
            entry_point,
            bindings: self.bindings(module)?,
            push_constants: self.push_constants(module),
            spec_constants: self.spec_constants(module, &local_size),
            local_size,
            capabilities,
        })
    }

    fn entry_point(&self, module: &Module) -> Result<(Word, String), ReflectError> {
        let compute: Vec<_> = module
            .entry_points
            .iter()
            .filter_map(|i| match i.operands.as_slice() {
                [
                    Operand::ExecutionModel(ExecutionModel::GLCompute),
                    Operand::IdRef(id),
                    Operand::LiteralString(name),
                    ..,
                ] => Some((*id, name.clone())),
                _ => None,
            })
            .collect();
        match <[_; 1]>::try_from(compute) {
            Ok([one]) => Ok(one),
            Err(found) => Err(ReflectError::EntryPoints(found.len())),
        }
    }

    /// The `WorkgroupSize` built-in constant takes precedence over the execution mode, as in the SPIR-V
    /// specification; its components may be specialization constants.
    fn local_size(&self, module: &Module, entry: Word) -> [Dimension; 3] {
        let builtin = module.types_global_values.iter().find(|i| {
            i.result_id.is_some_and(|id| {
                self.decorations.get(&id).is_some_and(|list| {
                    list.contains(&(Decoration::BuiltIn, Some(BuiltIn::WorkgroupSize as u32)))
                })
            })
        });
        let mut size = [Dimension::Fixed(1); 3];
        if let Some(composite) = builtin {
            for (dimension, operand) in size.iter_mut().zip(&composite.operands) {
                if let Operand::IdRef(id) = operand {
                    let value = self.constant(*id).unwrap_or(1);
                    *dimension = match self.decoration(*id, Decoration::SpecId) {
                        Some(id) => Dimension::Specialized { id, default: value },
                        None => Dimension::Fixed(value),
                    };
                }
            }
            return size;
        }
        for mode in &module.execution_modes {
            if let [
                Operand::IdRef(id),
                Operand::ExecutionMode(ExecutionMode::LocalSize),
                Operand::LiteralBit32(x),
                Operand::LiteralBit32(y),
                Operand::LiteralBit32(z),
            ] = mode.operands.as_slice()
                && *id == entry
            {
                size = [*x, *y, *z].map(Dimension::Fixed);
            }
        }
        size
    }

    fn spec_constants(&self, module: &Module, local_size: &[Dimension; 3]) -> Vec<SpecConstant> {
        let axis_name = |id: u32| {
            ["local_size_x", "local_size_y", "local_size_z"]
                .into_iter()
                .zip(local_size)
                .find(|(_, d)| matches!(d, Dimension::Specialized { id: i, .. } if *i == id))
                .map(|(name, _)| name.to_owned())
        };
        let mut constants: Vec<SpecConstant> = Vec::new();
        for instruction in &module.types_global_values {
            let Some(result) = instruction.result_id else { continue };
            let Some(id) = self.decoration(result, Decoration::SpecId) else { continue };
            let own = self.names.get(&result).filter(|n| !n.is_empty()).map(|n| (*n).to_owned());
            let name = axis_name(id).or(own).unwrap_or_else(|| format!("spec_{id}"));
            let default = self.constant(result).unwrap_or(0);
            if !constants.iter().any(|c| c.id == id) {
                constants.push(SpecConstant { name, id, default });
            }
        }
        constants.sort_by_key(|c| c.id);
        constants
    }

    fn bindings(&self, module: &Module) -> Result<Vec<Binding>, ReflectError> {
        let mut bindings: Vec<Binding> = Vec::new();
        for variable in module.types_global_values.iter().filter(|i| i.class.opcode == Op::Variable)
        {
            let Some(new) = self.binding_of(variable)? else { continue };
            match bindings.iter_mut().find(|b| (b.set, b.binding) == (new.set, new.binding)) {
                Some(known) => merge_views(known, new),
                None => bindings.push(new),
            }
        }
        bindings.sort_by_key(|b| (b.set, b.binding));
        Ok(bindings)
    }

    fn binding_of(&self, variable: &Instruction) -> Result<Option<Binding>, ReflectError> {
        let (Some(id), Some(pointer)) = (variable.result_id, variable.result_type) else {
            return Ok(None);
        };
        let Some(binding) = self.decoration(id, Decoration::Binding) else { return Ok(None) };
        let set = self.decoration(id, Decoration::DescriptorSet).unwrap_or(0);
        let pointee = self.pointee(pointer);
        let name = self.variable_name(id, pointee);
        let unsupported = || ReflectError::UnsupportedResource { name: name.clone(), set, binding };
        let kind = match variable.operands.first() {
            Some(Operand::StorageClass(StorageClass::StorageBuffer)) => BindingKind::Storage,
            Some(Operand::StorageClass(StorageClass::Uniform)) => BindingKind::Uniform,
            _ => return Err(unsupported()),
        };
        let block = pointee.ok_or_else(unsupported)?;
        let members = self.struct_members(block).ok_or_else(unsupported)?;
        // SPIR-V before 1.3 marks a storage buffer as Uniform + BufferBlock.
        let kind =
            if self.has(block, Decoration::BufferBlock) { BindingKind::Storage } else { kind };
        let access = match kind {
            BindingKind::Uniform => BindingAccess::Read,
            BindingKind::Storage => self.block_access(id, block, members.len()),
        };
        let (fixed_size, element_stride) = self.block_extent(block, &members);
        Ok(Some(Binding { name, set, binding, kind, access, fixed_size, element_stride }))
    }

    fn variable_name(&self, variable: Word, block: Option<Word>) -> String {
        let named = |id| self.names.get(&id).copied().filter(|n| !n.is_empty());
        named(variable).or_else(|| block.and_then(named)).unwrap_or_default().to_owned()
    }

    /// A block is read-only if every member, or the variable itself, is NonWritable.
    fn block_access(&self, variable: Word, block: Word, members: usize) -> BindingAccess {
        let every = |what| {
            self.has(variable, what)
                || (0..members as u32).all(|m| {
                    self.member_decorations
                        .get(&(block, m))
                        .is_some_and(|list| list.iter().any(|(d, _)| *d == what))
                })
        };
        match (every(Decoration::NonWritable), every(Decoration::NonReadable)) {
            (true, _) => BindingAccess::Read,
            (false, true) => BindingAccess::Write,
            (false, false) => BindingAccess::ReadWrite,
        }
    }

    /// Bytes before the trailing unsized array, and that array's stride.
    fn block_extent(&self, block: Word, members: &[Word]) -> (u32, Option<u32>) {
        let Some((&last, _)) = members.split_last() else { return (0, None) };
        let offset = self.member_offset(block, members.len() as u32 - 1);
        let is_unsized =
            self.definitions.get(&last).is_some_and(|i| i.class.opcode == Op::TypeRuntimeArray);
        if is_unsized {
            (offset, self.decoration(last, Decoration::ArrayStride))
        } else {
            (offset + self.member_size(block, members.len() as u32 - 1, last), None)
        }
    }

    fn push_constants(&self, module: &Module) -> Option<PushBlock> {
        let variable = module.types_global_values.iter().find(|i| {
            i.class.opcode == Op::Variable
                && i.operands.first() == Some(&Operand::StorageClass(StorageClass::PushConstant))
        })?;
        let block = self.pointee(variable.result_type?)?;
        let members: Vec<PushMember> = (0u32..)
            .zip(self.struct_members(block)?)
            .map(|(index, ty)| PushMember {
                name: self.member_names.get(&(block, index)).unwrap_or(&"").to_string(),
                offset: self.member_offset(block, index),
                size: self.member_size(block, index, ty),
            })
            .collect();
        let end = members.iter().map(|m| m.offset + m.size).max().unwrap_or(0);
        Some(PushBlock { size: end.next_multiple_of(4), members })
    }

    fn pointee(&self, pointer: Word) -> Option<Word> {
        match self.definitions.get(&pointer)?.operands.as_slice() {
            [Operand::StorageClass(_), Operand::IdRef(pointee)] => Some(*pointee),
            _ => None,
        }
    }

    fn struct_members(&self, id: Word) -> Option<Vec<Word>> {
        let definition = self.definitions.get(&id)?;
        (definition.class.opcode == Op::TypeStruct)
            .then(|| definition.operands.iter().filter_map(id_ref).collect())
    }

    fn member_offset(&self, block: Word, member: u32) -> u32 {
        self.member_decoration(block, member, Decoration::Offset).unwrap_or(0)
    }

    /// Size in bytes of a structure member, whose decorations give the layout of matrices in it.
    fn member_size(&self, block: Word, member: u32, ty: Word) -> u32 {
        let stride = self.member_decoration(block, member, Decoration::MatrixStride);
        let decorations = self.member_decorations.get(&(block, member));
        let by_rows = decorations
            .is_some_and(|list| list.iter().any(|(what, _)| *what == Decoration::RowMajor));
        self.size_of(ty, stride.map(|stride| MatrixLayout { stride, by_rows }))
    }

    /// Size in bytes of a type with an explicit layout and this matrix layout.
    fn size_of(&self, id: Word, matrix: Option<MatrixLayout>) -> u32 {
        let Some(ty) = self.definitions.get(&id) else { return 0 };
        let literal = |index: usize| match ty.operands.get(index) {
            Some(Operand::LiteralBit32(value)) => *value,
            _ => 0,
        };
        let inner = || ty.operands.first().and_then(id_ref).unwrap_or(0);
        match ty.class.opcode {
            Op::TypeInt | Op::TypeFloat => literal(0) / 8,
            Op::TypeVector => self.size_of(inner(), None).saturating_mul(literal(1)),
            Op::TypeMatrix => {
                let (column, columns) = (self.size_of(inner(), None), literal(1));
                let Some(MatrixLayout { stride, by_rows }) = matrix else {
                    return column.saturating_mul(columns);
                };
                let component = self.component_size(inner());
                let rows = column / component.max(1);
                let (vectors, vector) = match by_rows {
                    true => (rows, component.saturating_mul(columns)),
                    false => (columns, column),
                };
                stride.saturating_mul(vectors.saturating_sub(1)).saturating_add(vector)
            }
            Op::TypeArray => {
                let length = ty.operands.get(1).and_then(id_ref).and_then(|c| self.constant(c));
                let stride = self.decoration(id, Decoration::ArrayStride).unwrap_or(0);
                stride.saturating_mul(length.unwrap_or(0))
            }
            Op::TypeStruct => (0u32..)
                .zip(ty.operands.iter().filter_map(id_ref))
                .map(|(index, member)| {
                    self.member_offset(id, index)
                        .saturating_add(self.member_size(id, index, member))
                })
                .max()
                .unwrap_or(0),
            Op::TypePointer => 8,
            _ => 0,
        }
    }

    /// Bytes per component of a vector.
    fn component_size(&self, vector: Word) -> u32 {
        let component = self.definitions.get(&vector).and_then(|v| v.operands.first());
        component.and_then(id_ref).map_or(0, |component| self.size_of(component, None))
    }

    /// The 32-bit value of a scalar constant.
    fn constant(&self, id: Word) -> Option<u32> {
        let definition = self.definitions.get(&id)?;
        match (definition.class.opcode, definition.operands.first()) {
            (Op::Constant | Op::SpecConstant, Some(Operand::LiteralBit32(value))) => Some(*value),
            (Op::ConstantTrue | Op::SpecConstantTrue, _) => Some(1),
            (Op::ConstantFalse | Op::SpecConstantFalse, _) => Some(0),
            _ => None,
        }
    }

    fn has(&self, id: Word, what: Decoration) -> bool {
        self.decorations.get(&id).is_some_and(|list| list.iter().any(|(d, _)| *d == what))
    }

    fn decoration(&self, id: Word, what: Decoration) -> Option<u32> {
        value_of(self.decorations.get(&id)?, what)
    }

    fn member_decoration(&self, id: Word, member: u32, what: Decoration) -> Option<u32> {
        value_of(self.member_decorations.get(&(id, member))?, what)
    }
}

fn value_of(list: &[(Decoration, Option<u32>)], what: Decoration) -> Option<u32> {
    list.iter().find(|(d, _)| *d == what).and_then(|(_, value)| *value)
}

fn decoration_value(operands: &[Operand]) -> Option<u32> {
    match operands.first() {
        Some(Operand::LiteralBit32(value)) => Some(*value),
        Some(Operand::BuiltIn(builtin)) => Some(*builtin as u32),
        _ => None,
    }
}

fn id_ref(operand: &Operand) -> Option<Word> {
    match operand {
        Operand::IdRef(id) => Some(*id),
        _ => None,
    }
}

/// Merges two blocks with the same binding number, which are views of the same buffer.
fn merge_views(known: &mut Binding, other: Binding) {
    known.access = known.access.union(other.access);
    known.fixed_size = known.fixed_size.max(other.fixed_size);
    known.element_stride = match (known.element_stride, other.element_stride) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    if other.name.len() < known.name.len() {
        known.name = other.name;
    }
}
