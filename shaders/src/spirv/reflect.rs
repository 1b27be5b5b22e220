//! Reflects the interface of a kernel from its SPIR-V, with rspirv: checks the structure of the words, parses the
//! declarations before the first function, and derives the interface from them.
//!
//! Two properties of SPIR-V modules matter here. First, `NonWritable` and `NonReadable` can decorate block
//! *members*, so the access is found by following variable -> pointer -> struct. Second, several blocks may share
//! one binding number (the same memory viewed as `uint` and as `uvec4`), so variables are merged by binding.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rspirv::binary::{Consumer, ParseAction, ParseState, Parser};
use rspirv::dr::{Instruction, Loader, Module, ModuleHeader, Operand, load_words};
use rspirv::spirv::{BuiltIn, Decoration, ExecutionMode, ExecutionModel, Op, StorageClass, Word};

use super::ids::{Ids, Shape, is_variable, literal};
use super::interface::{
    Binding, BindingAccess, BindingKind, Dimension, Interface, PushBlock, PushMember, ReflectError,
    SpecConstant,
};
use super::words::{HEADER_WORDS, MAGIC};

/// Reads the interface of the compute shader in `spirv`.
pub fn reflect(spirv: &[u32]) -> Result<Interface, ReflectError> {
    check_framing(spirv)?;
    let module = &parse_declarations(spirv)?;
    Declarations { module, ids: Ids::new(module) }.interface()
}

/// Parses a whole module.
pub(crate) fn parse(spirv: &[u32]) -> Result<Module, ReflectError> {
    without_panic(|| load_words(spirv))?.map_err(|state| ReflectError::Malformed(state.to_string()))
}

/// Converts a panic into an error. rspirv panics on some malformed modules, and sums of invalid sizes may overflow.
pub(crate) fn without_panic<T>(run: impl FnOnce() -> T) -> Result<T, ReflectError> {
    let gave_up = |_| ReflectError::Malformed("the parser failed".to_owned());
    catch_unwind(AssertUnwindSafe(run)).map_err(gave_up)
}

/// Checks the header, and that the instruction lengths add up to the size of the module. This precedes rspirv, which
/// panics on some malformed modules.
fn check_framing(spirv: &[u32]) -> Result<(), ReflectError> {
    if spirv.len() < HEADER_WORDS || spirv[0] != MAGIC {
        return Err(ReflectError::Malformed("the words have no SPIR-V header".into()));
    }
    let mut at = HEADER_WORDS;
    while at < spirv.len() {
        let words = (spirv[at] >> 16) as usize;
        if words == 0 || at + words > spirv.len() {
            return Err(ReflectError::Malformed(format!(
                "the instruction at word {at} has an invalid length"
            )));
        }
        at += words;
    }
    Ok(())
}

/// Loads the module up to its first function, because function bodies do not affect the interface.
struct DeclarationLoader(Loader);

impl Consumer for DeclarationLoader {
    fn initialize(&mut self) -> ParseAction {
        self.0.initialize()
    }
    fn finalize(&mut self) -> ParseAction {
        ParseAction::Continue
    }
    fn consume_header(&mut self, header: ModuleHeader) -> ParseAction {
        self.0.consume_header(header)
    }
    fn consume_instruction(&mut self, instruction: Instruction) -> ParseAction {
        if instruction.class.opcode == Op::Function {
            return ParseAction::Stop;
        }
        self.0.consume_instruction(instruction)
    }
}

fn parse_declarations(spirv: &[u32]) -> Result<Module, ReflectError> {
    let bytes: &[u8] = bytemuck::cast_slice(spirv);
    without_panic(|| {
        let mut loader = DeclarationLoader(Loader::new());
        match Parser::new(bytes, &mut loader).parse() {
            Ok(()) | Err(ParseState::ConsumerStopRequested) => Ok(loader.0.module()),
            Err(state) => Err(ReflectError::Malformed(state.to_string())),
        }
    })?
}

/// The declarations of a module.
struct Declarations<'m> {
    module: &'m Module,
    ids: Ids,
}

/// Memory layout of a member's matrices.
#[derive(Clone, Copy)]
struct MatrixLayout {
    /// Stride between columns, or between rows, in bytes.
    stride: u32,
    by_rows: bool,
}

