//! Executes one instruction for the lanes of a tangle.

use rspirv::spirv::Op;

use crate::access::{Accessor, address};
use crate::alu;
use crate::code::{Address, BAD_ADDRESS, Code, Edge, Scope, Semantics, Space, Term};
use crate::finding_kind::FindingKind;
use crate::flow::{Mask, Tangle, block_of, lanes, lanes_where};
use crate::memory::Mode;
use crate::options::{AtomicOrder, SubgroupBarriers};
use crate::order::Domain;
use crate::reach::{locate, private, pushed, same_private};
use crate::rows::Rows;
use crate::run::{Core, Run, Subgroup};
use crate::subgroup;
use crate::types::Qualifiers;
use crate::undefined;

/// Outcome of an instruction for its tangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The tangle continues.
    Next,
    /// The tangle continues after an access or barrier that other lanes can observe.
    Visible,
    /// Like `Visible`, after a volatile read.
    Read,
    /// The tangle has moved, split or ended, so tangle indices may have changed.
    Moved,
    /// The tangle waits.
    Waits,
}

/// Executes the next instruction of a tangle.
pub(crate) fn step(run: &mut Run<'_>, core: &mut Core, sg: &mut Subgroup, at: usize) -> Step {
    let program = run.program;
    let Tangle { mask, pc, count, .. } = sg.flow.tangles[at];
    let code = &program.code[pc as usize];
    run.steps += u64::from(count);
    sg.flow.tangles[at].pc = pc + 1;
    undefined::follow(run, core, sg, mask, pc);
    match code {
        Code::Copy { dst, src, n } => copy(sg, mask, *dst, *src, *n),
        Code::Alu { op, dst, args, steps, n } => {
            for k in 0..*n {
                let args = [0, 1, 2].map(|at| args[at] + steps[at] * k);
                arithmetic(sg, mask, *op, dst + k, args);
            }
        }
        Code::Pick { dst, vector, index, n } => sg.set_each(mask, *dst, |sg, lane| {
            let k = sg.get(*index, lane);
            if k < u64::from(*n) { sg.get(vector + k as u32, lane) } else { 0 }
        }),
        Code::Insert { dst, vector, scalar, index, n } => {
            copy(sg, mask, *dst, *vector, *n);
            for lane in lanes(mask) {
                let k = sg.get(*index, lane);
                if k < u64::from(*n) {
                    sg.set(dst + k as u32, lane, sg.get(*scalar, lane));
                }
            }
        }
        Code::Chain { dst, base, terms } => {
            sg.set_each(mask, *dst, |sg, lane| chain(sg, lane, *base, terms));
        }
        Code::Locate { dst, low, high } => sg.set_each(mask, *dst, |sg, lane| {
            let high = high.map_or(0, |high| sg.get(high, lane));
            locate(run, sg.get(*low, lane) | high << 32)
        }),
        Code::LoadPrivate { dst, at, n } => {
            if let Some(from) = same_private(sg, mask, *at) {
                copy(sg, mask, *dst, from, *n);
                return Step::Next;
            }
            for lane in lanes(mask) {
                let from = private(run, core, sg, *at, lane, pc);
                for k in 0..*n {
                    let value = from.map_or(0, |from| sg.get(from + k, lane));
                    sg.set(dst + k, lane, value);
                }
            }
        }
        Code::StorePrivate { at, src, n } => {
            if let Some(to) = same_private(sg, mask, *at) {
                copy(sg, mask, to, *src, *n);
                return Step::Next;
            }
            for lane in lanes(mask) {
                if let Some(to) = private(run, core, sg, *at, lane, pc) {
                    for k in 0..*n {
                        sg.set(to + k, lane, sg.get(src + k, lane));
                    }
                }
            }
        }
        Code::Load { space: Space::Push, dst, at, leaves, .. } => {
            for lane in lanes(mask) {
                let from = address(sg, *at, lane);
                for (k, leaf) in (0..).zip(leaves) {
                    let value = pushed(run, core, sg.first + lane, pc, from, *leaf);
                    sg.set(dst + k, lane, value);
                }
            }
        }
        Code::Load { space, dst, at, leaves, how } => {
            for lane in lanes(mask) {
                let from = address(sg, *at, lane);
                let who = accessor(sg, lane, pc, *space, *how, false);
                for (k, leaf) in (0..).zip(leaves) {
                    let value = run.load(core, who, from + u64::from(leaf.offset), leaf.wide);
                    sg.set(dst + k, lane, value);
                }
            }
            return if how.volatile { Step::Read } else { Step::Visible };
        }
        Code::Store { space, at, src, leaves, how } => {
            for lane in lanes(mask) {
                let to = address(sg, *at, lane);
                let who = accessor(sg, lane, pc, *space, *how, true);
                for (k, leaf) in (0..).zip(leaves) {
                    let value = sg.get(src + k, lane);
                    run.store(core, who, to + u64::from(leaf.offset), leaf.wide, value);
                    if sg.undefined[(src + k) as usize] >> lane & 1 != 0 {
                        run.forget(core, who, to + u64::from(leaf.offset), leaf.wide);
                    }
                }
            }
            return Step::Visible;
        }
        Code::Atomic { op, space, dst, at, args, wide } => {
            let (order, count) = ordered_lanes(run, mask);
            let loses = run.options.faults.lost_atomics && *space == Space::Shared;
            let mut updated = Vec::new();
            for lane in order.into_iter().take(count).map(usize::from) {
                let to = address(sg, *at, lane);
                let who = accessor(sg, lane, pc, *space, Qualifiers::default(), true);
                let operands = args.map(|register| sg.get(register, lane));
                if let Some((_, old)) = updated.iter().find(|(word, _)| loses && *word == to) {
                    if let Some(dst) = dst {
                        sg.set(*dst, lane, *old);
                    }
                    continue;
                }
                let mut before = run.atomic(core, who, to, *op, *wide, operands);
                if loses {
                    updated.push((to, before));
                }
                let Some(dst) = dst else { continue };
                if *space == Space::Shared && *op == Op::AtomicIAdd && !*wide {
                    let more = run.swap(core, who, to, operands[0] as u32);
                    before = u64::from((before as u32).wrapping_add(more));
                }
                sg.set(*dst, lane, before);
            }
            return Step::Visible;
        }
        Code::ArrayLength { dst, range, offset, stride } => {
            let size = run.bounds.get(*range as usize).map_or(0, |bound| bound.size);
            let len = size.saturating_sub(u64::from(*offset)) / u64::from((*stride).max(1));
            sg.set_each(mask, *dst, |_, _| len);
        }
        Code::Group { op, dst, value, other, n } => {
            let halved = run.options.faults.halved_arithmetic;
            let absent = subgroup::operate(sg, mask, *op, (*dst, *value, *other), *n, halved);
            if let Some((lane, asked)) = absent {
                let what = format!("lane {lane} of the subgroup reads from lane {asked}");
                run.report(FindingKind::AbsentLane, core, sg.first + lane, pc, what);
            }
        }
        Code::MemoryBarrier(semantics) => {
            fence(core, sg, mask, *semantics);
            let lockstep = run.options.subgroup_barriers != SubgroupBarriers::Kept;
            if lockstep && semantics.scope == Scope::Subgroup {
                meet_in_subgroup(core, sg, mask);
            }
            return Step::Visible;
        }
        Code::ControlBarrier { execution, memory } => {
            fence(core, sg, mask, *memory);
            if *execution != Scope::Workgroup {
                meet_in_subgroup(core, sg, mask);
                if run.options.subgroup_barriers == SubgroupBarriers::Kept {
                    return Step::Visible;
                }
            } else if program.local_size.iter().product::<u32>()
                <= run.options.faults.ignored_barriers_up_to
            {
                return Step::Visible;
            }
            sg.flow.tangles[at].pc = pc;
            sg.flow.tangles[at].waits = true;
            return Step::Waits;
        }
        Code::Selection { merge } => sg.flow.begin_selection(at, *merge),
        Code::Loop { merge, next } => {
            sg.flow.begin_loop(at, block_of(program, pc), *merge, *next);
        }
        Code::Call { block } => {
            let callee = program.blocks[*block as usize].pc;
            sg.flow.begin_call(at, callee, pc + 1);
        }
        Code::Return => {
            cover(run, pc);
            sg.flow.finish(program, at);
            return Step::Moved;
        }
        Code::Jump(edge) => {
            cover(run, pc);
            take(sg, mask, edge);
            sg.flow.jump(program, at, edge.block);
            return Step::Moved;
        }
        Code::Branch { condition, yes, no } => {
            cover(run, pc);
            let taken = lanes_where(mask, |lane| sg.get(*condition, lane) != 0);
            return branch(run, core, sg, at, &[(taken, yes), (mask & !taken, no)]);
        }
        Code::Switch { selector, cases, other } => {
            cover(run, pc);
            let mut left = mask;
            let mut ways = Vec::new();
            for (value, edge) in cases {
                let here = lanes_where(left, |lane| sg.get(*selector, lane) == *value);
                left &= !here;
                ways.push((here, edge));
            }
            ways.push((left, other));
            return branch(run, core, sg, at, &ways);
        }
        Code::Forget { .. } => {}
        Code::Unreachable => {
            cover(run, pc);
            let lane = mask.trailing_zeros() as usize;
            run.report(FindingKind::Unreachable, core, sg.first + lane, pc, String::new());
            run.stopped = true;
            return Step::Waits;
        }
    }
    Step::Next
}

