//! Checks that a plan computes the declared results: live passes, levels, memory placement and
//! data flow.

use std::collections::{BTreeMap, BTreeSet};

use multisplit_graph::{Plan, Work};

use super::{Declared, DeclaredUse, Kind};

pub fn check(declared: &Declared, plan: &Plan) -> Result<(), String> {
    let live = liveness(declared, plan)?;
    levels(declared, plan, &live)?;
    placement(declared, plan)?;
    results(declared, plan, &live)
}

/// Checks that the plan contains exactly the live passes: kept passes, writers of buffers that
/// outlive the run, and their producers. Returns the live flags.
fn liveness(declared: &Declared, plan: &Plan) -> Result<Vec<bool>, String> {
    let outside = |u: &DeclaredUse| u.writes && declared.buffers[u.buffer].kind != Kind::Transient;
    let mut live: Vec<bool> =
        declared.passes.iter().map(|p| p.kept || p.uses.iter().any(outside)).collect();
    for _ in 0..live.len() {
        for later in 0..live.len() {
            for earlier in 0..later {
                let uses = |pass: usize| declared.passes[pass].uses.iter();
                let feeds = uses(earlier).any(|a| uses(later).any(|b| a.feeds(b)));
                live[earlier] |= live[later] && feeds;
            }
        }
    }
    let labels = |is_live: bool| -> Vec<&str> {
        let passes = declared.passes.iter().zip(&live).filter(|(_, live)| **live == is_live);
        passes.map(|(pass, _)| pass.label.as_str()).collect()
    };
    let planned: BTreeSet<&str> =
        plan.steps().iter().map(|step| step.pass.label.as_str()).collect();
    if planned.len() != plan.steps().len() || planned != labels(true).into_iter().collect() {
        return Err(format!("planned {planned:?}, live {:?}", labels(true)));
    }
    if plan.culled() != labels(false) {
        return Err(format!("culled {:?}, dead {:?}", plan.culled(), labels(false)));
    }
    Ok(live)
}

/// Explicit orders, including those that result from chains through dead passes.
pub fn orders(declared: &Declared, live: &[bool]) -> BTreeSet<(usize, usize)> {
    let count = declared.passes.len();
    let mut ordered: BTreeSet<(usize, usize)> = declared.orders.iter().copied().collect();
    for via in (0..count).filter(|&pass| !live[pass]) {
        for from in 0..count {
            for to in 0..count {
                if ordered.contains(&(from, via)) && ordered.contains(&(via, to)) {
                    ordered.insert((from, to));
                }
            }
        }
    }
    ordered
}

/// The live predecessors of each pass, from conflicts with earlier passes and from explicit orders.
fn predecessors(declared: &Declared, live: &[bool]) -> Vec<BTreeSet<usize>> {
    let count = declared.passes.len();
    let ordered = orders(declared, live);
    let mut before = vec![BTreeSet::new(); count];
    for (later, before) in before.iter_mut().enumerate() {
        let uses = |pass: usize| declared.passes[pass].uses.iter();
        let conflicts = |earlier: usize| uses(earlier).any(|a| uses(later).any(|b| a.conflicts(b)));
        before.extend((0..later).filter(|&earlier| conflicts(earlier)));
        before.extend(ordered.iter().filter(|(_, to)| *to == later).map(|(from, _)| *from));
        before.retain(|&pass| live[pass]);
    }
    before
}

/// Whether the dependencies of the declaration have a cycle.
pub fn has_cycle(declared: &Declared) -> bool {
    let everything = vec![true; declared.passes.len()];
    let before = predecessors(declared, &everything);
    let mut done = BTreeSet::new();
    for _ in 0..before.len() {
        done.extend(
            (0..before.len())
                .filter(|&pass| before[pass].iter().all(|p| done.contains(p)))
                .collect::<Vec<_>>(),
        );
    }
    done.len() < before.len()
}

/// Checks that every pass is one level after its latest predecessor, that steps are sorted by
/// level, and that only the first step of a level has a barrier.
fn levels(declared: &Declared, plan: &Plan, live: &[bool]) -> Result<(), String> {
    let before = predecessors(declared, live);
    let level_of = |pass: usize| {
        let label = &declared.passes[pass].label;
        plan.steps().iter().find(|step| step.pass.label == *label).map(|step| step.pass.level)
    };
    for pass in (0..before.len()).filter(|&pass| live[pass]) {
        let expected =
            before[pass].iter().filter_map(|&p| level_of(p)).map(|level| level + 1).max();
        let (found, expected) = (level_of(pass), expected.unwrap_or(0));
        if found != Some(expected) {
            let label = &declared.passes[pass].label;
            return Err(format!("{label} has level {found:?}, expected {expected}"));
        }
    }
    let position = |label: &str| declared.passes.iter().position(|pass| pass.label == label);
    let order: Vec<_> =
        plan.steps().iter().map(|s| (s.pass.level, position(&s.pass.label))).collect();
    if !order.is_sorted() {
        return Err("steps are not sorted by level and declaration".to_owned());
    }
    let first_of_level = |index: usize| index == 0 || order[index - 1].0 != order[index].0;
    let stray = plan
        .steps()
        .iter()
        .enumerate()
        .find(|(i, step)| step.barrier.is_some() && !first_of_level(*i));
    stray.map_or(Ok(()), |(index, _)| Err(format!("barrier within a level, before step {index}")))
}

/// Indices of the buffers that a step accesses.
fn touched(plan: &Plan, step: usize) -> BTreeSet<usize> {
    let pass = &plan.steps()[step].pass;
    let mut all: BTreeSet<usize> = pass.bindings.iter().map(|binding| binding.buffer).collect();
    match &pass.work {
        Work::Dispatch(_) => {}
        Work::DispatchIndirect { buffer, .. } => all.extend([*buffer]),
        Work::Fill { view, .. } | Work::Update { view, .. } => all.extend([view.buffer]),
        Work::Copy { src, dst } => all.extend([src.buffer, dst.buffer]),
    }
    all
}

