//! Describes the hazards that each barrier covers, by pass labels and buffer indices.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::barrier::barrier_for;
use crate::hazard::{Dependency, Record, walk};
use crate::lifetime::Heap;
use crate::order::Schedule;
use crate::repeat::{Calls, STEADY_RUNS};
use crate::sync::{ByteRange, Hazard, HazardKind, HazardSide, MemoryBarrier};
use crate::touch::Timeline;
use crate::validate::Checked;

/// Dependencies with equal keys belong to the same hazard. A key consists of the kind, whether the
/// earlier access is in the previous run, the two passes, and the two buffers.
type Key = (HazardKind, bool, [Option<usize>; 2], [Option<usize>; 2]);

/// Converts pass indices into labels and steps, and addresses into buffer offsets.
pub(crate) struct Names<'a> {
    checked: &'a Checked,
    heap: &'a Heap,
    /// Step index by pass; `None` if the pass is culled.
    steps: Vec<Option<usize>>,
}

/// Returns, for each barrier call, the hazards that it covers and that no earlier call covers.
pub(crate) fn hazards(
    names: &Names<'_>,
    timeline: &Timeline,
    calls: &Calls,
    replayable: bool,
) -> Vec<Vec<Hazard>> {
    let mut found = vec![Vec::new(); calls.len()];
    let runs = if replayable { STEADY_RUNS } else { 1 };
    let _ = walk(timeline, runs, |at, records, dependencies| {
        let from_previous_run = |dependency: &Dependency| records[dependency.record].run < at.run;
        // Later runs report only hazards against the previous run. Hazards within a run were
        // already reported in the first run.
        let new =
            dependencies.iter().filter(|dependency| at.run == 0 || from_previous_run(dependency));
        let new = new.map(|dependency| {
            (dependency, &records[dependency.record], from_previous_run(dependency))
        });
        found[at.level].extend(group(new).iter().map(|hazard| names.describe(hazard)));
        ControlFlow::Continue(calls[at.level].clone())
    });
    found
}

/// A hazard whose byte range is relative to its address space, not yet to a buffer.
struct LocatedHazard {
    key: Key,
    bytes: ByteRange,
    masks: MemoryBarrier,
}

/// Combines dependencies with equal keys and byte ranges into one hazard, and then hazards with
/// equal keys, equal masks and adjacent byte ranges.
fn group<'a>(
    dependencies: impl Iterator<Item = (&'a Dependency, &'a Record, bool)>,
) -> Vec<LocatedHazard> {
    let mut masks_by_range: BTreeMap<(Key, ByteRange), MemoryBarrier> = BTreeMap::new();
    for (dependency, record, replay) in dependencies {
        let (passes, buffers) =
            ([record.pass, dependency.pass], [record.buffer, dependency.buffer]);
        let key = (dependency.kind, replay, passes, buffers);
        let masks = masks_by_range.entry((key, dependency.bytes)).or_default();
        let required = barrier_for(record, dependency);
        masks.src_stages |= required.src_stages;
        masks.src_access |= required.src_access;
        masks.dst_stages |= required.dst_stages;
        masks.dst_access |= required.dst_access;
    }
    let mut grouped: Vec<LocatedHazard> = Vec::new();
    for ((key, bytes), masks) in masks_by_range {
        match grouped.last_mut() {
            Some(last) if (last.key, last.masks, last.bytes.end) == (key, masks, bytes.start) => {
                last.bytes.end = bytes.end;
            }
            _ => grouped.push(LocatedHazard { key, bytes, masks }),
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

    fn describe(&self, hazard: &LocatedHazard) -> Hazard {
        let (kind, replay, passes, buffers) = hazard.key;
        Hazard {
            kind,
            aliased: buffers[0] != buffers[1],
            replay,
            from: self.side(passes[0], buffers[0], hazard.bytes),
            to: self.side(passes[1], buffers[1], hazard.bytes),
            masks: hazard.masks,
        }
    }

    fn side(&self, pass: Option<usize>, buffer: Option<usize>, bytes: ByteRange) -> HazardSide {
        let base = buffer.and_then(|buffer| self.heap.offsets[buffer]).unwrap_or(0);
        HazardSide {
            pass: pass.map(|pass| self.checked.passes[pass].planned.label.clone()),
            step: pass.and_then(|pass| self.steps[pass]),
            buffer,
            bytes: ByteRange { start: bytes.start - base, end: bytes.end - base },
        }
    }
}
