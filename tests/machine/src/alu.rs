//! Operations on the scalars of a lane: integers, floats, bits.
//!
//! A scalar is stored as 64 bits. 32-bit types have a zero upper half, and booleans are 0 or 1.
//! Specialization constants are computed by the same code.

use rspirv::spirv::{GlslStd450Op as GLOp, Op};

use crate::types::Scalar;

/// An operation, and the widths of its result and its first operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Alu {
    pub kind: Kind,
    pub wide: bool,
    pub from_wide: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    UMod,
    SRem,
    SMod,
    Negate,
    MulHigh,
    SMulHigh,
    Carry,
    Borrow,
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
    And,
    Or,
    Xor,
    Not,
    BitCount,
    BitReverse,
    BitFieldU,
    BitFieldS,
    Equal,
    NotEqual,
    ULess,
    ULessEqual,
    UGreater,
    UGreaterEqual,
    SLess,
    SLessEqual,
    SGreater,
    SGreaterEqual,
    LogicalAnd,
    LogicalOr,
    LogicalNot,
    LogicalEqual,
    LogicalNotEqual,
    Select,
    FAdd,
    FSub,
    FMul,
    FDiv,
    FNegate,
    FRem,
    FMod,
    FEqual,
    FNotEqual,
    FUnequal,
    FLess,
    FLessEqual,
    FGreater,
    FGreaterEqual,
    ULessF,
    ULessEqualF,
    UGreaterF,
    UGreaterEqualF,
    IsNan,
    IsInf,
    UToF,
    SToF,
    FToU,
    FToS,
    FConvert,
    UConvert,
    SConvert,
    Bits,
    UMin,
    UMax,
    SMin,
    SMax,
    FMin,
    FMax,
    UClamp,
    SClamp,
    FClamp,
    FAbs,
    SAbs,
    Floor,
    Ceil,
    Trunc,
    RoundEven,
    Fract,
    Sqrt,
    InverseSqrt,
    Fma,
    Mix,
    FindLsb,
    FindUMsb,
    FindSMsb,
    Exp,
    Exp2,
    Log,
    Log2,
    FSign,
    SSign,
    Step,
    Pack,
    High,
}

impl Alu {
    pub fn new(kind: Kind, result: Scalar, operand: Scalar) -> Self {
        Self { kind, wide: result.wide(), from_wide: operand.wide() }
    }

    pub fn same(kind: Kind, wide: bool) -> Self {
        Self { kind, wide, from_wide: wide }
    }
}

/// The operation of a component-wise core instruction.
pub(crate) fn kind_of(op: Op) -> Option<Kind> {
    use Kind as K;
    Some(match op {
        Op::IAdd => K::Add,
        Op::ISub => K::Sub,
        Op::IMul => K::Mul,
        Op::UDiv => K::UDiv,
        Op::SDiv => K::SDiv,
        Op::UMod => K::UMod,
        Op::SRem => K::SRem,
        Op::SMod => K::SMod,
        Op::SNegate => K::Negate,
        Op::ShiftLeftLogical => K::ShiftLeft,
        Op::ShiftRightLogical => K::ShiftRight,
        Op::ShiftRightArithmetic => K::ShiftRightSigned,
        Op::BitwiseAnd => K::And,
        Op::BitwiseOr => K::Or,
        Op::BitwiseXor => K::Xor,
        Op::Not => K::Not,
        Op::BitCount => K::BitCount,
        Op::BitReverse => K::BitReverse,
        Op::BitFieldUExtract => K::BitFieldU,
        Op::BitFieldSExtract => K::BitFieldS,
        Op::IEqual => K::Equal,
        Op::INotEqual => K::NotEqual,
        Op::ULessThan => K::ULess,
        Op::ULessThanEqual => K::ULessEqual,
        Op::UGreaterThan => K::UGreater,
        Op::UGreaterThanEqual => K::UGreaterEqual,
        Op::SLessThan => K::SLess,
        Op::SLessThanEqual => K::SLessEqual,
        Op::SGreaterThan => K::SGreater,
        Op::SGreaterThanEqual => K::SGreaterEqual,
        Op::LogicalAnd => K::LogicalAnd,
        Op::LogicalOr => K::LogicalOr,
        Op::LogicalNot => K::LogicalNot,
        Op::LogicalEqual => K::LogicalEqual,
        Op::LogicalNotEqual => K::LogicalNotEqual,
        Op::Select => K::Select,
        Op::FAdd => K::FAdd,
        Op::FSub => K::FSub,
        Op::FMul => K::FMul,
        Op::FDiv => K::FDiv,
        Op::FRem => K::FRem,
        Op::FMod => K::FMod,
        Op::FNegate => K::FNegate,
        Op::FOrdEqual => K::FEqual,
        Op::FOrdNotEqual => K::FNotEqual,
        Op::FUnordNotEqual => K::FUnequal,
        Op::FOrdLessThan => K::FLess,
        Op::FOrdLessThanEqual => K::FLessEqual,
        Op::FOrdGreaterThan => K::FGreater,
        Op::FOrdGreaterThanEqual => K::FGreaterEqual,
        Op::FUnordLessThan => K::ULessF,
        Op::FUnordLessThanEqual => K::ULessEqualF,
        Op::FUnordGreaterThan => K::UGreaterF,
        Op::FUnordGreaterThanEqual => K::UGreaterEqualF,
        Op::IsNan => K::IsNan,
        Op::IsInf => K::IsInf,
        Op::ConvertUToF => K::UToF,
        Op::ConvertSToF => K::SToF,
        Op::ConvertFToU => K::FToU,
        Op::ConvertFToS => K::FToS,
        Op::FConvert => K::FConvert,
        Op::UConvert => K::UConvert,
        Op::SConvert => K::SConvert,
        Op::CopyObject => K::Bits,
        _ => return None,
    })
}

