//! Checks that all conflicting accesses are synchronised and that every barrier bit is required.
//!
//! The plan is unrolled into accesses and memory barriers in submission order, with several runs
//! if it is replayable. Every pair of accesses is then checked with the rules in `chains`.

use multisplit_graph::{
    Access as A, BufferPlacement, MemoryBarrier, Plan, Scope, Stages as S, Work,
};
use multisplit_shaders::BindingKind;

use super::Declared;
use super::chains::{Chains, Memory, bits, broad_access, broad_stages, supported_access};

/// Number of runs to unroll for a replayable plan. Two would be sufficient, because a run depends
/// only on itself and on the previous run. The third run verifies this assumption.
const RUNS: usize = 3;

/// Who performs an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    Pass {
        run: usize,
        step: usize,
    },
    /// The caller, before a run. Earlier accesses of the caller are not modelled.
    Entry,
    /// The caller, after a run. Later accesses of the caller are not modelled.
    Exit,
}

#[derive(Clone, Debug)]
struct Access {
    /// Position in the sequence of barrier calls and passes.
    time: usize,
    who: Who,
    stage: u64,
    reads: u64,
    writes: u64,
    scratch: bool,
    /// Address space: the buffer index, or `usize::MAX` for the workspace.
    space: usize,
    start: u64,
    end: u64,
}

/// The accesses of an unrolled plan. Barriers are separate, because the model checks the same
/// accesses with different barriers.
#[derive(Default)]
struct Unrolled {
    accesses: Vec<Access>,
    /// For each of the smallest byte ranges between access boundaries, the indices of its accesses,
    /// in order.
    atoms: Vec<Vec<usize>>,
    /// Explicit orders, as pairs of earlier and later execution, each with its time and stages.
    orders: Vec<[(usize, u64); 2]>,
    /// For each run, the times of the barrier calls before each step and of the exit call.
    call_times: Vec<Vec<usize>>,
}

/// The barrier calls of a plan: one for each step, then the exit barrier.
type Calls = Vec<Vec<MemoryBarrier>>;

pub fn check(declared: &Declared, plan: &Plan) -> Result<(), String> {
    let unrolled = Unrolled::new(declared, plan);
    let calls = calls(plan);
    unrolled.synchronised(&calls, None)?;
    unrolled.exact(&calls)?;
    imports(declared, plan)
}

/// Checks that all conflicting accesses are synchronised. Allows redundant barrier bits.
pub fn sound(declared: &Declared, plan: &Plan) -> Result<(), String> {
    Unrolled::new(declared, plan).synchronised(&calls(plan), None)
}

/// Checks the import contracts: if the caller synchronises an import with the scopes in its
/// contract, all accesses to the import must be synchronised.
pub fn imports(declared: &Declared, plan: &Plan) -> Result<(), String> {
    let caller = Scope::new(S::FRAGMENT_SHADER, A::SHADER_STORAGE_READ | A::SHADER_STORAGE_WRITE);
    for (index, import, contract) in plan.imports() {
        let (Some(first), Some(last)) = (contract.first_use, contract.last_use) else { continue };
        let plan = plan.broken_by(|plan| {
            for (position, buffer) in plan.buffers.iter_mut().enumerate() {
                if let BufferPlacement::Import(contract) = &mut buffer.placement {
                    let scope = (position == index).then_some(caller);
                    (contract.entry, contract.exit) = (scope, scope);
                }
            }
        });
        let before = |from: Scope, to: Scope| MemoryBarrier {
            src_stages: from.stages,
            src_access: from.access.writes(),
            dst_stages: to.stages,
            dst_access: to.access,
        };
        let caller_calls = [before(caller, first), before(last, caller)];
        let single = Declared { replayable: false, ..declared.clone() };
        Unrolled::new(&single, &plan)
            .synchronised(&calls(&plan), Some(caller_calls))
            .map_err(|error| format!("contract of {}: {error}", import.name))?;
    }
    Ok(())
}