/// Marks a block as executed. Called for its last instruction.
fn cover(run: &mut Run<'_>, pc: u32) {
    run.covered[block_of(run.program, pc) as usize] = true;
}

fn copy(sg: &mut Subgroup, mask: Mask, dst: u32, src: u32, n: u32) {
    let width = sg.width;
    if mask == sg.whole {
        let (from, to) = (src as usize * width, dst as usize * width);
        sg.registers.copy_within(from..from + n as usize * width, to);
        return;
    }
    // Rows may overlap, so copy in the direction that reads each row before it is overwritten.
    for k in 0..n {
        let k = if dst > src { n - 1 - k } else { k };
        for lane in lanes(mask) {
            sg.set(dst + k, lane, sg.get(src + k, lane));
        }
    }
}

fn arithmetic(sg: &mut Subgroup, mask: Mask, op: alu::Alu, dst: u32, args: [u32; 3]) {
    let width = sg.width;
    let row = |register: u32| register as usize * width;
    let (to, args, whole) = (row(dst), args.map(row), mask == sg.whole);
    Rows { registers: &mut sg.registers, width, mask, whole, to, args }.eval(op);
}

/// The address of one lane's access chain.
fn chain(sg: &Subgroup, lane: usize, base: Address, terms: &[Term]) -> u64 {
    let mut at = address(sg, base, lane);
    for term in terms {
        let index = sg.get(term.index, lane);
        match term.len {
            Some(len) if index >= u64::from(len) => at = BAD_ADDRESS | u64::from(index as u32),
            _ if at & BAD_ADDRESS == 0 => at += index * u64::from(term.stride),
            _ => {}
        }
    }
    at
}

