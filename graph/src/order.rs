//! Determines the order of passes: dependencies, culling and levels.

use std::collections::BTreeSet;

use crate::error::{CycleLink, GraphError};
use crate::resource::Kind;
use crate::validate::Checked;

/// The reason why one pass must precede another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reason {
    /// The later pass reads data that the earlier one writes.
    Data { buffer: usize },
    /// Both passes access the same bytes, at least one of them writes the bytes, and the later pass
    /// does not read data of the earlier one.
    Conflict { buffer: usize },
    /// The caller ordered the passes with [`Graph::order`](crate::Graph::order).
    Explicit,
}

/// A dependency: pass `from` runs before pass `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge {
    pub from: usize,
    pub to: usize,
    pub reason: Reason,
}

/// The passes that run, level by level.
#[derive(Debug)]
pub(crate) struct Schedule {
    /// Live passes of each level, in declaration order.
    pub levels: Vec<Vec<usize>>,
    /// Passes that are not live.
    pub culled: Vec<usize>,
    /// Explicit orders between live passes, including orders through culled passes.
    pub orders: Vec<(usize, usize)>,
}

/// Returns all dependencies between passes. Every write is assumed to be partial, so a read depends
/// on all earlier writers of its bytes, and writers of the same bytes keep their order.
pub(crate) fn dependencies(checked: &Checked) -> Vec<Edge> {
    let mut edges = Vec::new();
    let mut earlier: Vec<Vec<(usize, usize)>> = vec![Vec::new(); checked.buffers.len()];
    for (to, pass) in checked.passes.iter().enumerate() {
        for later in &pass.uses {
            let buffer = later.buffer;
            for &(from, index) in &earlier[buffer] {
                let before = &checked.passes[from].uses[index];
                if before.conflicts(later) {
                    let data = !before.writes.is_empty() && later.needs_contents();
                    let reason =
                        if data { Reason::Data { buffer } } else { Reason::Conflict { buffer } };
                    edges.push(Edge { from, to, reason });
                }
            }
        }
        for (index, used) in pass.uses.iter().enumerate() {
            earlier[used.buffer].push((to, index));
        }
    }
    let explicit = checked.orders.iter();
    edges.extend(explicit.map(|&(from, to)| Edge { from, to, reason: Reason::Explicit }));
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Assigns live passes to levels. Fails if there is a cycle. Only explicit orders can cause one.
pub(crate) fn schedule(checked: &Checked, edges: &[Edge]) -> Result<Schedule, GraphError> {
    let count = checked.passes.len();
    // Dead passes are included, so that cycles between them are reported too.
    if let Err(stuck) = longest_paths(count, edges.iter().map(|edge| (edge.from, edge.to))) {
        return Err(cycle(checked, edges, &stuck));
    }
    let live = live(checked, edges);
    let orders = live_orders(checked, edges, &live);
    let data = edges.iter().filter(|edge| edge.reason != Reason::Explicit);
    let kept = data.map(|edge| (edge.from, edge.to)).filter(|&(from, to)| live[from] && live[to]);
    let depth = match longest_paths(count, kept.chain(orders.iter().copied())) {
        Ok(depth) => depth,
        Err(stuck) => return Err(cycle(checked, edges, &stuck)),
    };
    let mut levels: Vec<Vec<usize>> = Vec::new();
    for pass in (0..count).filter(|&pass| live[pass]) {
        let level = depth[pass];
        levels.resize(levels.len().max(level + 1), Vec::new());
        levels[level].push(pass);
    }
    let culled = (0..count).filter(|&pass| !live[pass]).collect();
    Ok(Schedule { levels, culled, orders })
}

/// Returns, for each pass, the number of edges on the longest path to it. If there is a cycle,
/// returns flags for all passes that are on a cycle or reachable from one.
fn longest_paths(
    count: usize,
    edges: impl Iterator<Item = (usize, usize)>,
) -> Result<Vec<usize>, Vec<bool>> {
    let mut successors = vec![Vec::new(); count];
    let mut waiting = vec![0usize; count];
    for (from, to) in edges {
        successors[from].push(to);
        waiting[to] += 1;
    }
    let mut depth = vec![0; count];
    let mut ready: Vec<usize> = (0..count).filter(|&pass| waiting[pass] == 0).collect();
    while let Some(pass) = ready.pop() {
        for &next in &successors[pass] {
            depth[next] = depth[next].max(depth[pass] + 1);
            waiting[next] -= 1;
            if waiting[next] == 0 {
                ready.push(next);
            }
        }
    }
    if waiting.iter().any(|&count| count > 0) {
        return Err(waiting.iter().map(|&count| count > 0).collect());
    }
    Ok(depth)
}

/// Flags live passes. A pass is live if it is kept, if it writes an import or a persistent buffer,
/// or if a live pass reads data that it writes.
fn live(checked: &Checked, edges: &[Edge]) -> Vec<bool> {
    let mut producers = vec![Vec::new(); checked.passes.len()];
    for edge in edges {
        if matches!(edge.reason, Reason::Data { .. }) {
            producers[edge.to].push(edge.from);
        }
    }
    let has_lasting_effect = |pass: &crate::resolve::CheckedPass| {
        let outlives_run =
            |buffer: usize| matches!(checked.buffers[buffer].kind, Kind::Import | Kind::Persistent);
        pass.kept
            || pass.uses.iter().any(|used| !used.writes.is_empty() && outlives_run(used.buffer))
    };
    let mut live: Vec<bool> = checked.passes.iter().map(has_lasting_effect).collect();
    let mut todo: Vec<usize> = (0..live.len()).filter(|&pass| live[pass]).collect();
    while let Some(pass) = todo.pop() {
        for &producer in &producers[pass] {
            if !live[producer] {
                live[producer] = true;
                todo.push(producer);
            }
        }
    }
    live
}

/// Returns the explicit orders between live passes. Orders through a dead pass are combined: "a
/// before b" and "b before c" become "a before c" if b is dead.
fn live_orders(checked: &Checked, edges: &[Edge], live: &[bool]) -> Vec<(usize, usize)> {
    let explicit = edges.iter().filter(|edge| edge.reason == Reason::Explicit);
    let mut orders: BTreeSet<(usize, usize)> = explicit.map(|edge| (edge.from, edge.to)).collect();
    for dead in (0..checked.passes.len()).filter(|&pass| !live[pass]) {
        let before: Vec<_> =
            orders.iter().filter(|order| order.1 == dead).map(|order| order.0).collect();
        let after: Vec<_> =
            orders.iter().filter(|order| order.0 == dead).map(|order| order.1).collect();
        orders.extend(before.iter().flat_map(|&from| after.iter().map(move |&to| (from, to))));
        orders.retain(|&(from, to)| from != dead && to != dead);
    }
    orders.into_iter().collect()
}

/// Finds a cycle among the `stuck` passes, which [`longest_paths`] has flagged. Each of them waits
/// for another one, so following the edges backwards must return to a visited pass.
fn cycle(checked: &Checked, edges: &[Edge], stuck: &[bool]) -> GraphError {
    let waits_for = |pass: usize| edges.iter().find(|edge| edge.to == pass && stuck[edge.from]);
    let mut path: Vec<&Edge> = Vec::new();
    let mut next = stuck.iter().position(|&stuck| stuck);
    while let Some(edge) = next.and_then(waits_for) {
        if let Some(begin) = path.iter().position(|before| before.to == edge.to) {
            path.drain(..begin);
            break;
        }
        path.push(edge);
        next = Some(edge.from);
    }
    // The path is in reverse order: each pass is followed by the pass that it waits for.
    let link = |edge: &&Edge| CycleLink {
        pass: checked.passes[edge.from].planned.label.clone(),
        buffer: match edge.reason {
            Reason::Data { buffer } | Reason::Conflict { buffer } => {
                Some(checked.buffers[buffer].name.clone())
            }
            Reason::Explicit => None,
        },
    };
    GraphError::Cycle { links: path.iter().rev().map(link).collect() }
}

#[cfg(test)]
mod tests {
    use super::longest_paths;

    #[test]
    fn level_of_a_pass_is_the_longest_path_to_it() {
        //  0 -> 1 -> 3
        //  0 ------> 3     2 is isolated
        assert_eq!(longest_paths(4, [(0, 1), (1, 3), (0, 3)].into_iter()), Ok(vec![0, 1, 0, 2]));
        assert_eq!(longest_paths(0, [].into_iter()), Ok(vec![]));
    }

    #[test]
    fn passes_on_or_after_a_cycle_are_flagged() {
        //  0 -> 1 <-> 2 -> 3
        let edges = [(0, 1), (1, 2), (2, 1), (2, 3)];
        assert_eq!(longest_paths(4, edges.into_iter()), Err(vec![false, true, true, true]));
    }
}
