//! Executes subgroup operations over the lanes that execute them together.

use crate::alu;
use crate::code::{GroupOp, Reach};
use crate::eval::eval;
use crate::flow::{Mask, first_lanes, lanes, lanes_where};
use crate::memory::GARBAGE;
use crate::run::Subgroup;

/// Executes an operation. If a lane reads from an inactive lane, returns the indices of both. With
/// `halved`, arithmetic combines each half of the subgroup separately.
pub(crate) fn operate(
    sg: &mut Subgroup,
    mask: Mask,
    op: GroupOp,
    (dst, value, other): (u32, u32, u32),
    n: u32,
    halved: bool,
) -> Option<(usize, u64)> {
    use GroupOp as G;
    let first = mask.trailing_zeros() as usize;
    match op {
        G::Elect => sg.set_each(mask, dst, |_, lane| u64::from(lane == first)),
        G::All => {
            let all = lanes(mask).all(|l| sg.get(value, l) != 0);
            sg.set_each(mask, dst, |_, _| u64::from(all));
        }
        G::Any => {
            let any = lanes(mask).any(|l| sg.get(value, l) != 0);
            sg.set_each(mask, dst, |_, _| u64::from(any));
        }
        G::AllEqual => {
            let same = |k| lanes(mask).all(|l| sg.get(value + k, l) == sg.get(value + k, first));
            let same = (0..n).all(same);
            sg.set_each(mask, dst, |_, _| u64::from(same));
        }
        G::Ballot => {
            let votes = lanes_where(mask, |lane| sg.get(value, lane) != 0);
            for k in 0..4 {
                sg.set_each(mask, dst + k, |_, _| u64::from((votes >> (32 * k)) as u32));
            }
        }
        G::InverseBallot => {
            sg.set_each(mask, dst, |sg, lane| u64::from(ballot(sg, value, lane) >> lane & 1 != 0));
        }
        G::BallotBitExtract => sg.set_each(mask, dst, |sg, lane| {
            let bit = sg.get(other, lane).min(127);
            u64::from(ballot(sg, value, lane) >> bit & 1 != 0)
        }),
        G::BallotBitCount(reach) => {
            let width = first_lanes(sg.width);
            sg.set_each(mask, dst, |sg, lane| {
                let below = (1 << lane) - 1;
                let counted = match reach {
                    Reach::Inclusive => below | 1 << lane,
                    Reach::Exclusive => below,
                    Reach::Reduce | Reach::Clustered(_) => Mask::MAX,
                };
                u64::from((ballot(sg, value, lane) & width & counted).count_ones())
            });
        }
        G::BallotFindLsb => sg.set_each(mask, dst, |sg, lane| {
            let votes = ballot(sg, value, lane);
            u64::from(if votes == 0 { GARBAGE } else { votes.trailing_zeros() })
        }),
        G::BallotFindMsb => sg.set_each(mask, dst, |sg, lane| {
            u64::from(ballot(sg, value, lane).checked_ilog2().unwrap_or(GARBAGE))
        }),
        G::BroadcastFirst => {
            for k in 0..n {
                let held = sg.get(value + k, first);
                sg.set_each(mask, dst + k, |_, _| held);
            }
        }
        G::Broadcast | G::Shuffle | G::ShuffleXor | G::ShuffleUp | G::ShuffleDown => {
            return shuffle(sg, mask, op, (dst, value, other), n);
        }
        G::Combine { op, identity, reach } => {
            for k in 0..n {
                combine(sg, mask, op, identity, (reach, halved), (dst + k, value + k));
            }
        }
    }
    None
}

fn ballot(sg: &Subgroup, value: u32, lane: usize) -> Mask {
    (0..4).fold(0, |all, k| all | Mask::from(sg.get(value + k, lane) as u32) << (32 * k))
}

/// The index of the lane from which `lane` reads.
pub(crate) fn source(op: GroupOp, lane: usize, operand: u64) -> u64 {
    let own = lane as u64;
    match op {
        GroupOp::ShuffleXor => own ^ operand,
        GroupOp::ShuffleUp => own.wrapping_sub(operand),
        GroupOp::ShuffleDown => own.wrapping_add(operand),
        _ => operand,
    }
}

fn shuffle(
    sg: &mut Subgroup,
    mask: Mask,
    op: GroupOp,
    (dst, value, other): (u32, u32, u32),
    n: u32,
) -> Option<(usize, u64)> {
    let mut absent = None;
    let width = sg.width;
    let mut taken = std::mem::take(&mut sg.held);
    for lane in lanes(mask) {
        let operand = sg.get(other, lane);
        let from = source(op, lane, operand);
        let there = from < width as u64 && mask >> from & 1 != 0;
        if !there {
            absent = absent.or(Some((lane, from)));
        }
        let from = from as usize;
        let garbage = u64::from(GARBAGE);
        taken.extend((0..n).map(|k| if there { sg.get(value + k, from) } else { garbage }));
    }
    for (lane, values) in lanes(mask).zip(taken.chunks(n as usize)) {
        for (k, held) in (0..).zip(values) {
            sg.set(dst + k, lane, *held);
        }
    }
    taken.clear();
    sg.held = taken;
    absent
}

fn combine(
    sg: &mut Subgroup,
    mask: Mask,
    op: alu::Alu,
    identity: u64,
    (reach, halved): (Reach, bool),
    (dst, value): (u32, u32),
) {
    let add = |a, b| eval(op, a, b, b);
    let size = match reach {
        Reach::Clustered(size) => size.max(1) as usize,
        _ if halved => (sg.width / 2).max(1),
        _ => sg.width,
    };
    let mut begin = 0;
    let mut results = std::mem::take(&mut sg.held);
    while begin < sg.width {
        let cluster = mask & (first_lanes(size) << begin);
        let mut so_far = identity;
        for lane in lanes(cluster) {
            let next = add(so_far, sg.get(value, lane));
            results.push(if reach == Reach::Exclusive { so_far } else { next });
            so_far = next;
        }
        let scan = matches!(reach, Reach::Inclusive | Reach::Exclusive);
        for (lane, result) in lanes(cluster).zip(results.drain(..)) {
            sg.set(dst, lane, if scan { result } else { so_far });
        }
        begin += size;
    }
    sg.held = results;
}
