//! What makes work repeat: ping-pong between two buffers, and recordings that run again.

use std::ops::ControlFlow;

use crate::barrier::{cover, joined, merged, prune};
use crate::hazard::walk;
use crate::plan::MemoryBarrier;
use crate::resource::Buffer;
use crate::touch::Timeline;

/// Two buffers that take turns: a round reads [`front`](Self::front), writes
/// [`back`](Self::back), and swaps. Nothing is copied; the result is in the front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PingPong {
    buffers: [Buffer; 2],
    odd: bool,
}

impl PingPong {
    /// Starts with `front` holding the data and `back` to be written first.
    pub fn new(front: Buffer, back: Buffer) -> Self {
        Self { buffers: [front, back], odd: false }
    }

    /// The buffer that holds the data.
    pub fn front(&self) -> Buffer {
        self.buffers[usize::from(self.odd)]
    }

    /// The buffer that the next round writes.
    pub fn back(&self) -> Buffer {
        self.buffers[usize::from(!self.odd)]
    }

    /// Ends a round: what was written becomes the front.
    pub fn swap(&mut self) {
        self.odd = !self.odd;
    }

    /// Whether the number of swaps is odd: the data is not where it started.
    pub fn parity(&self) -> bool {
        self.odd
    }
}

/// The barrier calls of a recording: one before each level, and one after the last (empty where
/// none is needed).
pub(crate) type Calls = Vec<Vec<MemoryBarrier>>;

/// After the second run of a recording every run is like the one before: what a level of it finds
/// was left by the same run or by the run before.
pub(crate) const STEADY_RUNS: u32 = 2;

/// Finds the barriers of a timeline that runs once, or again and again.
pub(crate) fn synchronise(timeline: &Timeline, replayable: bool) -> Calls {
    let none: Calls = vec![Vec::new(); timeline.levels.len() + 1];
    let mut across = none.clone();
    let mut within = within_a_run(timeline, &across);
    if replayable {
        // A barrier against the run before also acts within the run, where it can make others
        // needless; without those, more may be needed against the run before. What is needed
        // against the run before only grows, so this ends.
        loop {
            let more = across_runs(timeline, &both(&across, &within));
            if more == none {
                break;
            }
            across = both(&across, &more);
            within = within_a_run(timeline, &across);
        }
        prune_across(timeline, &mut across, &within);
    }
    both(&across, &within).into_iter().map(joined).collect()
}

/// What a single run needs besides `given`.
fn within_a_run(timeline: &Timeline, given: &Calls) -> Calls {
    let mut added = Calls::new();
    let _ = walk(timeline, 1, |at, records, needs| {
        let more = cover(records, needs, &given[at.level]);
        let call = merged(given[at.level].iter().chain(&more).copied());
        added.push(more);
        ControlFlow::Continue(call)
    });
    added
}

/// What a run after another one needs besides `given`, which covers a single run.
fn across_runs(timeline: &Timeline, given: &Calls) -> Calls {
    let mut added = Calls::new();
    let _ = walk(timeline, STEADY_RUNS, |at, records, needs| {
        let mut call = given[at.level].clone();
        if at.run > 0 {
            let more = cover(records, needs, &call);
            call = merged(call.iter().chain(&more).copied());
            added.push(more);
        }
        ControlFlow::Continue(call)
    });
    added
}

/// Drops what an earlier round of the search needed and the result does not. What a single run
/// needs was found with all of `across` in place, so none of it can become needless here.
fn prune_across(timeline: &Timeline, across: &mut Calls, within: &Calls) {
    for level in 0..across.len() {
        let mut barriers = across[level].clone();
        prune(&mut barriers, |left| {
            across[level] = left.to_vec();
            holds(timeline, &both(across, within))
        });
        across[level] = barriers;
    }
}

/// Whether these barriers cover everything, run after run.
fn holds(timeline: &Timeline, calls: &Calls) -> bool {
    let checked = walk(timeline, STEADY_RUNS, |at, records, needs| {
        let call = &calls[at.level];
        if cover(records, needs, call).is_empty() {
            ControlFlow::Continue(call.clone())
        } else {
            ControlFlow::Break(())
        }
    });
    checked.is_continue()
}

fn both(one: &Calls, other: &Calls) -> Calls {
    one.iter().zip(other).map(|(one, other)| merged(one.iter().chain(other).copied())).collect()
}
