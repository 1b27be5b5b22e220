//! Adds types, constants, variables and imports to a module. Reuses existing ones where possible.

use std::collections::HashMap;

use rspirv::binary::Assemble;
use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Op, Word};

use super::ids::{Ids, Shape};

const GLSL_STD_450: &str = "GLSL.std.450";

type Key = (Op, Option<Word>, Vec<Operand>);

/// A module being edited.
pub(crate) struct Editor {
    pub module: Module,
    pub ids: Ids,
    next_id: Word,
    /// Types and constants that can be reused.
    known: HashMap<Key, Word>,
}

/// An instruction without a type or a result.
pub(crate) fn plain(op: Op, operands: Vec<Operand>) -> Instruction {
    Instruction::new(op, None, None, operands)
}

impl Editor {
    /// Starts editing a module. `ids` is the index of its ids.
    pub fn new(module: Module, ids: Ids) -> Self {
        let next_id = module.header.as_ref().map_or(0, |header| header.bound);
        let mut known = HashMap::new();
        for global in &module.types_global_values {
            // Equal arrays and structures may have different decorations, so they are never shared.
            let op = global.class.opcode;
            let aggregate = matches!(op, Op::TypeArray | Op::TypeRuntimeArray | Op::TypeStruct);
            if let (Some(id), false) = (global.result_id, aggregate) {
                let key = (op, global.result_type, global.operands.clone());
                known.entry(key).or_insert(id);
            }
        }
        Self { module, ids, next_id, known }
    }

    /// Returns an unused id.
    pub fn fresh(&mut self) -> Word {
        self.next_id += 1;
        self.next_id - 1
    }

    /// Returns the id of a type or constant, and adds it if necessary.
    pub fn declare(&mut self, op: Op, ty: Option<Word>, operands: Vec<Operand>) -> Word {
        let key = (op, ty, operands);
        if let Some(id) = self.known.get(&key) {
            return *id;
        }
        let id = self.add(key.0, key.1, key.2.clone());
        self.known.insert(key, id);
        id
    }

    /// Adds a type, constant or variable even if an equal one exists.
    pub fn add(&mut self, op: Op, ty: Option<Word>, operands: Vec<Operand>) -> Word {
        let id = self.fresh();
        let instruction = Instruction::new(op, ty, Some(id), operands);
        self.ids.add_global(&instruction);
        self.module.types_global_values.push(instruction);
        id
    }

    /// Returns an integer type.
    pub fn int(&mut self, bits: u32, signed: bool) -> Word {
        let operands = vec![Operand::LiteralBit32(bits), Operand::LiteralBit32(signed.into())];
        self.declare(Op::TypeInt, None, operands)
    }

    /// The result type of comparing values of type `ty`.
    pub fn bool_like(&mut self, ty: Word) -> Word {
        let scalar = self.declare(Op::TypeBool, None, vec![]);
        match self.ids.shape(ty) {
            Shape::Vector { count, .. } => {
                let operands = vec![Operand::IdRef(scalar), Operand::LiteralBit32(count)];
                self.declare(Op::TypeVector, None, operands)
            }
            _ => scalar,
        }
    }

    /// Returns a scalar constant with these bits, or a vector constant with these bits in each
    /// component.
    pub fn splat(&mut self, ty: Word, bits: u64) -> Word {
        match self.ids.shape(ty) {
            Shape::Vector { component, count } => {
                let part = self.splat(component, bits);
                let parts = vec![Operand::IdRef(part); count as usize];
                self.declare(Op::ConstantComposite, Some(ty), parts)
            }
            Shape::Int { bits: 64, .. } | Shape::Float { bits: 64 } => {
                self.declare(Op::Constant, Some(ty), vec![Operand::LiteralBit64(bits)])
            }
            Shape::Int { bits: width, signed } if width < 32 => {
                // Constants of less than 32 bits are extended to a word: signed constants by their sign, others by
                // zeros.
                let shift = 32 - width;
                let word = (bits as u32) << shift;
                let word = if signed { (word as i32 >> shift) as u32 } else { word >> shift };
                self.declare(Op::Constant, Some(ty), vec![Operand::LiteralBit32(word)])
            }
            _ => self.declare(Op::Constant, Some(ty), vec![Operand::LiteralBit32(bits as u32)]),
        }
    }

    /// Returns the zero constant of a type.
    pub fn null(&mut self, ty: Word) -> Word {
        self.declare(Op::ConstantNull, Some(ty), vec![])
    }

    /// The extended instruction set for GLSL functions.
    pub fn glsl_std_450(&mut self) -> Word {
        let wanted = Operand::LiteralString(GLSL_STD_450.to_owned());
        let found =
            self.module.ext_inst_imports.iter().find(|i| i.operands.first() == Some(&wanted));
        found.and_then(|i| i.result_id).unwrap_or_else(|| {
            let id = self.fresh();
            let import = Instruction::new(Op::ExtInstImport, None, Some(id), vec![wanted]);
            self.module.ext_inst_imports.push(import);
            id
        })
    }

    /// Returns the words of the edited module.
    pub fn finish(mut self) -> Vec<u32> {
        if let Some(header) = &mut self.module.header {
            header.bound = self.next_id;
        }
        self.module.assemble()
    }
}
