//! Schedules the workgroups, subgroups and lanes of a dispatch.

use crate::code::{Code, Scope};
use crate::exec::{Step, step};
use crate::finding_kind::FindingKind;
use crate::options::Schedule;
use crate::run::{Group, Run};

/// Maximum number of accesses and barriers per turn, except under `InOrder` and `Reversed`.
const MAX_TURN: u64 = 6;
/// Under `Schedule::Stalls`, one in this many reads of a volatile word stalls the workgroup.
const STALLS: u64 = 8;
/// Number of instructions that the dispatch executes before a stalled workgroup continues: about as
/// many as a workgroup of a short kernel executes in total.
const STALL: u64 = 30_000;
/// A turn without limit, which ends only when no lane of the subgroup can continue.
const NO_END: u64 = u64::MAX;

/// Runs a dispatch until it ends or is stopped.
pub(crate) fn dispatch(run: &mut Run<'_>) {
    let total = run.groups.iter().map(|&k| u64::from(k)).product::<u64>();
    let mut started = 0;
    let mut resident: Vec<Group> = Vec::new();
    let mut spare: Vec<Group> = Vec::new();
    while !run.stopped {
        while resident.len() < run.options.resident.max(1) && started < total {
            let number = match run.options.schedule {
                Schedule::Reversed => total - 1 - started,
                _ => started,
            };
            resident.push(Group::new(run, number, spare.pop()));
            started += 1;
        }
        if resident.is_empty() {
            break;
        }
        let at = choose_group(run, &resident);
        turn(run, &mut resident[at]);
        if resident[at].is_done() {
            spare.push(resident.remove(at));
        }
    }
}

/// The index of the next of `count` workgroups, subgroups or tangles.
fn choose(run: &mut Run<'_>, count: usize) -> usize {
    match run.options.schedule {
        Schedule::InOrder => 0,
        Schedule::Reversed => count - 1,
        _ => run.rng.below(count as u64) as usize,
    }
}

fn choose_group(run: &mut Run<'_>, resident: &[Group]) -> usize {
    match run.options.schedule {
        Schedule::InOrder | Schedule::Reversed | Schedule::Random => choose(run, resident.len()),
        Schedule::HeldBack { first, count, after } => choose_free(run, resident, |g: &Group| {
            (first..first + count).contains(&g.core.number) && g.core.visible >= after
        }),
        Schedule::Stalls => {
            let now = run.steps;
            choose_free(run, resident, |g: &Group| g.core.stalled_until > now)
        }
    }
}

/// Picks a random workgroup that is not held back, or the first one if all are.
fn choose_free(run: &mut Run<'_>, resident: &[Group], held: impl Fn(&Group) -> bool) -> usize {
    let others = resident.iter().filter(|g| !held(g)).count() as u64;
    let pick = run.rng.below(others) as usize;
    let mut free = resident.iter().enumerate().filter(|(_, g)| !held(g));
    free.nth(pick).map_or(0, |(at, _)| at)
}

fn turn(run: &mut Run<'_>, group: &mut Group) {
    let count = group.subgroups.len();
    let first = choose(run, count);
    let accesses = match run.options.schedule {
        Schedule::InOrder | Schedule::Reversed => NO_END,
        _ => 1 + run.rng.below(MAX_TURN),
    };
    let reversed = run.options.schedule == Schedule::Reversed;
    let turns = (0..count)
        .map(|k| if reversed { (first + count - k) % count } else { (first + k) % count });
    let mut runnable = turns.filter(|&k| group.subgroups[k].flow.can_run());
    match runnable.next() {
        Some(at) => run_subgroup(run, group, at, accesses),
        None => meet(run, group),
    }
}

