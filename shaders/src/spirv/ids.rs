//! Indexes the ids of a module: types, constants, names and decorations.

use std::collections::{HashMap, HashSet};

use rspirv::dr::{Function, Instruction, Module, Operand};
use rspirv::spirv::{Decoration, Op, StorageClass, Word};

/// A type. The types of its components are ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Void,
    Bool,
    Int { bits: u32, signed: bool },
    Float { bits: u32 },
    Vector { component: Word, count: u32 },
    Matrix { column: Word, count: u32 },
    Array { element: Word, length: Word },
    RuntimeArray { element: Word },
    Struct(Vec<Word>),
    Pointer { class: StorageClass, pointee: Word },
    Function { returns: Word, parameters: Vec<Word> },
    Other(Op),
}

/// Index of the ids of a module.
#[derive(Default)]
pub(crate) struct Ids {
    globals: HashMap<Word, Instruction>,
    /// The type of each value, including those in functions.
    types: HashMap<Word, Word>,
    imports: HashSet<Word>,
    names: HashMap<Word, String>,
    member_names: HashMap<(Word, u32), String>,
    decorations: HashMap<Word, Vec<Vec<Operand>>>,
    member_decorations: HashMap<(Word, u32), Vec<Vec<Operand>>>,
}

impl Ids {
    /// Indexes a module, which may be incomplete or invalid.
    pub fn new(module: &Module) -> Self {
        let mut ids = Self::default();
        for instruction in module.all_inst_iter() {
            ids.types.extend(instruction.result_id.zip(instruction.result_type));
        }
        for instruction in &module.types_global_values {
            ids.globals.extend(instruction.result_id.map(|id| (id, instruction.clone())));
        }
        ids.imports.extend(module.ext_inst_imports.iter().filter_map(|i| i.result_id));
        ids.index_names(module);
        ids.index_decorations(module);
        ids
    }

    fn index_names(&mut self, module: &Module) {
        for instruction in &module.debug_names {
            match instruction.operands.as_slice() {
                [Operand::IdRef(id), Operand::LiteralString(name)] => {
                    self.names.insert(*id, name.clone());
                }
                [
                    Operand::IdRef(id),
                    Operand::LiteralBit32(member),
                    Operand::LiteralString(name),
                ] => {
                    self.member_names.insert((*id, *member), name.clone());
                }
                _ => {}
            }
        }
    }

    fn index_decorations(&mut self, module: &Module) {
        for instruction in &module.annotations {
            match (instruction.class.opcode, instruction.operands.as_slice()) {
                (Op::Decorate, [Operand::IdRef(id), rest @ ..]) => {
                    self.decorations.entry(*id).or_default().push(rest.to_vec());
                }
                (
                    Op::MemberDecorate,
                    [Operand::IdRef(id), Operand::LiteralBit32(member), rest @ ..],
                ) => {
                    self.member_decorations.entry((*id, *member)).or_default().push(rest.to_vec());
                }
                _ => {}
            }
        }
    }

    /// Records an added type, constant or variable.
    pub fn add_global(&mut self, instruction: &Instruction) {
        if let Some(id) = instruction.result_id {
            self.globals.insert(id, instruction.clone());
            self.types.extend(instruction.result_type.map(|ty| (id, ty)));
        }
    }

    /// Records a value added to a function.
    pub fn add_value(&mut self, id: Word, ty: Word) {
        self.types.insert(id, ty);
    }

    /// The type, constant or module-scope variable `id`.
    pub fn global(&self, id: Word) -> Option<&Instruction> {
        self.globals.get(&id)
    }

    /// Whether the id is an extended instruction set.
    pub fn is_import(&self, id: Word) -> bool {
        self.imports.contains(&id)
    }

    /// The type of a value.
    pub fn type_of(&self, id: Word) -> Word {
        self.types.get(&id).copied().unwrap_or(0)
    }

    /// The structure of the type `id`.
    pub fn shape(&self, id: Word) -> Shape {
        let Some(ty) = self.globals.get(&id) else { return Shape::Other(Op::Nop) };
        let op = ty.class.opcode;
        match (op, ty.operands.as_slice()) {
            (Op::TypeVoid, _) => Shape::Void,
            (Op::TypeBool, _) => Shape::Bool,
            (Op::TypeInt, [Operand::LiteralBit32(bits), Operand::LiteralBit32(sign)]) => {
                Shape::Int { bits: *bits, signed: *sign != 0 }
            }
            (Op::TypeFloat, [Operand::LiteralBit32(bits)]) => Shape::Float { bits: *bits },
            (Op::TypeVector, [Operand::IdRef(component), Operand::LiteralBit32(count)]) => {
                Shape::Vector { component: *component, count: *count }
            }
            (Op::TypeMatrix, [Operand::IdRef(column), Operand::LiteralBit32(count)]) => {
                Shape::Matrix { column: *column, count: *count }
            }
            (Op::TypeArray, [Operand::IdRef(element), Operand::IdRef(length)]) => {
                Shape::Array { element: *element, length: *length }
            }
            (Op::TypeRuntimeArray, [Operand::IdRef(element)]) => {
                Shape::RuntimeArray { element: *element }
            }
            (Op::TypeStruct, members) => {
                Shape::Struct(members.iter().filter_map(Operand::id_ref_any).collect())
            }
            (Op::TypePointer, [Operand::StorageClass(class), Operand::IdRef(pointee)]) => {
                Shape::Pointer { class: *class, pointee: *pointee }
            }
            (Op::TypeFunction, [Operand::IdRef(returns), parameters @ ..]) => Shape::Function {
                returns: *returns,
                parameters: parameters.iter().filter_map(Operand::id_ref_any).collect(),
            },
            _ => Shape::Other(op),
        }
    }

