//! The instructions that a checked function may use.

use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{GlslStd450Op as Glsl, GroupOperation, Op, Word};

/// Control flow, instructions without side effects, and memory accesses. The indices of the accesses are clamped.
#[rustfmt::skip]
const PLAIN: &[Op] = &[
    Op::Nop, Op::Line, Op::NoLine, Op::Undef, Op::Variable, Op::Load, Op::Store,
    Op::AccessChain, Op::InBoundsAccessChain, Op::ArrayLength, Op::FunctionCall, Op::ExtInst,
    Op::VectorExtractDynamic, Op::VectorInsertDynamic, Op::VectorShuffle, Op::CompositeConstruct,
    Op::CompositeExtract, Op::CompositeInsert, Op::CopyObject, Op::CopyLogical, Op::Transpose,
    Op::ConvertFToU, Op::ConvertFToS, Op::ConvertSToF, Op::ConvertUToF, Op::UConvert, Op::SConvert,
    Op::FConvert, Op::QuantizeToF16, Op::Bitcast,
    Op::SNegate, Op::FNegate, Op::IAdd, Op::FAdd, Op::ISub, Op::FSub, Op::IMul, Op::FMul, Op::UDiv,
    Op::SDiv, Op::FDiv, Op::UMod, Op::SRem, Op::SMod, Op::FRem, Op::FMod, Op::VectorTimesScalar,
    Op::MatrixTimesScalar, Op::VectorTimesMatrix, Op::MatrixTimesVector, Op::MatrixTimesMatrix,
    Op::OuterProduct, Op::Dot, Op::IAddCarry, Op::ISubBorrow, Op::UMulExtended, Op::SMulExtended,
    Op::Any, Op::All, Op::IsNan, Op::IsInf, Op::LogicalEqual, Op::LogicalNotEqual, Op::LogicalOr,
    Op::LogicalAnd, Op::LogicalNot, Op::Select, Op::IEqual, Op::INotEqual, Op::UGreaterThan,
    Op::SGreaterThan, Op::UGreaterThanEqual, Op::SGreaterThanEqual, Op::ULessThan, Op::SLessThan,
    Op::ULessThanEqual, Op::SLessThanEqual, Op::FOrdEqual, Op::FUnordEqual, Op::FOrdNotEqual,
    Op::FUnordNotEqual, Op::FOrdLessThan, Op::FUnordLessThan, Op::FOrdGreaterThan,
    Op::FUnordGreaterThan, Op::FOrdLessThanEqual, Op::FUnordLessThanEqual, Op::FOrdGreaterThanEqual,
    Op::FUnordGreaterThanEqual, Op::ShiftRightLogical, Op::ShiftRightArithmetic,
    Op::ShiftLeftLogical, Op::BitwiseOr, Op::BitwiseXor, Op::BitwiseAnd, Op::Not,
    Op::BitFieldInsert, Op::BitFieldSExtract, Op::BitFieldUExtract, Op::BitReverse, Op::BitCount,
    Op::Phi, Op::LoopMerge, Op::SelectionMerge, Op::Branch, Op::BranchConditional, Op::Switch,
    Op::Return, Op::ReturnValue, Op::Unreachable,
];

/// Atomic operations on integers.
#[rustfmt::skip]
const ATOMIC: &[Op] = &[
    Op::AtomicLoad, Op::AtomicStore, Op::AtomicExchange, Op::AtomicCompareExchange,
    Op::AtomicIIncrement, Op::AtomicIDecrement, Op::AtomicIAdd, Op::AtomicISub, Op::AtomicSMin,
    Op::AtomicUMin, Op::AtomicSMax, Op::AtomicUMax, Op::AtomicAnd, Op::AtomicOr, Op::AtomicXor,
];

/// Subgroup operations.
#[rustfmt::skip]
const GROUP: &[Op] = &[
    Op::GroupNonUniformElect, Op::GroupNonUniformAll, Op::GroupNonUniformAny,
    Op::GroupNonUniformAllEqual, Op::GroupNonUniformBroadcast, Op::GroupNonUniformBroadcastFirst,
    Op::GroupNonUniformBallot, Op::GroupNonUniformInverseBallot,
    Op::GroupNonUniformBallotBitExtract, Op::GroupNonUniformBallotBitCount,
    Op::GroupNonUniformBallotFindLSB, Op::GroupNonUniformBallotFindMSB, Op::GroupNonUniformShuffle,
    Op::GroupNonUniformShuffleXor, Op::GroupNonUniformShuffleUp, Op::GroupNonUniformShuffleDown,
    Op::GroupNonUniformIAdd, Op::GroupNonUniformFAdd, Op::GroupNonUniformIMul,
    Op::GroupNonUniformFMul, Op::GroupNonUniformSMin, Op::GroupNonUniformUMin,
    Op::GroupNonUniformFMin, Op::GroupNonUniformSMax, Op::GroupNonUniformUMax,
    Op::GroupNonUniformFMax, Op::GroupNonUniformBitwiseAnd, Op::GroupNonUniformBitwiseOr,
    Op::GroupNonUniformBitwiseXor, Op::GroupNonUniformLogicalAnd, Op::GroupNonUniformLogicalOr,
    Op::GroupNonUniformLogicalXor, Op::GroupNonUniformQuadBroadcast, Op::GroupNonUniformQuadSwap,
];