/// Checks that buffers in use at the same time do not overlap in the workspace, and that offsets
/// and sizes are correct.
fn placement(declared: &Declared, plan: &Plan) -> Result<(), String> {
    let mut in_use: BTreeMap<usize, (u32, u32)> = BTreeMap::new();
    for (index, step) in plan.steps().iter().enumerate() {
        for buffer in touched(plan, index) {
            in_use.entry(buffer).or_insert((step.pass.level, step.pass.level)).1 = step.pass.level;
        }
    }
    let mut end = 0;
    for (index, buffer) in plan.buffers().iter().enumerate() {
        let outside = matches!(declared.buffers[index].kind, Kind::Import | Kind::Constant);
        let expected = in_use.contains_key(&index) && !outside;
        if buffer.workspace_offset().is_some() != expected {
            let problem = if expected { "is not" } else { "must not be" };
            return Err(format!("{} {problem} placed in the workspace", buffer.name));
        }
        let Some(start) = buffer.workspace_offset() else { continue };
        end = end.max(start + buffer.size);
        if start % plan.workspace().alignment != 0 {
            return Err(format!("{} at {start} is not aligned", buffer.name));
        }
        for (other_index, other) in plan.buffers().iter().enumerate().take(index) {
            let Some(other_start) = other.workspace_offset() else { continue };
            let overlap = start < other_start + other.size && other_start < start + buffer.size;
            let (one, two) = (in_use[&index], in_use[&other_index]);
            let is_persistent = |i: usize| declared.buffers[i].kind == Kind::Persistent;
            let in_use_together = one.0 <= two.1 && two.0 <= one.1
                || is_persistent(index)
                || is_persistent(other_index);
            if overlap && in_use_together {
                return Err(format!(
                    "{} and {} share memory while in use",
                    buffer.name, other.name
                ));
            }
        }
    }
    if end != plan.workspace().size || plan.workspace().size > plan.workspace().unaliased_size {
        return Err(format!("workspace size is {}, expected {end}", plan.workspace().size));
    }
    Ok(())
}

/// The symbolic contents of a byte: all writes to it in order, as pairs of writer and buffer. All
/// of them are kept, because each may be partial.
type History = Vec<(usize, usize)>;

/// Executes the declaration and the plan on symbolic memory. Every pass must read the same
/// contents in both, and the final contents of all buffers that outlive the run must be equal.
fn results(declared: &Declared, plan: &Plan, live: &[bool]) -> Result<(), String> {
    let runs = if declared.replayable { 2 } else { 1 };
    let mut ideal: BTreeMap<(usize, u64), History> = BTreeMap::new();
    let mut real: BTreeMap<(usize, u64), History> = BTreeMap::new();
    let place = |buffer: usize, byte: u64| {
        plan.buffers()[buffer]
            .workspace_offset()
            .map_or((buffer, byte), |base| (usize::MAX, base + byte))
    };
    for run in 0..runs {
        ideal.retain(|(buffer, _), _| declared.buffers[*buffer].kind != Kind::Transient);
        let mut found: BTreeMap<usize, Vec<History>> = BTreeMap::new();
        for pass in (0..live.len()).filter(|&pass| live[pass]) {
            found.insert(
                pass,
                perform(declared, pass, run, &mut ideal, |buffer, byte| (buffer, byte)),
            );
        }
        for step in plan.steps() {
            let pass = declared.passes.iter().position(|pass| pass.label == step.pass.label);
            let pass = pass.ok_or("the plan contains an unknown pass")?;
            if perform(declared, pass, run, &mut real, place) != found[&pass] {
                return Err(format!("{} reads wrong data in run {run}", step.pass.label));
            }
        }
    }
    for ((buffer, byte), history) in
        ideal.iter().filter(|((b, _), _)| declared.buffers[*b].kind != Kind::Transient)
    {
        if real.get(&place(*buffer, *byte)) != Some(history) {
            return Err(format!("byte {byte} of buffer {buffer} has wrong final contents"));
        }
    }
    Ok(())
}

/// Executes a pass: returns the contents of the bytes that it reads, and appends a write to the
/// bytes that it writes.
fn perform(
    declared: &Declared,
    pass: usize,
    run: usize,
    memory: &mut BTreeMap<(usize, u64), History>,
    place: impl Fn(usize, u64) -> (usize, u64),
) -> Vec<History> {
    let uses = &declared.passes[pass].uses;
    let mut found = Vec::new();
    for used in uses.iter().filter(|used| used.reads && !used.scratch) {
        for byte in used.start..used.end {
            let history = memory.get(&place(used.buffer, byte)).cloned().unwrap_or_default();
            // After a write through another buffer, or of a transient in another run, the contents
            // are undefined, so only later writes count. If such a write overwrote valid data, the
            // result differs from the declaration.
            let transient = declared.buffers[used.buffer].kind == Kind::Transient;
            let stale = |writer: usize| transient && writer / declared.passes.len() != run;
            let foreign =
                |(writer, buffer): &(usize, usize)| *buffer != used.buffer || stale(*writer);
            let own = history.iter().rposition(foreign);
            found.push(history[own.map_or(0, |foreign| foreign + 1)..].to_vec());
        }
    }
    for used in uses.iter().filter(|used| used.writes) {
        for byte in used.start..used.end {
            let history = memory.entry(place(used.buffer, byte)).or_default();
            history.push((run * declared.passes.len() + pass, used.buffer));
        }
    }
    found
}
