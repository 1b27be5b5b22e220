//! Decodes subgroup operations.

use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{GroupOperation, Op};

use super::{Decoder, id_at};
use crate::alu::{Alu, Kind};
use crate::code::{Code, GroupOp, Reach};
use crate::error::Result;
use crate::types::Type;

impl Decoder<'_> {
    /// Decodes a subgroup operation. Returns whether `i` is one.
    pub(super) fn group(&mut self, i: &Instruction) -> Result<bool> {
        use GroupOp as G;
        let op = match i.class.opcode {
            Op::GroupNonUniformElect => G::Elect,
            Op::GroupNonUniformAll => G::All,
            Op::GroupNonUniformAny => G::Any,
            Op::GroupNonUniformAllEqual => G::AllEqual,
            Op::GroupNonUniformBallot => G::Ballot,
            Op::GroupNonUniformInverseBallot => G::InverseBallot,
            Op::GroupNonUniformBallotBitExtract => G::BallotBitExtract,
            Op::GroupNonUniformBallotBitCount => return self.ballot_count(i).map(|()| true),
            Op::GroupNonUniformBallotFindLSB => G::BallotFindLsb,
            Op::GroupNonUniformBallotFindMSB => G::BallotFindMsb,
            Op::GroupNonUniformBroadcast => G::Broadcast,
            Op::GroupNonUniformBroadcastFirst => G::BroadcastFirst,
            Op::GroupNonUniformShuffle => G::Shuffle,
            Op::GroupNonUniformShuffleXor => G::ShuffleXor,
            Op::GroupNonUniformShuffleUp => G::ShuffleUp,
            Op::GroupNonUniformShuffleDown => G::ShuffleDown,
            _ => return self.combine(i),
        };
        // The first operand is the scope, which is always the subgroup.
        let value = if i.operands.len() > 1 { self.operand(i, 1)? } else { 0 };
        let other = if i.operands.len() > 2 { self.operand(i, 2)? } else { 0 };
        let (dst, _, n) = self.result(i)?;
        // `AllEqual` returns one scalar, so use the number of components of its operand.
        let n = if let G::AllEqual = op { self.operand_slots(i, 1) } else { n };
        self.emit(Code::Group { op, dst, value, other, n });
        Ok(true)
    }

    fn reach(&self, i: &Instruction, at: usize) -> Result<Reach> {
        match i.operands.get(at) {
            Some(Operand::GroupOperation(GroupOperation::Reduce)) => Ok(Reach::Reduce),
            Some(Operand::GroupOperation(GroupOperation::InclusiveScan)) => Ok(Reach::Inclusive),
            Some(Operand::GroupOperation(GroupOperation::ExclusiveScan)) => Ok(Reach::Exclusive),
            Some(Operand::GroupOperation(GroupOperation::ClusteredReduce)) => {
                let size = self.constants.get(&id_at(i, at + 2)).and_then(|c| c.first());
                Ok(Reach::Clustered(size.copied().unwrap_or(1) as u32))
            }
            other => Err(self.unknown(format!("the group operation {other:?}"))),
        }
    }

    fn ballot_count(&mut self, i: &Instruction) -> Result<()> {
        let reach = self.reach(i, 1)?;
        let ((dst, _, n), value) = (self.result(i)?, self.operand(i, 2)?);
        self.emit(Code::Group { op: GroupOp::BallotBitCount(reach), dst, value, other: 0, n });
        Ok(())
    }

    fn combine(&mut self, i: &Instruction) -> Result<bool> {
        let (kind, identity, wide_identity) = match i.class.opcode {
            Op::GroupNonUniformIAdd => (Kind::IAdd, 0, 0),
            Op::GroupNonUniformIMul => (Kind::IMul, 1, 1),
            Op::GroupNonUniformUMin => (Kind::UMin, u64::from(u32::MAX), u64::MAX),
            Op::GroupNonUniformUMax => (Kind::UMax, 0, 0),
            Op::GroupNonUniformSMin => (Kind::SMin, i32::MAX as u64, i64::MAX as u64),
            Op::GroupNonUniformSMax => (Kind::SMax, 1 << 31, 1 << 63),
            Op::GroupNonUniformBitwiseAnd => (Kind::BitwiseAnd, u64::from(u32::MAX), u64::MAX),
            Op::GroupNonUniformBitwiseOr => (Kind::BitwiseOr, 0, 0),
            Op::GroupNonUniformBitwiseXor => (Kind::BitwiseXor, 0, 0),
            Op::GroupNonUniformLogicalAnd => (Kind::LogicalAnd, 1, 1),
            Op::GroupNonUniformLogicalOr => (Kind::LogicalOr, 0, 0),
            Op::GroupNonUniformLogicalXor => (Kind::LogicalNotEqual, 0, 0),
            Op::GroupNonUniformFAdd => (Kind::FAdd, 0, 0),
            Op::GroupNonUniformFMul => (Kind::FMul, u64::from(1f32.to_bits()), 1f64.to_bits()),
            Op::GroupNonUniformFMin => {
                (Kind::FMin, u64::from(f32::INFINITY.to_bits()), f64::INFINITY.to_bits())
            }
            Op::GroupNonUniformFMax => {
                (Kind::FMax, u64::from(f32::NEG_INFINITY.to_bits()), f64::NEG_INFINITY.to_bits())
            }
            _ => return Ok(false),
        };
        let reach = self.reach(i, 1)?;
        let ((dst, of, n), value) = (self.result(i)?, self.operand(i, 2)?);
        if matches!(self.types.get(of), Some(Type::Struct { .. })) {
            return Err(self.malformed("a subgroup operation on structures"));
        }
        let wide = self.types.scalar(of).is_some_and(crate::types::Scalar::wide);
        let op = Alu::same(kind, wide);
        let identity = if wide { wide_identity } else { identity };
        let op = GroupOp::Combine { op, identity, reach };
        self.emit(Code::Group { op, dst, value, other: 0, n });
        Ok(true)
    }
}