/// The operation of a component-wise instruction of the GLSL instruction set.
pub(crate) fn kind_of_glsl(op: GLOp) -> Option<Kind> {
    use Kind as K;
    Some(match op {
        GLOp::UMin => K::UMin,
        GLOp::UMax => K::UMax,
        GLOp::SMin => K::SMin,
        GLOp::SMax => K::SMax,
        GLOp::FMin | GLOp::NMin => K::FMin,
        GLOp::FMax | GLOp::NMax => K::FMax,
        GLOp::UClamp => K::UClamp,
        GLOp::SClamp => K::SClamp,
        GLOp::FClamp | GLOp::NClamp => K::FClamp,
        GLOp::FAbs => K::FAbs,
        GLOp::SAbs => K::SAbs,
        GLOp::FSign => K::FSign,
        GLOp::SSign => K::SSign,
        GLOp::Floor => K::Floor,
        GLOp::Ceil => K::Ceil,
        GLOp::Trunc => K::Trunc,
        GLOp::Round | GLOp::RoundEven => K::RoundEven,
        GLOp::Fract => K::Fract,
        GLOp::Sqrt => K::Sqrt,
        GLOp::InverseSqrt => K::InverseSqrt,
        GLOp::Fma => K::Fma,
        GLOp::FMix => K::Mix,
        GLOp::Step => K::Step,
        GLOp::FindILsb => K::FindLsb,
        GLOp::FindUMsb => K::FindUMsb,
        GLOp::FindSMsb => K::FindSMsb,
        GLOp::Exp => K::Exp,
        GLOp::Exp2 => K::Exp2,
        GLOp::Log => K::Log,
        GLOp::Log2 => K::Log2,
        _ => return None,
    })
}

/// Number of operands.
pub(crate) fn operands(kind: Kind) -> usize {
    use Kind as K;
    match kind {
        K::Negate
        | K::Not
        | K::BitCount
        | K::BitReverse
        | K::LogicalNot
        | K::FNegate
        | K::IsNan
        | K::IsInf
        | K::UToF
        | K::SToF
        | K::FToU
        | K::FToS
        | K::FConvert
        | K::UConvert
        | K::SConvert
        | K::Bits
        | K::FAbs
        | K::SAbs
        | K::Floor
        | K::Ceil
        | K::Trunc
        | K::RoundEven
        | K::Fract
        | K::Sqrt
        | K::InverseSqrt
        | K::FindLsb
        | K::FindUMsb
        | K::FindSMsb
        | K::Exp
        | K::Exp2
        | K::Log
        | K::Log2
        | K::FSign
        | K::SSign
        | K::High => 1,
        K::Select
        | K::BitFieldU
        | K::BitFieldS
        | K::UClamp
        | K::SClamp
        | K::FClamp
        | K::Fma
        | K::Mix => 3,
        _ => 2,
    }
}
