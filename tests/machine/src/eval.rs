//! Evaluates an operation for the scalars of one lane.

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
    if wide { x.to_bits() } else { u64::from((x as f32).to_bits()) }
}

/// Computes in the width of the type, with a single rounding.
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

/// Like `eval`, inlined for operations that are known at compile time. Results that the
/// specification leaves undefined (such as a division by zero) are zero.
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
        K::Add => cut(wide, a.wrapping_add(b)),
        K::Sub => cut(wide, a.wrapping_sub(b)),
        K::Mul => cut(wide, a.wrapping_mul(b)),
        K::UDiv => a.checked_div(b).unwrap_or(0),
        K::UMod => a.checked_rem(b).unwrap_or(0),
        K::SDiv => cut(wide, sa().checked_div(sb()).unwrap_or(0) as u64),
        K::SRem => cut(wide, sa().checked_rem(sb()).unwrap_or(0) as u64),
        K::SMod => {
            let r = sa().checked_rem(sb()).unwrap_or(0);
            let r = if r != 0 && (r < 0) != (sb() < 0) { r + sb() } else { r };
            cut(wide, r as u64)
        }
        K::Negate => cut(wide, a.wrapping_neg()),
        K::MulHigh => cut(wide, ((u128::from(a) * u128::from(b)) >> width) as u64),
        K::SMulHigh => cut(wide, ((i128::from(sa()) * i128::from(sb())) >> width) as u64),
        K::Carry => u64::from((u128::from(a) + u128::from(b)) >> width != 0),
        K::Borrow => u64::from(a < b),
        K::ShiftLeft => {
            if b < width {
                cut(wide, a << b)
            } else {
                0
            }
        }
        K::ShiftRight => {
            if b < width {
                a >> b
            } else {
                0
            }
        }
        K::ShiftRightSigned => cut(wide, (sa() >> b.min(width - 1)) as u64),
        K::And | K::LogicalAnd => a & b,
        K::Or | K::LogicalOr => a | b,
        K::Xor | K::LogicalNotEqual => a ^ b,
        K::Not => cut(wide, !a),
        K::BitCount => u64::from(a.count_ones()),
        K::BitReverse => {
            if wide {
                a.reverse_bits()
            } else {
                u64::from((a as u32).reverse_bits())
            }
        }
        K::BitFieldU => field(a, b, c).0,
        K::BitFieldS => {
            let (value, count) = field(a, b, c);
            let extended =
                if count == 0 { 0 } else { ((value << (64 - count)) as i64) >> (64 - count) };
            cut(wide, extended as u64)
        }
        K::Equal | K::LogicalEqual => u64::from(a == b),
        K::NotEqual => u64::from(a != b),
        K::ULess => u64::from(a < b),
        K::ULessEqual => u64::from(a <= b),
        K::UGreater => u64::from(a > b),
        K::UGreaterEqual => u64::from(a >= b),
        K::SLess => u64::from(sa() < sb()),
        K::SLessEqual => u64::from(sa() <= sb()),
        K::SGreater => u64::from(sa() > sb()),
        K::SGreaterEqual => u64::from(sa() >= sb()),
        K::LogicalNot => u64::from(a == 0),
        K::Select => {
            if a != 0 {
                b
            } else {
                c
            }
        }
        K::FAdd => float2(wide, a, b, |a, b| a + b, |a, b| a + b),
        K::FSub => float2(wide, a, b, |a, b| a - b, |a, b| a - b),
        K::FMul => float2(wide, a, b, |a, b| a * b, |a, b| a * b),
        K::FDiv => float2(wide, a, b, |a, b| a / b, |a, b| a / b),
        K::FRem => float2(wide, a, b, |a, b| a % b, |a, b| a % b),
        K::FMod => {
            float2(wide, a, b, |a, b| a - b * (a / b).floor(), |a, b| a - b * (a / b).floor())
        }
        K::FNegate => a ^ (1 << (width - 1)),
        K::FEqual => u64::from(fa() == fb()),
        K::FNotEqual => u64::from(fa() < fb() || fa() > fb()),
        K::FUnequal => u64::from(fa() != fb()),
        K::FLess => u64::from(fa() < fb()),
        K::FLessEqual => u64::from(fa() <= fb()),
        K::FGreater => u64::from(fa() > fb()),
        K::FGreaterEqual => u64::from(fa() >= fb()),
        K::ULessF => less_or_unordered(fa(), fb(), false),
        K::ULessEqualF => less_or_unordered(fa(), fb(), true),
        K::UGreaterF => less_or_unordered(fb(), fa(), false),
        K::UGreaterEqualF => less_or_unordered(fb(), fa(), true),
        K::IsNan => u64::from(fa().is_nan()),
        K::IsInf => u64::from(fa().is_infinite()),
        K::UToF => {
            if wide {
                (a as f64).to_bits()
            } else {
                u64::from((a as f32).to_bits())
            }
        }
        K::SToF => {
            if wide {
                (sa() as f64).to_bits()
            } else {
                u64::from((sa() as f32).to_bits())
            }
        }
        K::FToU => {
            if wide {
                fa() as u64
            } else {
                u64::from(fa() as u32)
            }
        }
        K::FToS => {
            if wide {
                fa() as i64 as u64
            } else {
                u64::from(fa() as i32 as u32)
            }
        }
        K::FConvert => bits(wide, fa()),
        K::UConvert => cut(wide, a),
        K::Pack => a | b << 32,
        K::High => a >> 32,
        K::SConvert => cut(wide, sa() as u64),
        K::Bits => a,
        K::UMin => a.min(b),
        K::UMax => a.max(b),
        K::SMin => {
            if sa() < sb() {
                a
            } else {
                b
            }
        }
        K::SMax => {
            if sa() > sb() {
                a
            } else {
                b
            }
        }
        K::FMin => {
            if fb() < fa() || fa().is_nan() {
                b
            } else {
                a
            }
        }
        K::FMax => {
            if fb() > fa() || fa().is_nan() {
                b
            } else {
                a
            }
        }
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
        K::FSign => bits(
            wide,
            if fa() > 0.0 {
                1.0
            } else if fa() < 0.0 {
                -1.0
            } else {
                0.0
            },
        ),
        K::SSign => cut(wide, sa().signum() as u64),
        K::Floor => bits(wide, fa().floor()),
        K::Ceil => bits(wide, fa().ceil()),
        K::Trunc => bits(wide, fa().trunc()),
        K::RoundEven => bits(wide, fa().round_ties_even()),
        K::Fract => float2(wide, a, a, |a, _| a - a.floor(), |a, _| a - a.floor()),
        K::Sqrt => float2(wide, a, a, |a, _| a.sqrt(), |a, _| a.sqrt()),
        K::InverseSqrt => bits(wide, 1.0 / fa().sqrt()),
        K::Fma => {
            if wide {
                f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c)).to_bits()
            } else {
                let [a, b, c] = [a, b, c].map(|x| f32::from_bits(x as u32));
                u64::from(a.mul_add(b, c).to_bits())
            }
        }
        K::Mix => bits(wide, fa() * (1.0 - float(wide, c)) + fb() * float(wide, c)),
        K::Step => bits(wide, if fb() < fa() { 0.0 } else { 1.0 }),
        K::FindLsb => {
            if a == 0 {
                u64::from(u32::MAX)
            } else {
                u64::from(a.trailing_zeros())
            }
        }
        K::FindUMsb => {
            if a == 0 {
                u64::from(u32::MAX)
            } else {
                u64::from(a.ilog2())
            }
        }
        K::FindSMsb => {
            let x = a as u32;
            let x = if (x as i32) < 0 { !x } else { x };
            if x == 0 { u64::from(u32::MAX) } else { u64::from(x.ilog2()) }
        }
        K::Exp => bits(wide, fa().exp()),
        K::Exp2 => bits(wide, fa().exp2()),
        K::Log => bits(wide, fa().ln()),
        K::Log2 => bits(wide, fa().log2()),
    }
}

/// The bits of a bit field, and their number.
fn field(a: u64, offset: u64, count: u64) -> (u64, u64) {
    let count = count.min(64);
    let mask = if count == 64 { u64::MAX } else { (1 << count) - 1 };
    (a.checked_shr(offset as u32).unwrap_or(0) & mask, count)
}

/// Whether a < b (or a <= b with `or_equal`), or one of them is NaN.
fn less_or_unordered(a: f64, b: f64, or_equal: bool) -> u64 {
    let less = a.partial_cmp(&b).is_none_or(|o| o.is_lt() || or_equal && o.is_eq());
    u64::from(less)
}
