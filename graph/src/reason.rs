//! Why each barrier is there, in names a person can follow.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::barrier::alone;
use crate::hazard::{Need, Record, walk};
use crate::lifetime::Heap;
use crate::order::Schedule;
use crate::plan::{ByteRange, Hazard, HazardKind, HazardSide, MemoryBarrier};
use crate::repeat::{Calls, STEADY_RUNS};
use crate::touch::Timeline;
use crate::validate::Checked;

/// What makes two needs parts of the same hazard: kind, replay, the two passes, the two buffers.
type Key = (HazardKind, bool, [Option<usize>; 2], [Option<usize>; 2]);

/// What turns indices into names and places.
pub(crate) struct Names<'a> {
    checked: &'a Checked,
    heap: &'a Heap,
    /// By pass: its place among those that run.
    steps: Vec<Option<usize>>,
}

/// The hazards that each barrier call is there for: those that no earlier one covers.
pub(crate) fn hazards(
    names: &Names<'_>,
    timeline: &Timeline,
    calls: &Calls,
    replayable: bool,
) -> Vec<Vec<Hazard>> {
    let mut found = vec![Vec::new(); calls.len()];
    let runs = if replayable { STEADY_RUNS } else { 1 };
    let _ = walk(timeline, runs, |at, records, needs| {
        let from_before = |need: &Need| records[need.record].run < at.run;
        // What a later run needs of itself, the first run needed as well.
        let new = needs.iter().filter(|need| at.run == 0 || from_before(need));
        let new = new.map(|need| (need, &records[need.record], from_before(need)));
        found[at.level].extend(group(new).iter().map(|part| names.describe(part)));
        ControlFlow::Continue(calls[at.level].clone())
    });
    found
}

/// One hazard, its bytes still in the address space.
struct Part {
    key: Key,
    bytes: ByteRange,
    masks: MemoryBarrier,
}

/// Needs of the same kind between the same passes and buffers, over adjoining bytes, are one
/// hazard.
fn group<'a>(needs: impl Iterator<Item = (&'a Need, &'a Record, bool)>) -> Vec<Part> {
    let mut parts: BTreeMap<(Key, ByteRange), MemoryBarrier> = BTreeMap::new();
    for (need, record, replay) in needs {
        let key = (need.kind, replay, [record.pass, need.pass], [record.buffer, need.buffer]);
        let masks = parts.entry((key, need.bytes)).or_default();
        let more = alone(record, need);
        masks.src_stages |= more.src_stages;
        masks.src_access |= more.src_access;
        masks.dst_stages |= more.dst_stages;
        masks.dst_access |= more.dst_access;
    }
    let mut grouped: Vec<Part> = Vec::new();
    for ((key, bytes), masks) in parts {
        match grouped.last_mut() {
            Some(last) if (last.key, last.masks, last.bytes.end) == (key, masks, bytes.start) => {
                last.bytes.end = bytes.end;
            }
            _ => grouped.push(Part { key, bytes, masks }),
        }
    }
    grouped
}

impl<'a> Names<'a> {
    pub fn new(checked: &'a Checked, schedule: &Schedule, heap: &'a Heap) -> Self {
        let mut steps = vec![None; checked.passes.len()];
        for (step, &pass) in schedule.levels.iter().flatten().enumerate() {
            steps[pass] = Some(step);
        }
        Self { checked, heap, steps }
    }

    fn describe(&self, part: &Part) -> Hazard {
        let (kind, replay, passes, buffers) = part.key;
        Hazard {
            kind,
            aliased: buffers[0] != buffers[1],
            replay,
            from: self.side(passes[0], buffers[0], part.bytes),
            to: self.side(passes[1], buffers[1], part.bytes),
            masks: part.masks,
        }
    }

    fn side(&self, pass: Option<usize>, buffer: Option<usize>, bytes: ByteRange) -> HazardSide {
        let base = buffer.and_then(|buffer| self.heap.offsets[buffer]).unwrap_or(0);
        HazardSide {
            pass: pass.map(|pass| self.checked.passes[pass].label.clone()),
            step: pass.and_then(|pass| self.steps[pass]),
            buffer,
            bytes: ByteRange { start: bytes.start - base, end: bytes.end - base },
        }
    }
}
