//! Evaluates an operation for the scalars of one lane.

use rspirv::spirv::Op;

use crate::alu::{Alu, Kind};

fn signed(wide: bool, x: u64) -> i64 {
    if wide { x as i64 } else { i64::from(x as u32 as i32) }
}

fn cut(wide: bool, x: u64) -> u64 {
    if wide { x } else { u64::from(x as u32) }
}

fn float(wide: bool, x: u64) -> f64 {
    if wide { f64::from_bits(x) } else { f64::from(f32::from_bits(x as u32)) }
}

fn bits(wide: bool, x: f64) -> u64 {
    rounded(wide, x as f32, x)
}

/// The bits of `double` if the result is wide, otherwise those of `narrow`.
fn rounded(wide: bool, narrow: f32, double: f64) -> u64 {
    if wide { double.to_bits() } else { u64::from(narrow.to_bits()) }
}

fn either(condition: bool, yes: u64, no: u64) -> u64 {
    if condition { yes } else { no }
}

/// Computes with the function of the required precision.
fn float2(wide: bool, a: u64, b: u64, f32s: fn(f32, f32) -> f32, f64s: fn(f64, f64) -> f64) -> u64 {
    if wide {
        f64s(f64::from_bits(a), f64::from_bits(b)).to_bits()
    } else {
        u64::from(f32s(f32::from_bits(a as u32), f32::from_bits(b as u32)).to_bits())
    }
}

/// Computes one scalar.
pub(crate) fn eval(op: Alu, a: u64, b: u64, c: u64) -> u64 {
    eval_inline(op, a, b, c)
}

