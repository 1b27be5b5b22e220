//! Rewrites functions so that no value can cause an out-of-bounds access or a trap.
//!
//! Indices are clamped. Divisors that would trap become 1. Shift amounts are taken modulo the width, conversions to
//! integers saturate, and undefined values become zero. The added instructions are plain SPIR-V and do not depend on
//! driver features. None are added for indices, divisors, shifts and bit fields that are constants in range.

use std::collections::{HashMap, HashSet};

use rspirv::dr::{Function, Instruction, Operand};
use rspirv::spirv::{GlslStd450Op as Glsl, Op, Word};

use super::error::{CheckError, invalid};
use super::flow::Flow;
use crate::spirv::editor::{Editor, plain};
use crate::spirv::fold::mask;
use crate::spirv::ids::{Shape, function_id, id_operands, operand};

/// Whether accesses to a buffer's unsized array are clamped to its length.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnsizedArrays {
    /// Accesses are clamped.
    Clamped,
    /// Accesses are not clamped. For modules that will access buffers by address, because an address has no length.
    Unclamped,
}

/// Number of elements of an array, a vector or a matrix.
enum Length {
    Fixed(u64),
    /// The id of a specialization constant.
    Specialized(Word),
    /// The length of an unsized array: its buffer variable, and the index of its member in the block.
    Buffer(Word, u32),
}

/// Rewrites the functions in `wanted`.
pub(crate) fn guard(
    editor: &mut Editor,
    wanted: &HashSet<Word>,
    arrays: UnsizedArrays,
) -> Result<(), CheckError> {
    let mut functions = std::mem::take(&mut editor.module.functions);
    for function in &mut functions {
        let id = function_id(function).unwrap_or(0);
        if wanted.contains(&id) {
            let guard = Guard { editor, out: Vec::new(), unsized_arrays: HashMap::new(), arrays };
            guard.function(function)?;
        }
    }
    editor.module.functions = functions;
    Ok(())
}

struct Guard<'e> {
    editor: &'e mut Editor,
    /// The block being written.
    out: Vec<Instruction>,
    /// Pointers to whole unsized arrays, each with its buffer and the index of its member in the block.
    unsized_arrays: HashMap<Word, (Word, u32)>,
    arrays: UnsizedArrays,
}

