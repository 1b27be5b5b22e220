//! Tracks undefined values: unwritten variables, results of `OpUndef` and of shifts by too many
//! bits, and values computed from these.
//!
//! Each register has one bit per lane that marks it as undefined. A kernel may copy undefined
//! values and compute with them; results that depend on them are undefined as well. A finding is
//! reported if an undefined value is used in a branch, an address, a vote, a subgroup reduction or
//! scan, the lane index of a shuffle, or a write to memory.

use rspirv::spirv::Op;

use crate::access::address;
use crate::alu::{self, Alu, Kind};
use crate::code::{Address, BAD_ADDRESS, Code, Edge, GroupOp, Reg};
use crate::finding_kind::FindingKind;
use crate::flow::{Mask, lanes, lanes_where};
use crate::reach::same_private;
use crate::run::{Core, Run, Subgroup};
use crate::subgroup::source;

/// Propagates the undefined bits through the next instruction of these lanes. Reports a finding if
/// the instruction uses an undefined value in one of the ways above. Must be called before the
/// instruction is executed.
pub(crate) fn follow(run: &mut Run<'_>, core: &Core, sg: &mut Subgroup, mask: Mask, pc: u32) {
    let mut used: Mask = 0;
    let mut how = "";
    match &run.program.code[pc as usize] {
        Code::Copy { dst, src, n } => copy(sg, mask, *dst, *src, *n),
        Code::Alu { op, dst, args, steps, n } => {
            for k in 0..*n {
                let args = [0, 1, 2].map(|at| args[at] + steps[at] * k);
                let bits = of_result(sg, mask, *op, args);
                put(sg, mask, dst + k, bits);
            }
        }
        Code::Pick { dst, vector, index, n } => {
            let mut bits = sg.undefined[*index as usize];
            for lane in lanes(mask & any(sg, *vector, *n)) {
                let k = sg.get(*index, lane);
                if k < u64::from(*n) {
                    bits |= sg.undefined[*vector as usize + k as usize] & (1 << lane);
                }
            }
            put(sg, mask, *dst, bits);
        }
        Code::Insert { dst, vector, scalar, index, n } => {
            let (scalar, index_bits) =
                (sg.undefined[*scalar as usize], sg.undefined[*index as usize]);
            copy(sg, mask, *dst, *vector, *n);
            for k in 0..*n {
                let here = lanes_where(mask, |lane| sg.get(*index, lane) == u64::from(k));
                put(sg, here, dst + k, scalar | index_bits);
            }
        }
        Code::Chain { dst, base, terms } => {
            let mut bits = base.reg.map_or(0, |reg| sg.undefined[reg as usize]);
            for term in terms {
                bits |= sg.undefined[term.index as usize];
            }
            put(sg, mask, *dst, bits);
        }
        Code::Locate { dst, low, high } => {
            let high = high.map_or(0, |high| sg.undefined[high as usize]);
            let bits = sg.undefined[*low as usize] | high;
            put(sg, mask, *dst, bits);
        }
        Code::LoadPrivate { dst, at, n } => {
            (used, how) = (of_address(sg, mask, *at), "an index");
            each_private(sg, mask, *at, |sg, mask, from| match from {
                Some(from) => copy(sg, mask, *dst, from, *n),
                None => set(sg, mask, *dst, *n),
            });
        }
        Code::StorePrivate { at, src, n } => {
            (used, how) = (of_address(sg, mask, *at), "an index");
            each_private(sg, mask, *at, |sg, mask, to| {
                if let Some(to) = to {
                    copy(sg, mask, to, *src, *n);
                }
            });
        }
        Code::Load { dst, at, leaves, .. } => {
            (used, how) = (of_address(sg, mask, *at), "an address");
            set(sg, mask, *dst, leaves.len() as u32);
        }
        Code::Store { at, src, leaves, .. } => {
            (used, how) = (of_address(sg, mask, *at), "an address");
            if used == 0 {
                (used, how) = (any(sg, *src, leaves.len() as u32) & mask, "a stored value");
            }
        }
        Code::Atomic { op, dst, at, args: [value, compare], .. } => {
            (used, how) = (of_address(sg, mask, *at), "an address");
            let operands = match op {
                Op::AtomicLoad | Op::AtomicIIncrement | Op::AtomicIDecrement => 0,
                Op::AtomicCompareExchange => any(sg, *value, 1) | any(sg, *compare, 1),
                _ => any(sg, *value, 1),
            };
            if used == 0 {
                (used, how) = (operands & mask, "an operand of an atomic");
            }
            if let Some(dst) = dst {
                set(sg, mask, *dst, 1);
            }
        }
        Code::ArrayLength { dst, .. } => set(sg, mask, *dst, 1),
        Code::Group { op, dst, value, other, n } => {
            (used, how) = of_group(sg, mask, *op, (*dst, *value, *other), *n);
        }
        Code::Branch { condition, .. } => {
            (used, how) = (sg.undefined[*condition as usize] & mask, "a condition");
        }
        Code::Switch { selector, .. } => {
            (used, how) = (sg.undefined[*selector as usize] & mask, "a selector");
        }
        Code::Forget { first, n } => {
            for register in *first..first + n {
                sg.undefined[register as usize] |= mask;
            }
        }
        _ => {}
    }
    if used != 0 {
        let lane = used.trailing_zeros() as usize;
        run.report(FindingKind::Undefined, core, sg.first + lane, pc, how.to_owned());
    }
}