fn accessor(
    sg: &Subgroup,
    lane: usize,
    pc: u32,
    space: Space,
    how: Qualifiers,
    write: bool,
) -> Accessor {
    // Volatile accesses and all accesses to shared memory are coherent.
    let coherent = how.coherent || how.volatile || space == Space::Shared;
    let mode = Mode { write, atomic: how.volatile, coherent, fixed: false };
    Accessor { local: sg.first + lane, pc, space, mode }
}

/// The active lanes, in the order in which they execute an atomic. Also returns their number.
fn ordered_lanes(run: &mut Run<'_>, mask: Mask) -> ([u8; Mask::BITS as usize], usize) {
    let mut order = [0; Mask::BITS as usize];
    let count = mask.count_ones() as usize;
    for (place, lane) in order.iter_mut().zip(lanes(mask)) {
        *place = lane as u8;
    }
    let all = &mut order[..count];
    match run.options.atomics {
        AtomicOrder::Lane => {}
        AtomicOrder::Reversed => all.reverse(),
        AtomicOrder::Any => {
            for k in (1..all.len()).rev() {
                all.swap(k, run.rng.below(k as u64 + 1) as usize);
            }
        }
    }
    (order, count)
}

fn fence(core: &mut Core, sg: &Subgroup, mask: Mask, semantics: Semantics) {
    if semantics.scope < Scope::Workgroup {
        return;
    }
    for lane in lanes(mask) {
        let local = sg.first + lane;
        if semantics.shared {
            core.clocks.fence(Domain::Shared, local, false);
        }
        if semantics.buffer {
            core.clocks.fence(Domain::Buffer, local, semantics.scope == Scope::Device);
        }
    }
}