fn calls(plan: &Plan) -> Calls {
    let memory = |barrier: Option<&multisplit_graph::Barrier>| {
        barrier.map_or(Vec::new(), |barrier| barrier.memory.clone())
    };
    let steps = plan.steps().iter().map(|step| memory(step.barrier.as_ref()));
    steps.chain([memory(plan.exit())]).collect()
}

impl Unrolled {
    fn new(declared: &Declared, plan: &Plan) -> Self {
        let runs = if declared.replayable { RUNS } else { 1 };
        let mut unrolled = Self::default();
        // Time 0 is reserved for the caller's entry accesses before the first run.
        let mut time = 1;
        for run in 0..runs {
            unrolled.caller(plan, time, Who::Entry);
            let mut times = Vec::new();
            for step in 0..plan.steps().len() {
                times.push(time);
                unrolled.pass(plan, time + 1, run, step);
                time += 2;
            }
            times.push(time);
            unrolled.caller(plan, time + 1, Who::Exit);
            unrolled.orders(declared, plan, &times);
            unrolled.call_times.push(times);
            time += 2;
        }
        unrolled.find_atoms();
        unrolled
    }

    fn caller(&mut self, plan: &Plan, time: usize, who: Who) {
        // Entry accesses precede all barriers of the run, including those of the caller.
        let time = if who == Who::Entry { time - 1 } else { time };
        for (space, buffer, contract) in plan.imports() {
            let scope = if who == Who::Entry { contract.entry } else { contract.exit };
            let Some(scope) = scope else { continue };
            // One access per bit, because different barriers can cover different bits.
            for (stage, access) in scope
                .stages
                .iter()
                .flat_map(|s| (scope.access & supported_access(s)).iter().map(move |a| (s, a)))
            {
                self.access(time, who, (stage, access, false), (space, 0, buffer.size));
            }
        }
    }

    fn access(
        &mut self,
        time: usize,
        who: Who,
        (stage, access, scratch): (S, A, bool),
        (space, start, size): (usize, u64, u64),
    ) {
        let (reads, writes) = (access.reads().bits(), access.writes().bits());
        let (stage, end) = (stage.bits(), start + size);
        let access = Access { time, who, stage, reads, writes, scratch, space, start, end };
        self.accesses.push(access);
    }

    fn pass(&mut self, plan: &Plan, time: usize, run: usize, step: usize) {
        let pass = &plan.steps()[step].pass;
        let mut add =
            |buffer: usize, offset: u64, size: u64, stage: S, access: A, scratch: bool| {
                let base = plan.buffers()[buffer].workspace_offset();
                let space = base.map_or(buffer, |_| usize::MAX);
                let place = (space, base.unwrap_or(0) + offset, size);
                self.access(time, Who::Pass { run, step }, (stage, access, scratch), place);
            };
        for b in &pass.bindings {
            let read = match b.kind {
                BindingKind::Storage => A::SHADER_STORAGE_READ,
                BindingKind::Uniform => A::UNIFORM_READ,
            };
            let mut access = A::empty();
            access.set(read, b.access.reads());
            access.set(A::SHADER_STORAGE_WRITE, b.access.writes());
            add(b.buffer, b.offset, b.size, S::COMPUTE_SHADER, access, b.scratch);
        }
        match &pass.work {
            Work::Dispatch(_) => {}
            Work::DispatchIndirect { buffer, offset } => {
                add(*buffer, *offset, 12, S::DRAW_INDIRECT, A::INDIRECT_COMMAND_READ, false);
            }
            Work::Fill { view, .. } | Work::Update { view, .. } => {
                add(view.buffer, view.offset, view.size, S::TRANSFER, A::TRANSFER_WRITE, false);
            }
            Work::Copy { src, dst } => {
                add(src.buffer, src.offset, src.size, S::TRANSFER, A::TRANSFER_READ, false);
                add(dst.buffer, dst.offset, dst.size, S::TRANSFER, A::TRANSFER_WRITE, false);
            }
        }
    }

