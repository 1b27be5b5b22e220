//! Finds the barrier calls of a recording that is submitted once or repeatedly.

use std::ops::ControlFlow;

use crate::barrier::{cover, joined, merged, prune};
use crate::hazard::walk;
use crate::sync::MemoryBarrier;
use crate::touch::Timeline;

/// The barrier calls of a recording: one before each level, and one after the last level. An empty
/// call means that no barrier is recorded.
pub(crate) type Calls = Vec<Vec<MemoryBarrier>>;

/// Number of runs to simulate. Each level depends only on accesses of the same run and of the
/// previous run, so all runs after the second have the same hazards as the second.
pub(crate) const STEADY_RUNS: u32 = 2;

/// Computes the barrier calls of a timeline that runs once, or repeatedly if `replayable` is set.
pub(crate) fn synchronise(timeline: &Timeline, replayable: bool) -> Calls {
    let none: Calls = vec![Vec::new(); timeline.levels.len() + 1];
    let mut across = none.clone();
    let mut within = within_a_run(timeline, &across);
    if replayable {
        // A barrier against the previous run can make barriers within a run redundant. Removing
        // those can in turn require more barriers against the previous run. The loop ends because
        // `across` only grows.
        loop {
            let more = across_runs(timeline, &merge_calls(&across, &within));
            if more == none {
                break;
            }
            across = merge_calls(&across, &more);
            within = within_a_run(timeline, &across);
        }
        prune_across(timeline, &mut across, &within);
    }
    merge_calls(&across, &within).into_iter().map(joined).collect()
}

/// The barriers that a single run requires in addition to the barriers in `given`.
fn within_a_run(timeline: &Timeline, given: &Calls) -> Calls {
    let mut added = Calls::new();
    let _ = walk(timeline, 1, |at, records, dependencies| {
        let more = cover(records, dependencies, &given[at.level]);
        let call = merged(given[at.level].iter().chain(&more).copied());
        added.push(more);
        ControlFlow::Continue(call)
    });
    added
}

/// The barriers that a second run requires in addition to the barriers in `given`, which are
/// sufficient for a single run.
fn across_runs(timeline: &Timeline, given: &Calls) -> Calls {
    let mut added = Calls::new();
    let _ = walk(timeline, STEADY_RUNS, |at, records, dependencies| {
        let mut call = given[at.level].clone();
        if at.run > 0 {
            let more = cover(records, dependencies, &call);
            call = merged(call.iter().chain(&more).copied());
            added.push(more);
        }
        ControlFlow::Continue(call)
    });
    added
}

/// Removes bits of `across` that only earlier iterations of [`synchronise`] required. `within` was
/// computed with all bits of `across`, so it stays minimal.
fn prune_across(timeline: &Timeline, across: &mut Calls, within: &Calls) {
    for level in 0..across.len() {
        let mut barriers = across[level].clone();
        prune(&mut barriers, |remaining| {
            across[level] = remaining.to_vec();
            covers_all_runs(timeline, &merge_calls(across, within))
        });
        across[level] = barriers;
    }
}

/// Whether the calls cover all dependencies within and between runs.
fn covers_all_runs(timeline: &Timeline, calls: &Calls) -> bool {
    let checked = walk(timeline, STEADY_RUNS, |at, records, dependencies| {
        let call = &calls[at.level];
        if cover(records, dependencies, call).is_empty() {
            ControlFlow::Continue(call.clone())
        } else {
            ControlFlow::Break(())
        }
    });
    checked.is_continue()
}

fn merge_calls(one: &Calls, other: &Calls) -> Calls {
    one.iter().zip(other).map(|(one, other)| merged(one.iter().chain(other).copied())).collect()
}
