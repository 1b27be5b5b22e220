//! Types and constants of a module, in declaration order: array lengths may be specialization
//! constants, which may be computed from other constants.

use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Decoration, Op, Word};

use super::{Decoder, id_at, number_at};
use crate::alu::{self, Alu, Kind};
use crate::error::Result;
use crate::eval::eval;
use crate::types::{Scalar, Type};

impl Decoder<'_> {
    /// Handles a type declaration. Returns whether `global` is one.
    pub(super) fn declare_type(&mut self, global: &Instruction) -> Result<bool> {
        let number = |at: usize| number_at(global, at) as u32;
        let id_at = |at: usize| id_at(global, at);
        let new = match global.class.opcode {
            Op::TypeVoid => Type::Void,
            Op::TypeBool => Type::Scalar(Scalar::Bool),
            Op::TypeInt => match number(0) {
                32 | 64 => {
                    Type::Scalar(Scalar::Int { wide: number(0) == 64, signed: number(1) != 0 })
                }
                bits => return Err(self.unknown(format!("integers of {bits} bits"))),
            },
            Op::TypeFloat => match number(0) {
                32 | 64 => Type::Scalar(Scalar::Float { wide: number(0) == 64 }),
                bits => return Err(self.unknown(format!("floats of {bits} bits"))),
            },
            Op::TypeVector => Type::Vector { element: id_at(0), len: number(1) },
            Op::TypeArray => {
                let len = self.constants.get(&id_at(1)).and_then(|c| c.first()).copied();
                let Some(len) = len else {
                    return Err(self.malformed("an array without a length"));
                };
                Type::Array { element: id_at(0), len: len as u32 }
            }
            Op::TypeRuntimeArray => Type::RuntimeArray { element: id_at(0) },
            Op::TypeStruct => Type::Struct {
                members: global.operands.iter().filter_map(Operand::id_ref_any).collect(),
            },
            Op::TypePointer => match global.operands.first() {
                Some(Operand::StorageClass(class)) => {
                    Type::Pointer { class: *class, pointee: id_at(1) }
                }
                _ => return Err(self.malformed("a pointer without a storage class")),
            },
            Op::TypeForwardPointer | Op::TypeFunction => Type::Function,
            _ => return Ok(false),
        };
        if let Some(id) = global.result_id {
            self.types.all.insert(id, new);
        }
        Ok(true)
    }

    pub(super) fn constant(&mut self, global: &Instruction) -> Result<()> {
        let (Some(id), Some(of)) = (global.result_id, global.result_type) else {
            return Err(self.unknown(format!("Op{:?}", global.class.opcode)));
        };
        let literal = number_at(global, 0);
        let given = self.decoration(id, Decoration::SpecId).and_then(|wanted| {
            self.specialization.iter().find(|(spec, _)| *spec == wanted).map(|(_, value)| *value)
        });
        let given = given.map(u64::from);
        let values = match global.class.opcode {
            Op::Constant => vec![literal],
            Op::SpecConstant => vec![given.unwrap_or(literal)],
            Op::ConstantTrue => vec![1],
            Op::ConstantFalse => vec![0],
            Op::SpecConstantTrue => vec![given.map_or(1, |v| u64::from(v != 0))],
            Op::SpecConstantFalse => vec![given.map_or(0, |v| u64::from(v != 0))],
            Op::ConstantComposite | Op::SpecConstantComposite => {
                let parts = global.operands.iter().filter_map(Operand::id_ref_any);
                parts
                    .flat_map(|part| self.constants.get(&part).cloned().unwrap_or_default())
                    .collect()
            }
            Op::ConstantNull | Op::Undef => vec![0; self.types.slots(of) as usize],
            Op::SpecConstantOp => self.computed(global, of)?,
            op => return Err(self.unknown(format!("Op{op:?}"))),
        };
        self.value_types.insert(id, of);
        let first = self.allocate(values.len() as u32);
        // The registers of `OpUndef` stay undefined.
        if global.class.opcode != Op::Undef {
            self.program.constants.extend((first..).zip(values.iter().copied()));
        }
        self.registers.insert(id, first);
        self.constants.insert(id, values);
        Ok(())
    }

    /// The value of an `OpSpecConstantOp`.
    fn computed(&self, global: &Instruction, of: Word) -> Result<Vec<u64>> {
        let Some(Operand::LiteralSpecConstantOpInteger(op)) = global.operands.first() else {
            return Err(self.malformed("OpSpecConstantOp without an operation"));
        };
        let ids: Vec<Word> = global.operands.iter().filter_map(Operand::id_ref_any).collect();
        let parts: Vec<&[u64]> =
            ids.iter().map(|id| self.constants.get(id).map_or(&[][..], Vec::as_slice)).collect();
        let part = |operand: usize, at: usize| {
            let values = parts.get(operand).copied().unwrap_or_default();
            if values.len() == 1 { values.first() } else { values.get(at) }.copied().unwrap_or(0)
        };
        if *op == Op::CompositeExtract {
            let index = global.operands.iter().find_map(|o| match o {
                Operand::LiteralBit32(index) => Some(*index as usize),
                _ => None,
            });
            return Ok(vec![part(0, index.unwrap_or(0))]);
        }
        let Some(kind) = alu::kind_of(*op) else {
            return Err(self.unknown(format!("OpSpecConstantOp {op:?}")));
        };
        let operand = if kind == Kind::Select { ids.get(1) } else { ids.first() };
        let operand =
            operand.and_then(|id| self.value_types.get(id)).and_then(|t| self.types.scalar(*t));
        let (Some(result), Some(operand)) = (self.types.scalar(of), operand) else {
            return Err(self.malformed("OpSpecConstantOp of values that are not numbers"));
        };
        let op = Alu::new(kind, result, operand);
        let n = self.types.slots(of) as usize;
        Ok((0..n).map(|k| eval(op, part(0, k), part(1, k), part(2, k))).collect())
    }
}