    fn orders(&mut self, declared: &Declared, plan: &Plan, times: &[usize]) {
        let stages = |work: &Work| match work {
            Work::Dispatch(_) => S::COMPUTE_SHADER,
            Work::DispatchIndirect { .. } => S::COMPUTE_SHADER | S::DRAW_INDIRECT,
            _ => S::TRANSFER,
        };
        let execution = |pass: usize| {
            let label = &declared.passes[pass].label;
            let step = plan.steps().iter().position(|step| step.pass.label == *label)?;
            Some((times[step] + 1, stages(&plan.steps()[step].pass.work).bits()))
        };
        let live = |pass: &super::DeclaredPass| {
            plan.steps().iter().any(|step| step.pass.label == pass.label)
        };
        let live: Vec<bool> = declared.passes.iter().map(live).collect();
        for (before, after) in super::semantics::orders(declared, &live) {
            self.orders.extend(execution(before).zip(execution(after)).map(|(b, a)| [b, a]));
        }
    }

    fn find_atoms(&mut self) {
        let mut ends: Vec<(usize, u64)> =
            self.accesses.iter().flat_map(|a| [(a.space, a.start), (a.space, a.end)]).collect();
        ends.sort_unstable();
        ends.dedup();
        let covers =
            |a: &Access, end: &(usize, u64)| a.space == end.0 && a.start <= end.1 && end.1 < a.end;
        let atom = |end: &(usize, u64)| {
            (0..self.accesses.len()).filter(|&a| covers(&self.accesses[a], end)).collect()
        };
        let mut atoms: Vec<Vec<usize>> = ends.iter().map(atom).collect();
        atoms.sort_unstable();
        atoms.dedup();
        self.atoms = atoms;
    }

    /// Checks that all conflicting pairs of accesses and all explicit orders are synchronised.
    /// `caller_calls` are the caller's barrier calls before and after the plan, if any.
    fn synchronised(
        &self,
        calls: &Calls,
        caller_calls: Option<[MemoryBarrier; 2]>,
    ) -> Result<(), String> {
        let chains = Chains::new(self.memory(calls, caller_calls));
        let mut reach: Vec<Option<[Vec<bool>; 2]>> = vec![None; self.accesses.len()];
        for atom in &self.atoms {
            // Neighbouring pairs are checked first, because `is_synchronised` assumes that the
            // pairs in between are synchronised.
            for (later, &b) in atom.iter().enumerate() {
                for &a in atom[..later].iter().rev() {
                    if self.is_conflict(a, b)
                        && !self.is_synchronised(&chains, &mut reach, atom, a, b)
                    {
                        return Err(format!(
                            "{:?}\nis not synchronised with\n{:?}",
                            self.accesses[a], self.accesses[b]
                        ));
                    }
                }
            }
        }
        for [(time, stages), (later, needed)] in &self.orders {
            for stage in bits(*stages) {
                let ordered = chains.from(*time, stage, None);
                if !bits(*needed).all(|stage| chains.executes(&ordered, *later, stage)) {
                    return Err(format!("explicit order of times {time} and {later} is violated"));
                }
            }
        }
        Ok(())
    }