/// Like `eval`, inlined so that callers with a constant `op` compile to one operation. Integer
/// divisions by zero and logical shifts by too many bits return zero.
#[inline(always)]
pub(crate) fn eval_inline(op: Alu, a: u64, b: u64, c: u64) -> u64 {
    use Kind as K;
    let Alu { kind, wide, from_wide } = op;
    let sa = || signed(from_wide, a);
    let sb = || signed(from_wide, b);
    let fa = || float(from_wide, a);
    let fb = || float(from_wide, b);
    let width = if wide { 64 } else { 32 };
    match kind {
        K::IAdd => cut(wide, a.wrapping_add(b)),
        K::ISub => cut(wide, a.wrapping_sub(b)),
        K::IMul => cut(wide, a.wrapping_mul(b)),
        K::UDiv => a.checked_div(b).unwrap_or(0),
        K::UMod => a.checked_rem(b).unwrap_or(0),
        K::SDiv => cut(wide, sa().checked_div(sb()).unwrap_or(0) as u64),
        K::SRem => cut(wide, sa().checked_rem(sb()).unwrap_or(0) as u64),
        K::SMod => {
            let r = sa().checked_rem(sb()).unwrap_or(0);
            let r = if r != 0 && (r < 0) != (sb() < 0) { r + sb() } else { r };
            cut(wide, r as u64)
        }
        K::SNegate => cut(wide, a.wrapping_neg()),
        K::MulHigh => cut(wide, ((u128::from(a) * u128::from(b)) >> width) as u64),
        K::SMulHigh => cut(wide, ((i128::from(sa()) * i128::from(sb())) >> width) as u64),
        K::Carry => u64::from((u128::from(a) + u128::from(b)) >> width != 0),
        K::Borrow => u64::from(a < b),
        K::ShiftLeftLogical => either(b < width, cut(wide, a.wrapping_shl(b as u32)), 0),
        K::ShiftRightLogical => either(b < width, a.wrapping_shr(b as u32), 0),
        K::ShiftRightArithmetic => cut(wide, (sa() >> b.min(width - 1)) as u64),
        K::BitwiseAnd | K::LogicalAnd => a & b,
        K::BitwiseOr | K::LogicalOr => a | b,
        K::BitwiseXor | K::LogicalNotEqual => a ^ b,
        K::Not => cut(wide, !a),
        K::BitCount => u64::from(a.count_ones()),
        K::BitReverse => a.reverse_bits() >> (64 - width),
        K::BitFieldUExtract => field(a, b, c).0,
        K::BitFieldSExtract => {
            let (value, count) = field(a, b, c);
            let extended =
                if count == 0 { 0 } else { ((value << (64 - count)) as i64) >> (64 - count) };
            cut(wide, extended as u64)
        }
        K::IEqual | K::LogicalEqual => u64::from(a == b),
        K::INotEqual => u64::from(a != b),
        K::ULessThan => u64::from(a < b),
        K::ULessThanEqual => u64::from(a <= b),
        K::UGreaterThan => u64::from(a > b),
        K::UGreaterThanEqual => u64::from(a >= b),
        K::SLessThan => u64::from(sa() < sb()),
        K::SLessThanEqual => u64::from(sa() <= sb()),
        K::SGreaterThan => u64::from(sa() > sb()),
        K::SGreaterThanEqual => u64::from(sa() >= sb()),
        K::LogicalNot => u64::from(a == 0),
        K::Select => either(a != 0, b, c),
        K::FAdd => float2(wide, a, b, |a, b| a + b, |a, b| a + b),
        K::FSub => float2(wide, a, b, |a, b| a - b, |a, b| a - b),
        K::FMul => float2(wide, a, b, |a, b| a * b, |a, b| a * b),
        K::FDiv => float2(wide, a, b, |a, b| a / b, |a, b| a / b),
        K::FRem => float2(wide, a, b, |a, b| a % b, |a, b| a % b),
        K::FMod => {
            float2(wide, a, b, |a, b| a - b * (a / b).floor(), |a, b| a - b * (a / b).floor())
        }
        K::FNegate => a ^ (1 << (width - 1)),
        K::FOrdEqual => u64::from(fa() == fb()),
        K::FOrdNotEqual => u64::from(fa() < fb() || fa() > fb()),
        K::FUnordNotEqual => u64::from(fa() != fb()),
        K::FOrdLessThan => u64::from(fa() < fb()),
        K::FOrdLessThanEqual => u64::from(fa() <= fb()),
        K::FOrdGreaterThan => u64::from(fa() > fb()),
        K::FOrdGreaterThanEqual => u64::from(fa() >= fb()),
        K::FUnordLessThan => less_or_unordered(fa(), fb(), false),
        K::FUnordLessThanEqual => less_or_unordered(fa(), fb(), true),
        K::FUnordGreaterThan => less_or_unordered(fb(), fa(), false),
        K::FUnordGreaterThanEqual => less_or_unordered(fb(), fa(), true),
        K::IsNan => u64::from(fa().is_nan()),
        K::IsInf => u64::from(fa().is_infinite()),
        K::ConvertUToF => rounded(wide, a as f32, a as f64),
        K::ConvertSToF => rounded(wide, sa() as f32, sa() as f64),
        K::ConvertFToU => either(wide, fa() as u64, u64::from(fa() as u32)),
        K::ConvertFToS => either(wide, fa() as i64 as u64, u64::from(fa() as i32 as u32)),
        K::FConvert => bits(wide, fa()),
        K::UConvert => cut(wide, a),
        K::Pack => a | b << 32,
        K::High => a >> 32,
        K::SConvert => cut(wide, sa() as u64),
        K::CopyObject => a,
        K::UMin => a.min(b),
        K::UMax => a.max(b),
        K::SMin => either(sa() < sb(), a, b),
        K::SMax => either(sa() > sb(), a, b),
        K::FMin => either(fb() < fa() || fa().is_nan(), b, a),
        K::FMax => either(fb() > fa() || fa().is_nan(), b, a),
        K::UClamp => a.max(b).min(c),
        K::SClamp => {
            let low = if sa() < sb() { b } else { a };
            if signed(from_wide, low) > signed(from_wide, c) { c } else { low }
        }
        K::FClamp => {
            let low = if fb() > fa() || fa().is_nan() { b } else { a };
            if float(wide, c) < float(wide, low) { c } else { low }
        }
        K::FAbs => a & !(1 << (width - 1)),
        K::SAbs => cut(wide, sa().wrapping_abs() as u64),
        K::FSign => bits(wide, if fa() == 0.0 || fa().is_nan() { 0.0 } else { fa().signum() }),
        K::SSign => cut(wide, sa().signum() as u64),
        K::Floor => bits(wide, fa().floor()),
        K::Ceil => bits(wide, fa().ceil()),
        K::Trunc => bits(wide, fa().trunc()),
        K::RoundEven => bits(wide, fa().round_ties_even()),
        K::Fract => float2(wide, a, a, |a, _| a - a.floor(), |a, _| a - a.floor()),
        K::Sqrt => float2(wide, a, a, |a, _| a.sqrt(), |a, _| a.sqrt()),
        K::InverseSqrt => bits(wide, 1.0 / fa().sqrt()),
        K::Fma => {
            let [x, y, z] = [a, b, c].map(|x| f32::from_bits(x as u32));
            let [a, b, c] = [a, b, c].map(f64::from_bits);
            rounded(wide, x.mul_add(y, z), a.mul_add(b, c))
        }
        K::FMix => bits(wide, fa() * (1.0 - float(wide, c)) + fb() * float(wide, c)),
        K::Step => bits(wide, if fb() < fa() { 0.0 } else { 1.0 }),
        K::FindILsb => either(a == 0, u64::from(u32::MAX), a.trailing_zeros().into()),
        K::FindUMsb => a.checked_ilog2().unwrap_or(u32::MAX).into(),
        K::FindSMsb => {
            let x = a as i32;
            ((x ^ x >> 31) as u32).checked_ilog2().unwrap_or(u32::MAX).into()
        }
        K::Exp => bits(wide, fa().exp()),
        K::Exp2 => bits(wide, fa().exp2()),
        K::Log => bits(wide, fa().ln()),
        K::Log2 => bits(wide, fa().log2()),
    }
}

