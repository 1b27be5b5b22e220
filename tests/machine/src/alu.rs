//! Operations on the scalars of a lane: integers, floats, bits.
//!
//! A scalar is stored as 64 bits. 32-bit types have a zero upper half, and booleans are 0 or 1.
//! `eval.rs` computes the operations, for specialization constants as well.

use rspirv::spirv::{GlslStd450Op as GLOp, Op};

use crate::types::Scalar;

/// An operation, and the widths of its result and its first operand (for `Select`, its second).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Alu {
    pub kind: Kind,
    pub wide: bool,
    pub from_wide: bool,
}

impl Alu {
    pub fn new(kind: Kind, result: Scalar, operand: Scalar) -> Self {
        Self { kind, wide: result.wide(), from_wide: operand.wide() }
    }

    pub fn same(kind: Kind, wide: bool) -> Self {
        Self { kind, wide, from_wide: wide }
    }
}

/// Defines the kinds of operations, grouped by number of operands. Kinds in `core` and `glsl` are
/// named after their component-wise SPIR-V or GLSL.std.450 instruction.
macro_rules! kinds {
    (
        core { $($core_operands:literal: $($core:ident)*;)* }
        glsl { $($glsl_operands:literal: $($glsl:ident)*;)* }
        other { $($other_operands:literal: $($other:ident)*;)* }
    ) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Kind {
            $($($core,)*)*
            $($($glsl,)*)*
            $($($other,)*)*
        }

        /// The kind of a component-wise SPIR-V instruction, if it is one.
        pub(crate) fn kind_of(op: Op) -> Option<Kind> {
            match op {
                $($(Op::$core => Some(Kind::$core),)*)*
                _ => None,
            }
        }

        /// The kind of a component-wise GLSL.std.450 instruction, if it is one.
        pub(crate) fn kind_of_glsl(op: GLOp) -> Option<Kind> {
            match op {
                $($(GLOp::$glsl => Some(Kind::$glsl),)*)*
                GLOp::NMin => Some(Kind::FMin),
                GLOp::NMax => Some(Kind::FMax),
                GLOp::NClamp => Some(Kind::FClamp),
                GLOp::Round => Some(Kind::RoundEven),
                _ => None,
            }
        }

        /// Number of operands.
        pub(crate) fn operands(kind: Kind) -> usize {
            match kind {
                $($(Kind::$core)|* => $core_operands,)*
                $($(Kind::$glsl)|* => $glsl_operands,)*
                $($(Kind::$other)|* => $other_operands,)*
            }
        }
    };
}

kinds! {
    core {
        1: SNegate Not BitCount BitReverse LogicalNot FNegate IsNan IsInf ConvertUToF ConvertSToF
            ConvertFToU ConvertFToS FConvert UConvert SConvert CopyObject;
        2: IAdd ISub IMul UDiv SDiv UMod SRem SMod ShiftLeftLogical ShiftRightLogical
            ShiftRightArithmetic BitwiseAnd BitwiseOr BitwiseXor IEqual INotEqual ULessThan
            ULessThanEqual UGreaterThan UGreaterThanEqual SLessThan SLessThanEqual SGreaterThan
            SGreaterThanEqual LogicalAnd LogicalOr LogicalEqual LogicalNotEqual FAdd FSub FMul FDiv
            FRem FMod FOrdEqual FOrdNotEqual FUnordNotEqual FOrdLessThan FOrdLessThanEqual
            FOrdGreaterThan FOrdGreaterThanEqual FUnordLessThan FUnordLessThanEqual
            FUnordGreaterThan FUnordGreaterThanEqual;
        3: BitFieldUExtract BitFieldSExtract Select;
    }
    glsl {
        1: FAbs SAbs FSign SSign Floor Ceil Trunc RoundEven Fract Sqrt InverseSqrt FindILsb FindUMsb
            FindSMsb Exp Exp2 Log Log2;
        2: UMin UMax SMin SMax FMin FMax Step;
        3: UClamp SClamp FClamp Fma FMix;
    }
    // Kinds without an instruction of their own: for instructions with two results, and for
    // conversions between a 64-bit scalar and two 32-bit scalars.
    other {
        1: High;
        2: MulHigh SMulHigh Carry Borrow Pack;
    }
}
