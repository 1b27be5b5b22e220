//! Evaluates operations on specialization constants.

use rspirv::spirv::Op;

/// Result of an operation on constants.
pub(crate) enum Folded {
    Value(u64),
    /// An operation that [`fold`] does not support.
    Unknown,
    /// A division that traps.
    Traps,
    /// A shift by at least the width. Its result depends on the device.
    Undefined,
}

/// The lowest `bits` bits.
pub(crate) fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

fn signed(value: u64, bits: u32) -> i64 {
    let shift = 64 - bits.clamp(1, 64);
    ((value << shift) as i64) >> shift
}

/// Evaluates an operation on numbers of `bits` bits. Selections are not supported, because one of their operands may
/// be unknown.
pub(crate) fn fold(op: Op, [a, b]: [u64; 2], bits: u32) -> Folded {
    let (a, b) = (a & mask(bits), b & mask(bits));
    let (x, y) = (signed(a, bits), signed(b, bits));
    let shift = b as u32;
    let traps = match op {
        Op::UDiv | Op::UMod => b == 0,
        Op::SDiv | Op::SRem | Op::SMod => b == 0 || (y == -1 && a == 1 << (bits - 1)),
        _ => false,
    };
    if traps {
        return Folded::Traps;
    }
    let shifts =
        matches!(op, Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic);
    if shifts && b >= u64::from(bits) {
        return Folded::Undefined;
    }
    Folded::Value(match op {
        Op::UConvert => a,
        Op::SConvert => x as u64,
        Op::SNegate => a.wrapping_neg(),
        Op::Not => !a,
        Op::IAdd => a.wrapping_add(b),
        Op::ISub => a.wrapping_sub(b),
        Op::IMul => a.wrapping_mul(b),
        Op::UDiv => a / b,
        Op::UMod => a % b,
        Op::SDiv => x.wrapping_div(y) as u64,
        Op::SRem => x.wrapping_rem(y) as u64,
        Op::SMod => ((x.wrapping_rem(y)).wrapping_add(y).wrapping_rem(y)) as u64,
        Op::ShiftLeftLogical => a << shift,
        Op::ShiftRightLogical => a >> shift,
        Op::ShiftRightArithmetic => (x >> shift) as u64,
        Op::BitwiseOr | Op::LogicalOr => a | b,
        Op::BitwiseAnd | Op::LogicalAnd => a & b,
        Op::BitwiseXor | Op::LogicalNotEqual => a ^ b,
        Op::LogicalNot => a ^ 1,
        Op::LogicalEqual | Op::IEqual => (a == b).into(),
        Op::INotEqual => (a != b).into(),
        Op::ULessThan => (a < b).into(),
        Op::ULessThanEqual => (a <= b).into(),
        Op::UGreaterThan => (a > b).into(),
        Op::UGreaterThanEqual => (a >= b).into(),
        Op::SLessThan => (x < y).into(),
        Op::SLessThanEqual => (x <= y).into(),
        Op::SGreaterThan => (x > y).into(),
        Op::SGreaterThanEqual => (x >= y).into(),
        _ => return Folded::Unknown,
    })
}