/// The value that an atomic leaves in memory; `None` if the instruction is not a supported atomic.
pub(crate) fn eval_atomic(
    op: Op,
    wide: bool,
    held: u64,
    [value, compare]: [u64; 2],
) -> Option<u64> {
    Some(match op {
        Op::AtomicLoad => held,
        Op::AtomicStore | Op::AtomicExchange => value,
        Op::AtomicCompareExchange if held == compare => value,
        Op::AtomicIAdd => cut(wide, held.wrapping_add(value)),
        Op::AtomicISub => cut(wide, held.wrapping_sub(value)),
        Op::AtomicSMin if signed(wide, value) < signed(wide, held) => value,
        Op::AtomicSMax if signed(wide, value) > signed(wide, held) => value,
        Op::AtomicCompareExchange | Op::AtomicSMin | Op::AtomicSMax => held,
        Op::AtomicUMin => held.min(value),
        Op::AtomicUMax => held.max(value),
        Op::AtomicAnd => held & value,
        Op::AtomicOr => held | value,
        Op::AtomicXor => held ^ value,
        Op::AtomicIIncrement => cut(wide, held.wrapping_add(1)),
        Op::AtomicIDecrement => cut(wide, held.wrapping_sub(1)),
        _ => return None,
    })
}

/// The value of a bit field, and its number of bits.
fn field(a: u64, offset: u64, count: u64) -> (u64, u64) {
    let count = count.min(64);
    let mask = if count == 64 { u64::MAX } else { (1 << count) - 1 };
    (a.checked_shr(offset as u32).unwrap_or(0) & mask, count)
}

/// Whether a < b (or a <= b with `or_equal`), or a or b is NaN.
fn less_or_unordered(a: f64, b: f64, or_equal: bool) -> u64 {
    let less = a.partial_cmp(&b).is_none_or(|o| o.is_lt() || or_equal && o.is_eq());
    u64::from(less)
}