fn meet_in_subgroup(core: &mut Core, sg: &Subgroup, mask: Mask) {
    let met: Vec<usize> = lanes(mask).collect();
    core.clocks.meet_in_subgroup(sg.first, &met);
}

/// Copies the phi inputs of an edge.
fn take(sg: &mut Subgroup, mask: Mask, edge: &Edge) {
    if edge.copies.is_empty() {
        return;
    }
    undefined::take(sg, mask, edge);
    match edge.copies.as_ref() {
        [] => {}
        [(dst, src, n)] => copy(sg, mask, *dst, *src, *n),
        all => {
            // All inputs are read before any phi is written.
            let width = sg.width;
            let mut held = std::mem::take(&mut sg.held);
            for &(_, src, n) in all {
                let from = src as usize * width;
                held.extend_from_slice(&sg.registers[from..from + n as usize * width]);
            }
            let to = all.iter().flat_map(|&(dst, _, n)| dst..dst + n);
            for (register, row) in to.zip(held.chunks(width)) {
                lanes(mask).for_each(|lane| sg.set(register, lane, row[lane]));
            }
            held.clear();
            sg.held = held;
        }
    }
}

fn branch(
    run: &mut Run<'_>,
    core: &mut Core,
    sg: &mut Subgroup,
    at: usize,
    ways: &[(Mask, &Edge)],
) -> Step {
    for (mask, edge) in ways {
        if *mask != 0 {
            take(sg, *mask, edge);
        }
    }
    let mut taken = ways.iter().filter(|(mask, _)| *mask != 0);
    if let (Some((_, edge)), None) = (taken.next(), taken.next()) {
        note(core, sg, at, edge.block);
        sg.flow.jump(run.program, at, edge.block);
    } else {
        let ways: Vec<(Mask, u32)> = ways.iter().map(|(mask, edge)| (*mask, edge.block)).collect();
        sg.flow.split(run.program, at, &ways);
    }
    Step::Moved
}

/// Records the branch target of a subgroup whose lanes all branch together. If another subgroup of
/// the workgroup took a different target, control flow is not uniform.
fn note(core: &mut Core, sg: &mut Subgroup, at: usize, block: u32) {
    let tangle = sg.flow.tangles[at];
    if !sg.flow.notes_branches() || !tangle.uniform || tangle.mask != sg.flow.full {
        return;
    }
    let pc = tangle.pc - 1;
    let visit = sg.visits.entry(pc).or_default();
    *visit += 1;
    let (first, mixed) = core.branches.entry((pc, *visit)).or_insert((block, false));
    *mixed |= *first != block;
    if *mixed {
        sg.flow.tangles[at].uniform = false;
    }
}
