//! Which dependencies a level has on what happened before it.
//!
//! The tracker walks a [`Timeline`] level by level. For every byte it knows the writes that a
//! reader would still see and the reads since; a level's accesses against these are its needs,
//! and those that no barrier so far covers are the reason for the next one.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::access::{Access, Stages};
use crate::plan::{ByteRange, HazardKind, MemoryBarrier};
use crate::reach::{Reach, Source, Target};
use crate::touch::{Timeline, Touch};

/// An access in the past.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub run: u32,
    /// `None` for the caller.
    pub pass: Option<usize>,
    /// `None` for an explicit order.
    pub buffer: Option<usize>,
    pub source: Source,
    /// Up to date with the first `seen` barrier calls.
    pub reach: Reach,
    seen: usize,
}

/// A dependency of the level at hand on a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Need {
    pub kind: HazardKind,
    pub record: usize,
    pub target: Target,
    /// `None` for the caller.
    pub pass: Option<usize>,
    /// `None` for an explicit order.
    pub buffer: Option<usize>,
    /// In the address space of the buffer.
    pub bytes: ByteRange,
}

/// Where a walk is: before a level of a run, or (level = number of levels) after its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct At {
    pub run: u32,
    pub level: usize,
}

/// Walks `runs` runs of a timeline. Before each level, `barrier` gets the needs that no barrier
/// so far covers, and answers with the barrier call to emit there (empty: none).
pub(crate) fn walk(
    timeline: &Timeline,
    runs: u32,
    mut barrier: impl FnMut(At, &[Record], &[Need]) -> ControlFlow<(), Vec<MemoryBarrier>>,
) -> ControlFlow<()> {
    let mut tracker = Tracker::new(timeline);
    for run in 0..runs {
        tracker.begin(run);
        for level in 0..=timeline.levels.len() {
            let needs = tracker.unmet(level);
            let call = barrier(At { run, level }, &tracker.records, &needs)?;
            tracker.emit(call);
            tracker.perform(level);
        }
    }
    ControlFlow::Continue(())
}

/// What the bytes of a segment have been through.
#[derive(Clone, Debug, Default)]
struct Segment {
    end: u64,
    writes: Vec<Write>,
    /// Since the last write in this graph.
    reads: Vec<usize>,
}

#[derive(Clone, Copy, Debug)]
struct Write {
    record: usize,
    /// A pass has read it since. The barrier before that read made it available, so a later write
    /// only has to wait for the read.
    read_since: bool,
}

struct Tracker<'t> {
    timeline: &'t Timeline,
    run: u32,
    records: Vec<Record>,
    /// Every barrier call so far.
    calls: Vec<Vec<MemoryBarrier>>,
    /// By address space: disjoint segments by their first byte.
    spaces: Vec<BTreeMap<u64, Segment>>,
    /// By pass: the execution of the passes of this run that others are ordered after.
    executed: BTreeMap<usize, Vec<usize>>,
}

impl<'t> Tracker<'t> {
    fn new(timeline: &'t Timeline) -> Self {
        let spaces = vec![BTreeMap::new(); timeline.spaces];
        let (records, calls, executed) = (Vec::new(), Vec::new(), BTreeMap::new());
        Self { timeline, run: 0, records, calls, spaces, executed }
    }

    /// Begins a run: the caller has done what it said, on top of what the run before did.
    fn begin(&mut self, run: u32) {
        self.run = run;
        self.executed.clear();
        for touch in &self.timeline.entry {
            let writes = self.record_writes(touch);
            let read = writes.is_empty().then(|| self.record_read(touch));
            for (_, segment) in segments(&mut self.spaces[touch.space], touch.bytes) {
                let write = |&record: &usize| Write { record, read_since: false };
                segment.writes.extend(writes.iter().map(write));
                segment.reads.extend(read);
            }
        }
    }

    /// The needs of a level that the barriers so far do not cover.
    fn unmet(&mut self, level: usize) -> Vec<Need> {
        let mut needs = Vec::new();
        for touch in self.timeline.levels.get(level).unwrap_or(&self.timeline.exit) {
            for (bytes, segment) in segments(&mut self.spaces[touch.space], touch.bytes) {
                add_needs(&mut needs, touch, bytes, segment, &self.records);
            }
        }
        self.add_order_needs(&mut needs, level);
        for need in &needs {
            catch_up(&mut self.records[need.record], &self.calls);
        }
        needs.retain(|need| !self.records[need.record].reach.covers(need.target));
        needs
    }

    fn add_order_needs(&self, needs: &mut Vec<Need>, level: usize) {
        let passes = self.timeline.passes.get(level).map_or(&[][..], Vec::as_slice);
        for &(pass, stages) in passes {
            let before = self.timeline.orders.iter().filter(|(_, after)| *after == pass);
            for &record in before.filter_map(|(before, _)| self.executed.get(before)).flatten() {
                needs.extend(stages.iter().map(|stage| Need {
                    kind: HazardKind::Order,
                    record,
                    target: Target { stage, access: Access::empty() },
                    pass: Some(pass),
                    buffer: None,
                    bytes: ByteRange::default(),
                }));
            }
        }
    }