fn run_subgroup(run: &mut Run<'_>, group: &mut Group, at: usize, mut accesses: u64) {
    let Group { core, subgroups } = group;
    let sg = &mut subgroups[at];
    let ready = sg.flow.tangles.iter().filter(|t| !t.waits).count();
    let mut can_run = sg.flow.tangles.iter().enumerate().filter(|(_, t)| !t.waits);
    let Some((mut tangle, _)) = can_run.nth(choose(run, ready)) else { return };
    loop {
        let done = step(run, core, sg, tangle);
        match done {
            Step::Next => {}
            Step::Visible | Step::Read => {
                core.visible += 1;
                accesses -= 1;
                let may_stall = done == Step::Read && run.options.schedule == Schedule::Stalls;
                let stalls = may_stall && run.rng.below(STALLS) == 0;
                if stalls {
                    core.stalled_until = run.steps + STALL;
                }
                if stalls || accesses == 0 {
                    return;
                }
            }
            Step::Moved => {
                // Continue with the last tangle that can run. It usually contains lanes that moved.
                match sg.flow.tangles.iter().rposition(|t| !t.waits) {
                    Some(next) => tangle = next,
                    None => return,
                }
            }
            Step::Waits => {
                core.visible += 1;
                return;
            }
        }
        if run.stopped {
            return;
        }
        if run.steps > run.options.budget {
            let pc = sg.flow.tangles.get(tangle).map_or(0, |t| t.pc);
            let what = format!("{} instructions", run.options.budget);
            run.report(FindingKind::Budget, core, sg.first, pc, what);
            run.stopped = true;
            return;
        }
    }
}

/// Called when no lane of the workgroup can continue: releases the lanes that wait at barriers, or
/// ends them or the run. Reports a finding if not all lanes wait at the same barrier, unless a lane
/// waits at a subgroup barrier.
fn meet(run: &mut Run<'_>, group: &mut Group) {
    let Group { core, subgroups } = group;
    let all: u32 = subgroups.iter().map(|s| s.flow.full.count_ones()).sum();
    let waiting: u32 = subgroups.iter().map(|s| s.flow.waiting()).sum();
    let live: u32 = subgroups.iter().map(|s| s.flow.live.count_ones()).sum();
    let tangles = || subgroups.iter().flat_map(|s| s.flow.tangles.iter().map(move |t| (s, t)));
    let Some((sg, tangle)) = tangles().next() else {
        run.stopped = true;
        return;
    };
    let pc = tangle.pc;
    let local = sg.first + tangle.mask.trailing_zeros() as usize;
    let elsewhere = tangles().find(|(_, t)| t.pc != pc);
    // Lanes wait at subgroup barriers only if these act as workgroup barriers. Lanes of a correct
    // kernel may then wait at different barriers. Tests detect the effects by wrong results.
    let mut barriers = tangles().map(|(_, t)| &run.program.code[t.pc as usize]);
    let silent = barriers.any(|code| {
        matches!(code, Code::ControlBarrier { execution, .. } if *execution != Scope::Workgroup)
    });
    if !silent && (waiting < all || elsewhere.is_some()) {
        let what = match elsewhere {
            Some((other, t)) => {
                let lane = other.first + t.mask.trailing_zeros() as usize;
                format!("lane {lane} is at another barrier, #{}", t.pc)
            }
            None => {
                format!("{waiting} of {all} invocations have reached it, {} have ended", all - live)
            }
        };
        run.report(FindingKind::Barrier, core, local, pc, what);
        if waiting < live {
            run.stopped = true;
            return;
        }
    }
    if silent && subgroups.iter().any(|sg| sg.flow.live == 0) {
        // A subgroup that has ended never reaches the barrier, so the others do not continue.
        for sg in subgroups {
            sg.flow.end();
        }
        return;
    }
    core.clocks.meet();
    for sg in subgroups {
        for tangle in &mut sg.flow.tangles {
            debug_assert!(matches!(
                run.program.code[tangle.pc as usize],
                Code::ControlBarrier { .. }
            ));
            tangle.waits = false;
            tangle.pc += 1;
        }
    }
}