impl Guard<'_> {
    fn function(mut self, function: &mut Function) -> Result<(), CheckError> {
        let returns = function.def.as_ref().and_then(|d| d.result_type).unwrap_or(0);
        let flow = Flow::new(function)?;
        for (at, block) in function.blocks.iter_mut().enumerate() {
            for mut instruction in std::mem::take(&mut block.instructions) {
                if instruction.class.opcode == Op::Unreachable && flow.is_reachable(at) {
                    instruction = self.return_zero(returns);
                }
                self.instruction(&mut instruction)?;
                self.out.push(instruction);
            }
            block.instructions = std::mem::take(&mut self.out);
        }
        Ok(())
    }

    fn instruction(&mut self, instruction: &mut Instruction) -> Result<(), CheckError> {
        match instruction.class.opcode {
            Op::AccessChain | Op::InBoundsAccessChain => self.chain(instruction)?,
            Op::VectorExtractDynamic => self.vector_index(instruction, 0, 1),
            Op::VectorInsertDynamic => self.vector_index(instruction, 0, 2),
            Op::UDiv | Op::UMod => self.division(instruction, false),
            Op::SDiv | Op::SRem | Op::SMod => self.division(instruction, true),
            Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic => {
                self.shift(instruction);
            }
            Op::BitFieldInsert => self.bit_field(instruction, 2),
            Op::BitFieldSExtract | Op::BitFieldUExtract => self.bit_field(instruction, 1),
            Op::ConvertFToU => self.conversion(instruction, false),
            Op::ConvertFToS => self.conversion(instruction, true),
            Op::Variable if instruction.operands.len() == 1 => self.variable(instruction),
            Op::Undef => {
                let (ty, id) = (instruction.result_type, instruction.result_id);
                let zero = self.editor.null(ty.unwrap_or(0));
                *instruction = Instruction::new(Op::CopyObject, ty, id, vec![Operand::IdRef(zero)]);
            }
            _ => {}
        }
        Ok(())
    }

    /// Replaces `OpUnreachable`: the function returns zero instead.
    fn return_zero(&mut self, returns: Word) -> Instruction {
        if self.editor.ids.shape(returns) == Shape::Void {
            return plain(Op::Return, vec![]);
        }
        let zero = self.editor.null(returns);
        plain(Op::ReturnValue, vec![Operand::IdRef(zero)])
    }

    /// Initializes a variable with zero, because reading an uninitialized variable is undefined behaviour.
    fn variable(&mut self, instruction: &mut Instruction) {
        let pointer = self.editor.ids.shape(instruction.result_type.unwrap_or(0));
        if let Shape::Pointer { pointee, .. } = pointer {
            let zero = self.editor.null(pointee);
            instruction.operands.push(Operand::IdRef(zero));
        }
    }

    /// Adds an instruction to the block being written, and returns its result id.
    fn emit(&mut self, op: Op, ty: Word, operands: Vec<Operand>) -> Word {
        let id = self.editor.fresh();
        self.editor.ids.add_value(id, ty);
        self.out.push(Instruction::new(op, Some(ty), Some(id), operands));
        id
    }

    /// Like [`emit`](Self::emit), for operands that are ids.
    fn operation(&mut self, op: Op, ty: Word, operands: &[Word]) -> Word {
        self.emit(op, ty, operands.iter().map(|id| Operand::IdRef(*id)).collect())
    }

    /// Adds a call of a GLSL.std.450 function, and returns its result id.
    fn call(&mut self, op: Glsl, ty: Word, operands: &[Word]) -> Word {
        let set = self.editor.glsl_std_450();
        let mut all = vec![Operand::IdRef(set), Operand::LiteralExtInstInteger(op as u32)];
        all.extend(operands.iter().map(|id| Operand::IdRef(*id)));
        self.emit(Op::ExtInst, ty, all)
    }

    /// Clamps the indices of an access chain.
    fn chain(&mut self, instruction: &mut Instruction) -> Result<(), CheckError> {
        let ids: Vec<Word> = id_operands(instruction).collect();
        let Some((&base, indices)) = ids.split_first() else { return Ok(()) };
        let Some((_, mut ty)) = self.editor.ids.pointer(base) else { return Ok(()) };
        let mut buffer = self.unsized_arrays.get(&base).copied();
        for (at, &index) in indices.iter().enumerate() {
            let (inner, length) = match self.editor.ids.shape(ty) {
                Shape::Struct(members) => {
                    let member = self.editor.ids.constant(index).unwrap_or(u64::MAX);
                    let inner = usize::try_from(member).ok().and_then(|m| members.get(m));
                    ty = *inner.ok_or_else(|| {
                        invalid("an access chain uses a member that the structure does not have")
                    })?;
                    buffer = (at == 0).then_some((base, member as u32));
                    continue;
                }
                Shape::Array { element, length } => (element, self.array_length(length)),
                Shape::Vector { component, count } => (component, Length::Fixed(count.into())),
                Shape::Matrix { column, count } => (column, Length::Fixed(count.into())),
                Shape::RuntimeArray { element } => {
                    let (variable, member) =
                        buffer.ok_or_else(|| invalid("an unsized array is not in a buffer"))?;
                    (element, Length::Buffer(variable, member))
                }
                _ => return Err(invalid("an access chain indexes a value without elements")),
            };
            let clamped = self.clamp(index, &length);
            if let Some(operand) = instruction.operands.get_mut(at + 1) {
                *operand = Operand::IdRef(clamped);
            }
            (ty, buffer) = (inner, None);
        }
        if let (Shape::RuntimeArray { .. }, Some(of), Some(id)) =
            (self.editor.ids.shape(ty), buffer, instruction.result_id)
        {
            self.unsized_arrays.insert(id, of);
        }
        Ok(())
    }

    fn array_length(&self, length: Word) -> Length {
        match self.editor.ids.constant(length) {
            Some(fixed) => Length::Fixed(fixed),
            None => Length::Specialized(length),
        }
    }

    fn vector_index(&mut self, instruction: &mut Instruction, vector: usize, index: usize) {
        let of = |at: usize| operand(instruction, at);
        let (Some(vector), Some(id)) = (of(vector), of(index)) else { return };
        if let Shape::Vector { count, .. } = self.editor.ids.shape_of(vector) {
            let clamped = self.clamp(id, &Length::Fixed(count.into()));
            instruction.operands[index] = Operand::IdRef(clamped);
        }
    }

    /// Clamps the index to the last element. Negative indices count as large unsigned numbers.
    fn clamp(&mut self, index: Word, length: &Length) -> Word {
        let ty = self.editor.ids.type_of(index);
        let Shape::Int { bits, .. } = self.editor.ids.shape(ty) else { return index };
        let known = self.editor.ids.constant(index);
        let last = match *length {
            Length::Fixed(length) => {
                if known.is_some_and(|value| value < length) {
                    return index;
                }
                self.editor.splat(ty, length.saturating_sub(1).min(mask(bits)))
            }
            Length::Specialized(length) => self.last_specialized(ty, length),
            Length::Buffer(variable, member) => {
                // The scheduler rejects buffers without room for one element, so index 0 is in range.
                if known == Some(0) || self.arrays == UnsizedArrays::Unclamped {
                    return index;
                }
                self.last_of_buffer(ty, variable, member)
            }
        };
        self.call(Glsl::UMin, ty, &[index, last])
    }

    /// Returns the last index of an array whose length is a specialization constant, as a number of type `ty`.
    fn last_specialized(&mut self, ty: Word, length: Word) -> Word {
        let own = self.editor.ids.type_of(length);
        let one = self.editor.splat(own, 1);
        let width = |shape| match shape {
            Shape::Int { bits, .. } => bits,
            _ => 0,
        };
        let same = width(self.editor.ids.shape(own)) == width(self.editor.ids.shape(ty));
        let result = if same { ty } else { own };
        let operands = vec![
            Operand::LiteralSpecConstantOpInteger(Op::ISub),
            Operand::IdRef(length),
            Operand::IdRef(one),
        ];
        let last = self.editor.declare(Op::SpecConstantOp, Some(result), operands);
        self.converted(last, ty)
    }

    /// Returns the last index of an unsized array, as a number of type `ty`; 0 if the array is empty.
    fn last_of_buffer(&mut self, ty: Word, variable: Word, member: u32) -> Word {
        let word = self.editor.int(32, false);
        let operands = vec![Operand::IdRef(variable), Operand::LiteralBit32(member)];
        let length = self.emit(Op::ArrayLength, word, operands);
        let one = self.editor.splat(word, 1);
        let length = self.call(Glsl::UMax, word, &[length, one]);
        let last = self.operation(Op::ISub, word, &[length, one]);
        self.converted(last, ty)
    }

    /// Converts an unsigned number to another integer type. Values that do not fit in the type lose their high bits.
    fn converted(&mut self, value: Word, ty: Word) -> Word {
        let own = self.editor.ids.type_of(value);
        let (Shape::Int { bits, .. }, Shape::Int { bits: wanted, signed }) =
            (self.editor.ids.shape(own), self.editor.ids.shape(ty))
        else {
            return value;
        };
        if own == ty {
            return value;
        }
        let mut value = value;
        if bits != wanted {
            let unsigned = self.editor.int(wanted, false);
            value = self.operation(Op::UConvert, unsigned, &[value]);
            if !signed {
                return value;
            }
        }
        self.operation(Op::Bitcast, ty, &[value])
    }

    /// Replaces the divisor by 1 if the division would trap: by zero, or of the smallest integer by -1.
    fn division(&mut self, instruction: &mut Instruction, signed: bool) {
        let [Operand::IdRef(dividend), Operand::IdRef(divisor)] = instruction.operands[..] else {
            return;
        };
        let ty = self.editor.ids.type_of(divisor);
        let Shape::Int { bits, .. } = self.editor.ids.scalar(ty) else { return };
        let mask = mask(bits);
        let traps = |value: &u64| value & mask == 0 || signed && value & mask == mask;
        if self.editor.ids.components(divisor).is_some_and(|parts| !parts.iter().any(traps)) {
            return;
        }
        let flag = self.editor.bool_like(ty);
        let zero = self.editor.null(ty);
        let mut wrong = self.operation(Op::IEqual, flag, &[divisor, zero]);
        if signed {
            let minus_one = self.editor.splat(ty, mask);
            let dividend_type = self.editor.ids.type_of(dividend);
            let least = self.editor.splat(dividend_type, 1 << (bits - 1));
            let by_minus_one = self.operation(Op::IEqual, flag, &[divisor, minus_one]);
            let of_least = self.operation(Op::IEqual, flag, &[dividend, least]);
            let overflows = self.operation(Op::LogicalAnd, flag, &[by_minus_one, of_least]);
            wrong = self.operation(Op::LogicalOr, flag, &[wrong, overflows]);
        }
        let one = self.editor.splat(ty, 1);
        let safe = self.operation(Op::Select, ty, &[wrong, one, divisor]);
        instruction.operands[1] = Operand::IdRef(safe);
    }

    /// Takes the shift amount modulo the width of the shifted number.
    fn shift(&mut self, instruction: &mut Instruction) {
        let [Operand::IdRef(base), Operand::IdRef(amount)] = instruction.operands[..] else {
            return;
        };
        let Shape::Int { bits, .. } = self.editor.ids.scalar(self.editor.ids.type_of(base)) else {
            return;
        };
        let in_range = |value: &u64| *value < u64::from(bits);
        if self.editor.ids.components(amount).is_some_and(|parts| parts.iter().all(in_range)) {
            return;
        }
        let ty = self.editor.ids.type_of(amount);
        let mask = self.editor.splat(ty, u64::from(bits) - 1);
        let masked = self.operation(Op::BitwiseAnd, ty, &[amount, mask]);
        instruction.operands[1] = Operand::IdRef(masked);
    }

    /// Limits a bit field to the bits of the number: the first bit is taken modulo the width, and the length is at
    /// most the number of remaining bits.
    fn bit_field(&mut self, instruction: &mut Instruction, at: usize) {
        let of = |at: usize| operand(instruction, at);
        let (Some(base), Some(first), Some(count)) = (of(0), of(at), of(at + 1)) else { return };
        let ids = &self.editor.ids;
        let Shape::Int { bits, .. } = ids.scalar(ids.type_of(base)) else { return };
        if let (Some(first), Some(count)) = (ids.constant(first), ids.constant(count))
            && first.saturating_add(count) <= u64::from(bits)
        {
            return;
        }
        let (first_type, count_type) = (ids.type_of(first), ids.type_of(count));
        let mask = self.editor.splat(first_type, u64::from(bits) - 1);
        let first = self.operation(Op::BitwiseAnd, first_type, &[first, mask]);
        let width = self.editor.splat(first_type, u64::from(bits));
        let available = self.operation(Op::ISub, first_type, &[width, first]);
        let available = self.converted(available, count_type);
        let count = self.call(Glsl::UMin, count_type, &[count, available]);
        instruction.operands[at] = Operand::IdRef(first);
        instruction.operands[at + 1] = Operand::IdRef(count);
    }

    /// Clamps the operand of a float-to-integer conversion to the range of the integer type. NaN becomes the smallest
    /// integer.
    fn conversion(&mut self, instruction: &mut Instruction, signed: bool) {
        let Some(value) = operand(instruction, 0) else { return };
        let ids = &self.editor.ids;
        let from = ids.type_of(value);
        let (Shape::Float { bits: real }, Shape::Int { bits, .. }) =
            (ids.scalar(from), ids.scalar(instruction.result_type.unwrap_or(0)))
        else {
            return;
        };
        let digits = if real == 64 { f64::MANTISSA_DIGITS } else { f32::MANTISSA_DIGITS };
        let magnitude = bits - u32::from(signed);
        // The largest integer below 2^magnitude that is representable as a float.
        let ulp = 2f64.powi(magnitude.saturating_sub(digits) as i32);
        let max = 2f64.powi(magnitude as i32) - ulp;
        let min = if signed { -2f64.powi(magnitude as i32) } else { 0.0 };
        let [min, max] = [min, max].map(|limit| match real {
            64 => limit.to_bits(),
            _ => u64::from((limit as f32).to_bits()),
        });
        let (min, max) = (self.editor.splat(from, min), self.editor.splat(from, max));
        let clamped = self.call(Glsl::NClamp, from, &[value, min, max]);
        instruction.operands[0] = Operand::IdRef(clamped);
    }
}