impl Declarations<'_> {
    fn interface(&self) -> Result<Interface, ReflectError> {
        let name = |i: &Instruction| match i.operands.first() {
            Some(Operand::Capability(capability)) => Some(format!("{capability:?}")),
            _ => None,
        };
        let mut capabilities: Vec<String> =
            self.module.capabilities.iter().filter_map(name).collect();
        capabilities.sort();
        let (entry_id, entry_point) = self.entry_point()?;
        let local_size = self.local_size(entry_id);
        Ok(Interface {
            entry_point,
            bindings: self.bindings()?,
            push_constants: self.push_constants(),
            spec_constants: self.spec_constants(&local_size),
            local_size,
            capabilities,
        })
    }

    fn entry_point(&self) -> Result<(Word, String), ReflectError> {
        let compute: Vec<_> = self
            .module
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

    /// Returns the workgroup size. As the SPIR-V specification requires, the `WorkgroupSize` built-in constant takes
    /// precedence over the execution mode. Its components may be specialization constants.
    fn local_size(&self, entry: Word) -> [Dimension; 3] {
        let mut globals = self.module.types_global_values.iter();
        let builtin = globals.find(|i| {
            let builtin = i.result_id.and_then(|id| self.decoration(id, Decoration::BuiltIn));
            builtin == Some(BuiltIn::WorkgroupSize as u32)
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
        for mode in &self.module.execution_modes {
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

    fn spec_constants(&self, local_size: &[Dimension; 3]) -> Vec<SpecConstant> {
        let axis_name = |id: u32| {
            ["local_size_x", "local_size_y", "local_size_z"]
                .into_iter()
                .zip(local_size)
                .find(|(_, d)| matches!(d, Dimension::Specialized { id: i, .. } if *i == id))
                .map(|(name, _)| name.to_owned())
        };
        let mut constants: Vec<SpecConstant> = Vec::new();
        for instruction in &self.module.types_global_values {
            let Some(result) = instruction.result_id else { continue };
            let Some(id) = self.decoration(result, Decoration::SpecId) else { continue };
            let own = self.name(result).map(str::to_owned);
            let name = axis_name(id).or(own).unwrap_or_else(|| format!("spec_{id}"));
            let default = self.constant(result).unwrap_or(0);
            if !constants.iter().any(|c| c.id == id) {
                constants.push(SpecConstant { name, id, default });
            }
        }
        constants.sort_by_key(|c| c.id);
        constants
    }

    fn bindings(&self) -> Result<Vec<Binding>, ReflectError> {
        let mut bindings: Vec<Binding> = Vec::new();
        let globals = self.module.types_global_values.iter();
        for variable in globals.filter(|i| i.class.opcode == Op::Variable) {
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
        let Some(id) = variable.result_id else { return Ok(None) };
        let Some(binding) = self.decoration(id, Decoration::Binding) else { return Ok(None) };
        let set = self.decoration(id, Decoration::DescriptorSet).unwrap_or(0);
        let pointee = self.ids.pointer(id).map(|(_, pointee)| pointee);
        let name = self.variable_name(id, pointee);
        let unsupported = || ReflectError::UnsupportedResource { name: name.clone(), set, binding };
        let kind = match variable.operands.first() {
            Some(Operand::StorageClass(StorageClass::StorageBuffer)) => BindingKind::Storage,
            Some(Operand::StorageClass(StorageClass::Uniform)) => BindingKind::Uniform,
            _ => return Err(unsupported()),
        };
        let block = pointee.ok_or_else(unsupported)?;
        let members = self.ids.members(block).ok_or_else(unsupported)?;
        // SPIR-V before 1.3 marks a storage buffer as Uniform + BufferBlock.
        let kind =
            if self.ids.has(block, Decoration::BufferBlock) { BindingKind::Storage } else { kind };
        let access = match kind {
            BindingKind::Uniform => BindingAccess::Read,
            BindingKind::Storage => self.block_access(id, block, members.len()),
        };
        let (fixed_size, element_stride) = self.block_extent(block, &members);
        Ok(Some(Binding { name, set, binding, kind, access, fixed_size, element_stride }))
    }

    fn variable_name(&self, variable: Word, block: Option<Word>) -> String {
        let name = self.name(variable).or_else(|| self.name(block?));
        name.unwrap_or_default().to_owned()
    }

    fn name(&self, id: Word) -> Option<&str> {
        Some(self.ids.full_name(id)).filter(|name| !name.is_empty())
    }

    /// A block is read-only if every member, or the variable itself, is NonWritable.
    fn block_access(&self, variable: Word, block: Word, members: usize) -> BindingAccess {
        let every = |what| {
            let of_member = |m| self.ids.member_decoration(block, m, what).is_some();
            self.ids.has(variable, what) || (0..members as u32).all(of_member)
        };
        match (every(Decoration::NonWritable), every(Decoration::NonReadable)) {
            (true, _) => BindingAccess::Read,
            (false, true) => BindingAccess::Write,
            (false, false) => BindingAccess::ReadWrite,
        }
    }

    /// Returns the offset in bytes of the unsized array at the end and its stride; without one, the size of the block.
    fn block_extent(&self, block: Word, members: &[Word]) -> (u32, Option<u32>) {
        let Some((&last, _)) = members.split_last() else { return (0, None) };
        let offset = self.member_offset(block, members.len() as u32 - 1);
        if matches!(self.ids.shape(last), Shape::RuntimeArray { .. }) {
            (offset, self.decoration(last, Decoration::ArrayStride))
        } else {
            (offset + self.member_size(block, members.len() as u32 - 1, last), None)
        }
    }

    fn push_constants(&self) -> Option<PushBlock> {
        let mut globals = self.module.types_global_values.iter();
        let variable = globals.find(|i| is_variable(i, StorageClass::PushConstant))?;
        let (_, block) = self.ids.pointer(variable.result_id?)?;
        let members: Vec<PushMember> = (0u32..)
            .zip(self.ids.members(block)?)
            .map(|(index, ty)| PushMember {
                name: self.ids.member_name(block, index).to_owned(),
                offset: self.member_offset(block, index),
                size: self.member_size(block, index, ty),
            })
            .collect();
        let end = members.iter().map(|m| m.offset + m.size).max().unwrap_or(0);
        Some(PushBlock { size: end.next_multiple_of(4), members })
    }

    fn member_offset(&self, block: Word, member: u32) -> u32 {
        literal(self.ids.member_decoration(block, member, Decoration::Offset)).unwrap_or(0)
    }

    /// Size in bytes of a structure member. Its decorations describe the layout of its matrices.
    fn member_size(&self, block: Word, member: u32, ty: Word) -> u32 {
        let decoration = |what| self.ids.member_decoration(block, member, what);
        let by_rows = decoration(Decoration::RowMajor).is_some();
        let stride = literal(decoration(Decoration::MatrixStride));
        self.size_of(ty, stride.map(|stride| MatrixLayout { stride, by_rows }))
    }

    /// Size in bytes of a type with an explicit layout. `matrix` is the layout of the matrices in it, if there are any.
    fn size_of(&self, id: Word, matrix: Option<MatrixLayout>) -> u32 {
        match self.ids.shape(id) {
            Shape::Int { bits, .. } | Shape::Float { bits } => bits / 8,
            Shape::Vector { component, count } => {
                self.size_of(component, None).saturating_mul(count)
            }
            Shape::Matrix { column, count: columns } => {
                let bytes = self.size_of(column, None);
                let Some(MatrixLayout { stride, by_rows }) = matrix else {
                    return bytes.saturating_mul(columns);
                };
                let (component, rows) = match self.ids.shape(column) {
                    Shape::Vector { component, count } => (self.size_of(component, None), count),
                    _ => (0, bytes),
                };
                let (vectors, vector) = match by_rows {
                    true => (rows, component.saturating_mul(columns)),
                    false => (columns, bytes),
                };
                stride.saturating_mul(vectors.saturating_sub(1)).saturating_add(vector)
            }
            Shape::Array { length, .. } => {
                let stride = self.decoration(id, Decoration::ArrayStride).unwrap_or(0);
                stride.saturating_mul(self.constant(length).unwrap_or(0))
            }
            Shape::Struct(members) => (0u32..)
                .zip(members)
                .map(|(index, member)| {
                    self.member_offset(id, index)
                        .saturating_add(self.member_size(id, index, member))
                })
                .max()
                .unwrap_or(0),
            Shape::Pointer { .. } => 8,
            _ => 0,
        }
    }

    /// The 32-bit value of a scalar constant.
    fn constant(&self, id: Word) -> Option<u32> {
        let definition = self.ids.global(id)?;
        match (definition.class.opcode, definition.operands.first()) {
            (Op::Constant | Op::SpecConstant, Some(Operand::LiteralBit32(value))) => Some(*value),
            (Op::ConstantTrue | Op::SpecConstantTrue, _) => Some(1),
            (Op::ConstantFalse | Op::SpecConstantFalse, _) => Some(0),
            _ => None,
        }
    }

    fn decoration(&self, id: Word, what: Decoration) -> Option<u32> {
        literal(self.ids.decoration(id, what))
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