/// Copies the undefined bits of the phi inputs of an edge.
pub(crate) fn take(sg: &mut Subgroup, mask: Mask, edge: &Edge) {
    let mut held = std::mem::take(&mut sg.held_bits);
    let from = edge.copies.iter().flat_map(|&(_, src, n)| src..src + n);
    held.extend(from.map(|register| sg.undefined[register as usize]));
    let to = edge.copies.iter().flat_map(|&(dst, _, n)| dst..dst + n);
    for (register, bits) in to.zip(&held) {
        put(sg, mask, register, *bits);
    }
    held.clear();
    sg.held_bits = held;
}

fn put(sg: &mut Subgroup, mask: Mask, register: Reg, bits: Mask) {
    let held = &mut sg.undefined[register as usize];
    *held = *held & !mask | bits & mask;
}

/// Marks registers as defined.
fn set(sg: &mut Subgroup, mask: Mask, first: Reg, n: u32) {
    for register in first..first + n {
        sg.undefined[register as usize] &= !mask;
    }
}

/// The lanes in which any of these registers is undefined.
fn any(sg: &Subgroup, first: Reg, n: u32) -> Mask {
    (first..first + n).fold(0, |all, register| all | sg.undefined[register as usize])
}

fn copy(sg: &mut Subgroup, mask: Mask, dst: Reg, src: Reg, n: u32) {
    for k in 0..n {
        // Overlapping ranges are copied in the same direction as in `exec::copy`.
        let k = if dst > src { n - 1 - k } else { k };
        let bits = sg.undefined[(src + k) as usize];
        put(sg, mask, dst + k, bits);
    }
}

/// Calls `access` with the register at an address in a variable, or with `None` if the address is
/// out of bounds. If all lanes have the same address, and it is in bounds, makes one call,
/// otherwise one call per lane.
fn each_private(
    sg: &mut Subgroup,
    mask: Mask,
    at: Address,
    mut access: impl FnMut(&mut Subgroup, Mask, Option<Reg>),
) {
    if let Some(register) = same_private(sg, mask, at) {
        return access(sg, mask, Some(register));
    }
    for lane in lanes(mask) {
        let to = address(sg, at, lane);
        access(sg, 1 << lane, (to & BAD_ADDRESS == 0).then_some(to as Reg));
    }
}

fn of_address(sg: &Subgroup, mask: Mask, at: Address) -> Mask {
    at.reg.map_or(0, |reg| sg.undefined[reg as usize] & mask)
}