    /// Whether `a` precedes `b`, at least one of them writes, and the plan must synchronise them.
    /// The caller synchronises its entry accesses with earlier ones, and its exit accesses with
    /// later ones.
    fn is_conflict(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.accesses[a], &self.accesses[b]);
        a.time < b.time && a.who != Who::Exit && b.who != Who::Entry && (a.writes | b.writes) != 0
    }

    /// Whether the accesses `a` and `b` are synchronised, directly or by passes in between.
    fn is_synchronised(
        &self,
        chains: &Chains,
        reach: &mut [Option<[Vec<bool>; 2]>],
        atom: &[usize],
        a: usize,
        b: usize,
    ) -> bool {
        let (first, second) = (&self.accesses[a], &self.accesses[b]);
        let [ordered, available] = reach[a].get_or_insert_with(|| {
            [
                chains.from(first.time, first.stage, None),
                chains.from(first.time, first.stage, Some(first.writes)),
            ]
        });
        let is_visible_to =
            |access: u64| chains.makes_visible(available, second.time, second.stage, access);
        // Writes are partial, so all earlier writes must be visible to a read.
        if first.writes != 0 && !second.scratch && !is_visible_to(second.reads) {
            return false;
        }
        if second.writes == 0 {
            return true;
        }
        let overwrites = if second.scratch { second.writes | second.reads } else { second.writes };
        let direct = match first.writes {
            0 => chains.executes(ordered, second.time, second.stage),
            _ => is_visible_to(overwrites),
        };
        // Otherwise, a conflicting pass in between orders the two accesses. Its pairs with both of
        // them have already been checked.
        direct
            || atom.iter().any(|&c| {
                let pass = matches!(self.accesses[c].who, Who::Pass { .. });
                pass && self.is_conflict(a, c) && self.is_conflict(c, b)
            })
    }

    /// All memory barriers of the unrolled plan, with those of the caller.
    fn memory(&self, calls: &Calls, caller_calls: Option<[MemoryBarrier; 2]>) -> Vec<Memory> {
        let mut all = Vec::new();
        let mut add = |time: usize, barrier: &MemoryBarrier| {
            all.push(Memory {
                time,
                src_stages: broad_stages(barrier.src_stages),
                src_access: broad_access(barrier.src_access),
                dst_stages: broad_stages(barrier.dst_stages),
                dst_access: broad_access(barrier.dst_access),
            });
        };
        let end = self.call_times.last().and_then(|times| times.last()).map_or(0, |time| *time);
        // Barrier times are doubled, so that odd times are free for the caller's calls. The
        // caller's entry accesses are at time 0, its first call at 1, and the plan's first call at
        // 2.
        if let Some([first, _]) = &caller_calls {
            add(1, first);
        }
        for times in &self.call_times {
            for (time, call) in times.iter().zip(calls) {
                call.iter().for_each(|barrier| add(2 * time, barrier));
            }
        }
        if let Some([_, last]) = &caller_calls {
            add(2 * end + 1, last);
        }
        all
    }

    /// Checks that every bit of every memory barrier is required: without it, some pair of accesses
    /// is not synchronised.
    fn exact(&self, calls: &Calls) -> Result<(), String> {
        for (index, call) in calls.iter().enumerate() {
            for (entry, barrier) in call.iter().enumerate() {
                for reduced in without_one_bit(barrier) {
                    let mut reduced_calls = calls.clone();
                    reduced_calls[index][entry] = reduced;
                    if self.synchronised(&reduced_calls, None).is_ok() {
                        return Err(format!(
                            "before step {index}: {barrier}\ncan be reduced to\n{reduced}"
                        ));
                    }
                }
            }
        }
        Ok(())
    }
}

/// All variants of the barrier with one bit removed.
fn without_one_bit(barrier: &MemoryBarrier) -> Vec<MemoryBarrier> {
    let MemoryBarrier { src_stages, src_access, dst_stages, dst_access } = *barrier;
    let mut all = Vec::new();
    all.extend(src_stages.iter().map(|s| MemoryBarrier { src_stages: src_stages - s, ..*barrier }));
    all.extend(dst_stages.iter().map(|s| MemoryBarrier { dst_stages: dst_stages - s, ..*barrier }));
    all.extend(src_access.iter().map(|a| MemoryBarrier { src_access: src_access - a, ..*barrier }));
    all.extend(dst_access.iter().map(|a| MemoryBarrier { dst_access: dst_access - a, ..*barrier }));
    all
}