    fn emit(&mut self, call: Vec<MemoryBarrier>) {
        if !call.is_empty() {
            self.calls.push(call);
        }
    }

    /// Runs a level: its accesses become the past. The caller's exit is the caller's affair.
    fn perform(&mut self, level: usize) {
        let Some(touches) = self.timeline.levels.get(level) else { return };
        for touch in touches {
            let writes = self.record_writes(touch);
            let read = writes.is_empty().then(|| self.record_read(touch));
            for (_, segment) in segments(&mut self.spaces[touch.space], touch.bytes) {
                match read {
                    Some(record) => {
                        segment.reads.push(record);
                        segment.writes.iter_mut().for_each(|write| write.read_since = true);
                    }
                    // Everything before is ordered before this write, so whoever is ordered after
                    // it is ordered after that as well.
                    None => {
                        let write = |&record: &usize| Write { record, read_since: false };
                        segment.writes = writes.iter().map(write).collect();
                        segment.reads.clear();
                    }
                }
            }
        }
        for &(pass, stages) in &self.timeline.passes[level] {
            if self.timeline.orders.iter().any(|(before, _)| *before == pass) {
                let executed = stages
                    .iter()
                    .map(|stage| self.record(Some(pass), None, stage, Access::empty()));
                let executed = executed.collect();
                self.executed.insert(pass, executed);
            }
        }
    }

    fn record_writes(&mut self, touch: &Touch) -> Vec<usize> {
        let record = |write| self.record(touch.pass, Some(touch.buffer), touch.stage, write);
        touch.writes.iter().map(record).collect()
    }

    fn record_read(&mut self, touch: &Touch) -> usize {
        self.record(touch.pass, Some(touch.buffer), touch.stage, Access::empty())
    }

    fn record(
        &mut self,
        pass: Option<usize>,
        buffer: Option<usize>,
        stage: Stages,
        write: Access,
    ) -> usize {
        let (source, reach) = (Source { stage, write }, Reach::default());
        self.records.push(Record {
            run: self.run,
            pass,
            buffer,
            source,
            reach,
            seen: self.calls.len(),
        });
        self.records.len() - 1
    }
}

/// Applies the calls that a record has not seen. Done when the record is asked for, since most
/// records are superseded before anybody asks.
fn catch_up(record: &mut Record, calls: &[Vec<MemoryBarrier>]) {
    for call in &calls[record.seen..] {
        record.reach = record.reach.after(record.source, call);
    }
    record.seen = calls.len();
}

/// What `touch` needs of the past of one segment.
fn add_needs(
    needs: &mut Vec<Need>,
    touch: &Touch,
    bytes: ByteRange,
    segment: &Segment,
    records: &[Record],
) {
    let mut add = |kind: HazardKind, record: usize, access: Access| {
        let kind = match (records[record].pass, touch.pass) {
            (_, None) => HazardKind::Exit,
            (None, _) => HazardKind::Entry,
            _ => kind,
        };
        let target = Target { stage: touch.stage, access };
        needs.push(Need {
            kind,
            record,
            target,
            pass: touch.pass,
            buffer: Some(touch.buffer),
            bytes,
        });
    };
    let reads = if touch.scratch { Access::empty() } else { touch.reads };
    for write in &segment.writes {
        for access in reads {
            add(HazardKind::ReadAfterWrite, write.record, access);
        }
    }
    if touch.writes.is_empty() {
        return;
    }
    // Scratch is written before it is read, so what it reads is ordered like what it writes.
    let overwrites = if touch.scratch { touch.writes | touch.reads } else { touch.writes };
    for write in segment.writes.iter().filter(|write| !write.read_since) {
        for access in overwrites {
            add(HazardKind::WriteAfterWrite, write.record, access);
        }
    }
    for &read in &segment.reads {
        add(HazardKind::WriteAfterRead, read, Access::empty());
    }
}

/// The segments of `space` that make up `bytes`, split and created as needed.
fn segments(
    space: &mut BTreeMap<u64, Segment>,
    bytes: ByteRange,
) -> impl Iterator<Item = (ByteRange, &mut Segment)> {
    split(space, bytes.start);
    split(space, bytes.end);
    let mut gaps = Vec::new();
    let mut reached = bytes.start;
    for (&start, segment) in space.range(bytes.start..bytes.end) {
        if start > reached {
            gaps.push((reached, start));
        }
        reached = segment.end;
    }
    if reached < bytes.end {
        gaps.push((reached, bytes.end));
    }
    for (start, end) in gaps {
        space.insert(start, Segment { end, ..Segment::default() });
    }
    let segments = space.range_mut(bytes.start..bytes.end);
    segments.map(|(&start, segment)| (ByteRange { start, end: segment.end }, segment))
}

/// Makes `at` a boundary between segments.
fn split(space: &mut BTreeMap<u64, Segment>, at: u64) {
    let Some((_, segment)) = space.range_mut(..at).next_back() else { return };
    if segment.end > at {
        let rest = segment.clone();
        segment.end = at;
        space.insert(at, rest);
    }
}
