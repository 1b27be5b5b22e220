//! Decodes the instructions of a block other than control flow: arithmetic, composites,
//! conversions.

use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{GlslStd450Op as GLOp, Op, Word};

use super::{Decoder, Pointer, id_at};
use crate::alu::{self, Alu, Kind};
use crate::code::{Address, Code, Reg, Space};
use crate::error::Result;
use crate::types::{Qualifiers, Scalar, Type};

impl Decoder<'_> {
    pub(super) fn instruction(&mut self, i: &Instruction) -> Result<()> {
        match i.class.opcode {
            Op::Variable => return self.local_variable(i),
            Op::AccessChain | Op::InBoundsAccessChain => return self.chain(i),
            Op::Load => return self.load(i),
            Op::Store => return self.store(i),
            Op::ArrayLength => return self.array_length(i),
            Op::FunctionCall => return self.call(i),
            Op::ExtInst => return self.extended(i),
            Op::ControlBarrier => {
                let memory = self.semantics(i, 1, 2)?;
                let execution = self.scope(i, 0)?;
                self.emit(Code::ControlBarrier { execution, memory });
                return Ok(());
            }
            Op::MemoryBarrier => {
                let semantics = self.semantics(i, 0, 1)?;
                self.emit(Code::MemoryBarrier(semantics));
                return Ok(());
            }
            _ => {}
        }
        if self.atomic(i)? || self.group(i)? || self.composite(i)? {
            return Ok(());
        }
        match alu::kind_of(i.class.opcode) {
            Some(kind) => self.arithmetic(i, kind, 0),
            None => Err(self.unknown(format!("Op{:?}", i.class.opcode))),
        }
    }

    fn local_variable(&mut self, i: &Instruction) -> Result<()> {
        let (Some(id), Some(of)) = (i.result_id, i.result_type) else { return Ok(()) };
        let first = self.register(id)?;
        let at = Address { base: u64::from(first), reg: None };
        let (space, how) = (Space::Private, Qualifiers::default());
        self.pointers.insert(id, Pointer { space, at, how });
        let n = self.types.pointee(of).map_or(0, |(_, pointee)| self.types.slots(pointee));
        if i.operands.len() > 1 {
            let src = self.operand(i, 1)?;
            self.emit(Code::Copy { dst: first, src, n });
            return Ok(());
        }
        // Consecutive variables are marked as undefined by one instruction.
        match self.program.code.last_mut() {
            Some(Code::Forget { first: begin, n: so_far }) if *begin + *so_far == first => {
                *so_far += n;
            }
            _ => self.emit(Code::Forget { first, n }),
        }
        Ok(())
    }

    /// The result's register, type and number of scalars.
    pub(super) fn result(&self, i: &Instruction) -> Result<(Reg, Word, u32)> {
        match (i.result_id, i.result_type) {
            (Some(id), Some(of)) => Ok((self.register(id)?, of, self.types.slots(of))),
            _ => Err(self.malformed(format!("Op{:?} without a result", i.class.opcode))),
        }
    }

    fn operand_type(&self, i: &Instruction, at: usize) -> Option<Word> {
        self.value_types.get(&id_at(i, at)).copied()
    }

    /// The component type of an operand.
    fn operand_scalar(&self, i: &Instruction, at: usize) -> Option<Scalar> {
        self.operand_type(i, at).and_then(|of| self.types.scalar(of))
    }

    /// The number of scalars of an operand.
    pub(super) fn operand_slots(&self, i: &Instruction, at: usize) -> u32 {
        self.operand_type(i, at).map_or(0, |of| self.types.slots(of))
    }

    /// Emits a component-wise operation whose operands begin at `first`.
    fn arithmetic(&mut self, i: &Instruction, kind: Kind, first: usize) -> Result<()> {
        let (dst, of, n) = self.result(i)?;
        let typed = if kind == Kind::Select { first + 1 } else { first };
        let operand = self.operand_scalar(i, typed);
        let (Some(result), Some(operand)) = (self.types.scalar(of), operand) else {
            return Err(
                self.unknown(format!("Op{:?} with operands of these types", i.class.opcode))
            );
        };
        let (mut args, mut steps) = ([0; 3], [1; 3]);
        for (k, arg) in args.iter_mut().enumerate().take(alu::operands(kind)) {
            *arg = self.operand(i, first + k)?;
            if self.operand_slots(i, first + k) == 1 && n > 1 {
                steps[k] = 0;
            }
        }
        self.emit(Code::Alu { op: Alu::new(kind, result, operand), dst, args, steps, n });
        Ok(())
    }

    pub(super) fn simple(&mut self, kind: Kind, wide: bool, dst: Reg, a: Reg, b: Reg, n: u32) {
        let (op, args, steps) = (Alu::same(kind, wide), [a, b, b], [1; 3]);
        self.emit(Code::Alu { op, dst, args, steps, n });
    }

    fn extended(&mut self, i: &Instruction) -> Result<()> {
        let (set, number) = match i.operands.as_slice() {
            [Operand::IdRef(set), Operand::LiteralExtInstInteger(number), ..] => (*set, *number),
            _ => return Err(self.malformed("OpExtInst without an instruction number")),
        };
        let op = GLOp::from_u32(number).filter(|_| Some(set) == self.glsl);
        match op {
            Some(GLOp::PackDouble2x32) => {
                let ((dst, ..), from) = (self.result(i)?, self.operand(i, 2)?);
                self.simple(Kind::Pack, true, dst, from, from + 1, 1);
                Ok(())
            }
            Some(GLOp::UnpackDouble2x32) => {
                let ((dst, ..), from) = (self.result(i)?, self.operand(i, 2)?);
                self.simple(Kind::UConvert, false, dst, from, from, 1);
                self.simple(Kind::High, false, dst + 1, from, from, 1);
                Ok(())
            }
            _ => match op.and_then(alu::kind_of_glsl) {
                Some(kind) => self.arithmetic(i, kind, 2),
                None => Err(self.unknown(format!("OpExtInst {number} ({op:?})"))),
            },
        }
    }

    /// Decodes an instruction on composites or with several results, or a bit cast. Returns false
    /// for any other instruction.
    fn composite(&mut self, i: &Instruction) -> Result<bool> {
        match i.class.opcode {
            Op::Undef => {
                let (first, _, n) = self.result(i)?;
                self.emit(Code::Forget { first, n });
            }
            Op::CompositeConstruct => {
                let (mut dst, ..) = self.result(i)?;
                for at in 0..i.operands.len() {
                    let (src, n) = (self.operand(i, at)?, self.operand_slots(i, at));
                    self.emit(Code::Copy { dst, src, n });
                    dst += n;
                }
            }
            Op::CompositeExtract => {
                let ((dst, _, n), src) = (self.result(i)?, self.operand(i, 0)?);
                let at = self.part(self.operand_type(i, 0), i, 1)?;
                self.emit(Code::Copy { dst, src: src + at, n });
            }
            Op::CompositeInsert => {
                let (dst, of, n) = self.result(i)?;
                let (object, whole) = (self.operand(i, 0)?, self.operand(i, 1)?);
                let size = self.operand_slots(i, 0);
                let at = self.part(Some(of), i, 2)?;
                self.emit(Code::Copy { dst, src: whole, n });
                self.emit(Code::Copy { dst: dst + at, src: object, n: size });
            }
            Op::VectorShuffle => {
                let (dst, ..) = self.result(i)?;
                let (one, two) = (self.operand(i, 0)?, self.operand(i, 1)?);
                let size = self.operand_slots(i, 0);
                let components = i.operands.iter().filter_map(|o| match o {
                    Operand::LiteralBit32(k) => Some(*k),
                    _ => None,
                });
                for (k, from) in (0..).zip(components.collect::<Vec<_>>()) {
                    if from != u32::MAX {
                        let src = if from < size { one + from } else { two + from - size };
                        self.emit(Code::Copy { dst: dst + k, src, n: 1 });
                    }
                }
            }
            Op::VectorExtractDynamic => {
                let ((dst, ..), vector) = (self.result(i)?, self.operand(i, 0)?);
                let n = self.operand_slots(i, 0);
                let index = self.operand(i, 1)?;
                self.emit(Code::Pick { dst, vector, index, n });
            }
            Op::VectorInsertDynamic => {
                let ((dst, _, n), vector) = (self.result(i)?, self.operand(i, 0)?);
                let (scalar, index) = (self.operand(i, 1)?, self.operand(i, 2)?);
                self.emit(Code::Insert { dst, vector, scalar, index, n });
            }
            Op::CopyLogical => {
                let ((dst, _, n), src) = (self.result(i)?, self.operand(i, 0)?);
                self.emit(Code::Copy { dst, src, n });
            }
            Op::Bitcast | Op::ConvertUToPtr => self.bitcast(i)?,
            Op::UMulExtended => self.two_results(i, Kind::IMul, Kind::MulHigh)?,
            Op::SMulExtended => self.two_results(i, Kind::IMul, Kind::SMulHigh)?,
            Op::IAddCarry => self.two_results(i, Kind::IAdd, Kind::Carry)?,
            Op::ISubBorrow => self.two_results(i, Kind::ISub, Kind::Borrow)?,
            Op::VectorTimesScalar => self.arithmetic(i, Kind::FMul, 0)?,
            Op::Any => self.fold(i, Kind::LogicalOr)?,
            Op::All => self.fold(i, Kind::LogicalAnd)?,
            Op::Dot => self.dot(i)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Index of the scalar of a composite that the literal operands from `first` on select.
    fn part(&self, of: Option<Word>, i: &Instruction, first: usize) -> Result<u32> {
        let mut of = of.unwrap_or(0);
        let mut at = 0;
        for operand in i.operands.iter().skip(first) {
            let Operand::LiteralBit32(index) = operand else {
                return Err(self.malformed("an index that is not a literal number"));
            };
            (at, of) = match self.types.get(of) {
                Some(Type::Struct { members }) => {
                    let before = self.slots_before(members, *index);
                    (at + before, members.get(*index as usize).copied().unwrap_or(0))
                }
                Some(Type::Vector { element, .. } | Type::Array { element, .. }) => {
                    (at + self.types.slots(*element) * index, *element)
                }
                _ => return Err(self.malformed("an index into a value that is not a composite")),
            };
        }
        Ok(at)
    }

    fn bitcast(&mut self, i: &Instruction) -> Result<()> {
        let (dst, of, n) = self.result(i)?;
        let src = self.operand(i, 0)?;
        let from = self.operand_type(i, 0).unwrap_or(0);
        let size = self.types.slots(from);
        if matches!(self.types.get(of), Some(Type::Pointer { .. })) {
            let id = i.result_id.unwrap_or(0);
            self.emit(Code::Locate { dst, low: src, high: (size == 2).then_some(src + 1) });
            return self.bind_value(id, of, dst);
        }
        match (self.types.scalar(from), self.types.scalar(of)) {
            _ if size == n => self.emit(Code::Copy { dst, src, n }),
            (Some(_), Some(to)) if to.wide() => {
                for k in 0..n {
                    self.simple(Kind::Pack, true, dst + k, src + 2 * k, src + 2 * k + 1, 1);
                }
            }
            (Some(Scalar::Int { .. } | Scalar::Float { .. }), Some(_)) => {
                for k in 0..size {
                    self.simple(Kind::UConvert, false, dst + 2 * k, src + k, src + k, 1);
                    self.simple(Kind::High, false, dst + 2 * k + 1, src + k, src + k, 1);
                }
            }
            _ => return Err(self.unknown("OpBitcast between types of different sizes")),
        }
        Ok(())
    }

    /// Emits an instruction whose result is a structure of two values.
    fn two_results(&mut self, i: &Instruction, low: Kind, high: Kind) -> Result<()> {
        let (dst, _, slots) = self.result(i)?;
        let (a, b) = (self.operand(i, 0)?, self.operand(i, 1)?);
        let scalar = self.operand_scalar(i, 0);
        let wide = scalar.is_some_and(Scalar::wide);
        self.simple(low, wide, dst, a, b, slots / 2);
        self.simple(high, wide, dst + slots / 2, a, b, slots / 2);
        Ok(())
    }

    /// Combines all components of the operand into one scalar.
    fn fold(&mut self, i: &Instruction, kind: Kind) -> Result<()> {
        let ((dst, ..), src) = (self.result(i)?, self.operand(i, 0)?);
        let n = self.operand_slots(i, 0);
        self.emit(Code::Copy { dst, src, n: 1 });
        for k in 1..n {
            self.simple(kind, false, dst, dst, src + k, 1);
        }
        Ok(())
    }

    fn dot(&mut self, i: &Instruction) -> Result<()> {
        let ((dst, of, _), a, b) = (self.result(i)?, self.operand(i, 0)?, self.operand(i, 1)?);
        let wide = self.types.scalar(of).is_some_and(Scalar::wide);
        let n = self.operand_slots(i, 0);
        let products = self.allocate(n);
        self.simple(Kind::FMul, wide, products, a, b, n);
        self.emit(Code::Copy { dst, src: products, n: 1 });
        for k in 1..n {
            self.simple(Kind::FAdd, wide, dst, dst, products + k, 1);
        }
        Ok(())
    }
}