/// Lanes whose result depends on an undefined value.
fn of_result(sg: &Subgroup, mask: Mask, op: Alu, args: [Reg; 3]) -> Mask {
    let bits = args.map(|register| sg.undefined[register as usize] & mask);
    let [a, b, c] = match alu::operands(op.kind) {
        1 => [bits[0], 0, 0],
        2 => [bits[0], bits[1], 0],
        _ => bits,
    };
    let too_far = shifted_too_far(sg, mask, op, args[1]);
    let all = a | b | c;
    if all == 0 {
        return too_far;
    }
    let is_undefined = |lane: usize| {
        let bit = |mask: Mask| mask >> lane & 1 != 0;
        let (x, y) = (sg.get(args[0], lane), sg.get(args[1], lane));
        match op.kind {
            // A defined operand that is zero determines the result.
            Kind::BitwiseAnd | Kind::IMul | Kind::LogicalAnd => {
                (bit(a) || x != 0) && (bit(b) || y != 0)
            }
            Kind::LogicalOr => (bit(a) || x == 0) && (bit(b) || y == 0),
            Kind::Select => bit(a) || if x != 0 { bit(b) } else { bit(c) },
            _ => true,
        }
    };
    too_far | lanes_where(all, is_undefined)
}

/// Lanes whose shift amount is not less than the number of bits, so that the result is undefined.
fn shifted_too_far(sg: &Subgroup, mask: Mask, op: Alu, by: Reg) -> Mask {
    if !matches!(
        op.kind,
        Kind::ShiftLeftLogical | Kind::ShiftRightLogical | Kind::ShiftRightArithmetic
    ) {
        return 0;
    }
    let bits = if op.wide { 64 } else { 32 };
    lanes_where(mask, |lane| sg.get(by, lane) >= bits)
}

/// Propagates the undefined bits through a subgroup operation. Returns the lanes that use an
/// undefined value in a way that is a finding, with a description of the use.
fn of_group(
    sg: &mut Subgroup,
    mask: Mask,
    op: GroupOp,
    (dst, value, other): (Reg, Reg, Reg),
    n: u32,
) -> (Mask, &'static str) {
    use GroupOp as G;
    match op {
        G::Elect => set(sg, mask, dst, 1),
        G::Ballot | G::All | G::Any | G::AllEqual => {
            let n = if let G::AllEqual = op { n } else { 1 };
            let used = any(sg, value, n) & mask;
            set(sg, mask, dst, if let G::Ballot = op { 4 } else { 1 });
            return (used, "a vote");
        }
        G::InverseBallot | G::BallotBitCount(_) | G::BallotFindLsb | G::BallotFindMsb => {
            let bits = any(sg, value, 4);
            put(sg, mask, dst, bits);
        }
        G::BallotBitExtract => {
            let bits = any(sg, value, 4) | any(sg, other, 1);
            put(sg, mask, dst, bits);
        }
        G::BroadcastFirst => {
            let first = mask.trailing_zeros();
            for k in 0..n {
                let undefined = sg.undefined[(value + k) as usize] >> first & 1 != 0;
                put(sg, mask, dst + k, if undefined { Mask::MAX } else { 0 });
            }
        }
        G::Broadcast | G::Shuffle | G::ShuffleXor | G::ShuffleUp | G::ShuffleDown => {
            let used = any(sg, other, 1) & mask;
            for k in 0..n {
                let held = sg.undefined[(value + k) as usize];
                let reads_undefined = |lane| {
                    let from = source(op, lane, sg.get(other, lane));
                    from < 128 && (mask & held) >> from & 1 != 0
                };
                let bits = if held & mask == 0 { 0 } else { lanes_where(mask, reads_undefined) };
                put(sg, mask, dst + k, bits);
            }
            return (used, "the lane index of a broadcast or shuffle");
        }
        G::Combine { .. } => {
            let used = any(sg, value, n) & mask;
            set(sg, mask, dst, n);
            return (used, "an operand of a subgroup reduction or scan");
        }
    }
    (0, "")
}