/// Control and memory barriers.
const BARRIERS: &[Op] = &[Op::ControlBarrier, Op::MemoryBarrier];

/// Operations on constants that `OpSpecConstantOp` may use.
#[rustfmt::skip]
const CONSTANT: &[Op] = &[
    Op::SConvert, Op::UConvert, Op::FConvert, Op::SNegate, Op::Not, Op::IAdd, Op::ISub, Op::IMul,
    Op::UDiv, Op::SDiv, Op::UMod, Op::SRem, Op::SMod, Op::ShiftRightLogical,
    Op::ShiftRightArithmetic, Op::ShiftLeftLogical, Op::BitwiseOr, Op::BitwiseXor, Op::BitwiseAnd,
    Op::VectorShuffle, Op::CompositeExtract, Op::CompositeInsert, Op::LogicalOr, Op::LogicalAnd,
    Op::LogicalNot, Op::LogicalEqual, Op::LogicalNotEqual, Op::Select, Op::IEqual, Op::INotEqual,
    Op::ULessThan, Op::SLessThan, Op::UGreaterThan, Op::SGreaterThan, Op::ULessThanEqual,
    Op::SLessThanEqual, Op::UGreaterThanEqual, Op::SGreaterThanEqual, Op::QuantizeToF16,
];

/// GLSL functions that only fragment shaders support.
const FRAGMENT_ONLY: &[Glsl] =
    &[Glsl::InterpolateAtCentroid, Glsl::InterpolateAtSample, Glsl::InterpolateAtOffset];

pub(super) fn is_atomic(op: Op) -> bool {
    ATOMIC.contains(&op)
}

pub(super) fn is_group(op: Op) -> bool {
    GROUP.contains(&op)
}

/// Subgroup operations whose result is the same for all lanes that execute them together.
const SAME_IN_SUBGROUP: &[Op] = &[
    Op::GroupNonUniformAll,
    Op::GroupNonUniformAny,
    Op::GroupNonUniformAllEqual,
    Op::GroupNonUniformBroadcast,
    Op::GroupNonUniformBroadcastFirst,
    Op::GroupNonUniformBallot,
];

/// Whether all lanes of a subgroup that execute the instruction together get the same result.
pub(super) fn is_same_in_subgroup(instruction: &Instruction) -> bool {
    let reduces = |o: &Operand| *o == Operand::GroupOperation(GroupOperation::Reduce);
    let op = instruction.class.opcode;
    SAME_IN_SUBGROUP.contains(&op) || is_group(op) && instruction.operands.iter().any(reduces)
}

pub(super) fn is_barrier(op: Op) -> bool {
    BARRIERS.contains(&op)
}

/// Whether the operation is allowed in `OpSpecConstantOp`.
pub(super) fn is_constant(op: Op) -> bool {
    CONSTANT.contains(&op)
}

/// Whether the instruction has no side effects, or accesses memory with clamped indices.
pub(super) fn is_plain(op: Op) -> bool {
    PLAIN.contains(&op)
}

/// Returns the pointer through which `modf` or `frexp` writes part of its result: the last operand. `None` for other
/// instructions.
pub(super) fn written_by(instruction: &Instruction) -> Option<Word> {
    match instruction.operands[..] {
        [_, Operand::LiteralExtInstInteger(number), _, Operand::IdRef(pointer)]
            if instruction.class.opcode == Op::ExtInst
                && [Glsl::Modf as u32, Glsl::Frexp as u32].contains(&number) =>
        {
            Some(pointer)
        }
        _ => None,
    }
}

/// Whether compute shaders support a function of the instruction set GLSL.std.450.
pub(super) fn is_plain_glsl(number: u32) -> bool {
    Glsl::from_u32(number).is_some_and(|op| !FRAGMENT_ONLY.contains(&op))
}