    /// The structure of the type of the value `id`.
    pub fn shape_of(&self, id: Word) -> Shape {
        self.shape(self.type_of(id))
    }

    /// Storage class and pointee, if the value `id` is a pointer.
    pub fn pointer(&self, id: Word) -> Option<(StorageClass, Word)> {
        match self.shape_of(id) {
            Shape::Pointer { class, pointee } => Some((class, pointee)),
            _ => None,
        }
    }

    /// The structure of a scalar type, or of a vector's component type.
    pub fn scalar(&self, ty: Word) -> Shape {
        match self.shape(ty) {
            Shape::Vector { component, .. } => self.shape(component),
            other => other,
        }
    }

    /// The bits of a scalar constant; `None` for specialization constants.
    pub fn constant(&self, id: Word) -> Option<u64> {
        let global = self.globals.get(&id)?;
        match (global.class.opcode, global.operands.first()) {
            (Op::Constant, Some(Operand::LiteralBit32(value))) => Some(u64::from(*value)),
            (Op::Constant, Some(Operand::LiteralBit64(value))) => Some(*value),
            (Op::ConstantTrue, _) => Some(1),
            (Op::ConstantFalse, _) => Some(0),
            (Op::ConstantNull, _) => match self.shape(global.result_type?) {
                Shape::Int { .. } | Shape::Bool => Some(0),
                _ => None,
            },
            _ => None,
        }
    }

    /// The components of a vector constant, or the single value of a scalar constant; `None` for specialization
    /// constants.
    pub fn components(&self, id: Word) -> Option<Vec<u64>> {
        if let Some(value) = self.constant(id) {
            return Some(vec![value]);
        }
        let global = self.globals.get(&id)?;
        (global.class.opcode == Op::ConstantComposite).then_some(())?;
        let parts = global.operands.iter().map(|o| self.constant(o.id_ref_any()?));
        parts.collect()
    }

    /// The GLSL name; for functions, without the parameter types.
    pub fn name(&self, id: Word) -> String {
        let full = self.names.get(&id).map_or("", String::as_str);
        let short = full.split('(').next().unwrap_or_default();
        if short.is_empty() { format!("%{id}") } else { short.to_owned() }
    }

    /// The name as the compiler encodes it, with parameter types: `bucket_of(u1;`.
    pub fn full_name(&self, id: Word) -> &str {
        self.names.get(&id).map_or("", String::as_str)
    }

    /// The index of a structure's member with this name.
    #[cfg(feature = "compile")]
    pub fn member(&self, structure: Word, name: &str) -> Option<u32> {
        let count = self.members(structure)?.len() as u32;
        (0..count).find(|m| self.member_names.get(&(structure, *m)).is_some_and(|n| n == name))
    }

    /// The types of the members, if the type `id` is a structure.
    pub fn members(&self, id: Word) -> Option<Vec<Word>> {
        match self.shape(id) {
            Shape::Struct(members) => Some(members),
            _ => None,
        }
    }

    pub fn member_name(&self, structure: Word, member: u32) -> &str {
        self.member_names.get(&(structure, member)).map_or("", String::as_str)
    }

    /// Whether the id has this decoration.
    pub fn has(&self, id: Word, what: Decoration) -> bool {
        self.decoration(id, what).is_some()
    }

    /// The operands of a decoration, if the id has it.
    pub fn decoration(&self, id: Word, what: Decoration) -> Option<&[Operand]> {
        find(self.decorations.get(&id)?, what)
    }

    /// The operands of a decoration, if the member has it.
    pub fn member_decoration(&self, id: Word, member: u32, what: Decoration) -> Option<&[Operand]> {
        find(self.member_decorations.get(&(id, member))?, what)
    }
}

fn find(list: &[Vec<Operand>], what: Decoration) -> Option<&[Operand]> {
    let found = list.iter().find(|d| d.first() == Some(&Operand::Decoration(what)))?;
    found.get(1..)
}

/// The first operand of a decoration, as a number.
pub(crate) fn literal(operands: Option<&[Operand]>) -> Option<u32> {
    match operands?.first()? {
        Operand::LiteralBit32(value) => Some(*value),
        Operand::BuiltIn(builtin) => Some(*builtin as u32),
        _ => None,
    }
}

/// The operand at this index, if it is an id.
pub(crate) fn operand(instruction: &Instruction, at: usize) -> Option<Word> {
    instruction.operands.get(at)?.id_ref_any()
}

/// The operands that are ids, in order.
pub(crate) fn id_operands(instruction: &Instruction) -> impl DoubleEndedIterator<Item = Word> {
    instruction.operands.iter().filter_map(Operand::id_ref_any)
}

/// Whether the instruction declares a variable in a storage class.
pub(crate) fn is_variable(instruction: &Instruction, class: StorageClass) -> bool {
    instruction.class.opcode == Op::Variable
        && instruction.operands.first() == Some(&Operand::StorageClass(class))
}

pub(crate) fn function_id(function: &Function) -> Option<Word> {
    function.def.as_ref()?.result_id
}
