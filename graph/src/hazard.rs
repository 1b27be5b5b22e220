//! Finds the dependencies of each level on earlier accesses.
//!
//! The tracker walks a [`Timeline`] level by level. For every byte range, it stores the most recent
//! writes and the reads since then. An access depends on each of these that it conflicts with. If
//! no earlier barrier covers a dependency, a new barrier is required.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::access::{Access, Stages};
use crate::reach::{Reach, Source, Target};
use crate::sync::{ByteRange, HazardKind, MemoryBarrier};
use crate::touch::{Timeline, Touch};

/// An access that has already been performed.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub run: u32,
    /// `None` if the caller performs the access.
    pub pass: Option<usize>,
    /// `None` if the record is the execution of a whole pass, for which explicit orders wait.
    pub buffer: Option<usize>,
    pub source: Source,
    /// The later accesses that are synchronized with this access by the barriers recorded since.
    pub reach: Reach,
    /// Number of barrier calls of the walk that `reach` accounts for.
    applied_calls: usize,
}

/// A dependency of the current level on an earlier access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dependency {
    pub kind: HazardKind,
    /// Index of the earlier access in the records of the walk.
    pub record: usize,
    pub target: Target,
    /// `None` if the caller performs the access.
    pub pass: Option<usize>,
    /// `None` if the dependency is an explicit order.
    pub buffer: Option<usize>,
    /// Byte range in the address space of the buffer.
    pub bytes: ByteRange,
}

/// Position of a walk: before level `level` of a run. If `level` is the number of levels, the
/// position is after the last level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct At {
    pub run: u32,
    pub level: usize,
}

/// Walks `runs` runs of a timeline. Before each level, `barrier` receives the dependencies that no
/// earlier barrier covers and returns the barrier call to emit there. An empty call emits no
/// barrier. The walk stops early if `barrier` returns a break.
pub(crate) fn walk(
    timeline: &Timeline,
    runs: u32,
    mut barrier: impl FnMut(At, &[Record], &[Dependency]) -> ControlFlow<(), Vec<MemoryBarrier>>,
) -> ControlFlow<()> {
    let mut tracker = Tracker::new(timeline);
    for run in 0..runs {
        tracker.begin(run);
        for level in 0..=timeline.levels.len() {
            let dependencies = tracker.uncovered(level);
            let call = barrier(At { run, level }, &tracker.records, &dependencies)?;
            tracker.emit(call);
            tracker.perform(level);
        }
    }
    ControlFlow::Continue(())
}

/// Access history of a byte range. Its first byte is the key in [`Tracker::spaces`].
#[derive(Clone, Debug, Default)]
struct Segment {
    /// One past the last byte.
    end: u64,
    /// The most recent writes.
    writes: Vec<Write>,
    /// Reads since the last write by a pass.
    reads: Vec<usize>,
}

#[derive(Clone, Copy, Debug)]
struct Write {
    record: usize,
    /// Whether a pass has read the data since it was written. The barrier before this read has made
    /// the data available, so a later write only has to wait for the read.
    read_since: bool,
}

struct Tracker<'t> {
    timeline: &'t Timeline,
    run: u32,
    records: Vec<Record>,
    /// All barrier calls so far.
    calls: Vec<Vec<MemoryBarrier>>,
    /// Disjoint segments per address space, keyed by their first byte.
    spaces: Vec<BTreeMap<u64, Segment>>,
    /// Executions of this run that explicit orders wait for: for each pass, one record per stage.
    executed: BTreeMap<usize, Vec<usize>>,
}

impl<'t> Tracker<'t> {
    fn new(timeline: &'t Timeline) -> Self {
        let spaces = vec![BTreeMap::new(); timeline.spaces];
        let (records, calls, executed) = (Vec::new(), Vec::new(), BTreeMap::new());
        Self { timeline, run: 0, records, calls, spaces, executed }
    }

    /// Starts a run: adds the caller's entry accesses to the history of the previous run.
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

    /// The dependencies of a level that no earlier barrier covers.
    fn uncovered(&mut self, level: usize) -> Vec<Dependency> {
        let mut dependencies = Vec::new();
        for touch in self.timeline.levels.get(level).unwrap_or(&self.timeline.exit) {
            for (bytes, segment) in segments(&mut self.spaces[touch.space], touch.bytes) {
                add_dependencies(&mut dependencies, touch, bytes, segment, &self.records);
            }
        }
        self.add_order_dependencies(&mut dependencies, level);
        for dependency in &dependencies {
            apply_calls(&mut self.records[dependency.record], &self.calls);
        }
        dependencies
            .retain(|dependency| !self.records[dependency.record].reach.covers(dependency.target));
        dependencies
    }

    fn add_order_dependencies(&self, dependencies: &mut Vec<Dependency>, level: usize) {
        let passes = self.timeline.passes.get(level).map_or(&[][..], Vec::as_slice);
        for &(pass, stages) in passes {
            let before = self.timeline.orders.iter().filter(|(_, after)| *after == pass);
            for &record in before.filter_map(|(before, _)| self.executed.get(before)).flatten() {
                dependencies.extend(stages.iter().map(|stage| Dependency {
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

    /// Adds the accesses of a level to the history. The caller's exit accesses are not added: the
    /// next run synchronizes with the entry scopes instead, or the caller synchronizes.
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
                    // All earlier accesses are ordered before this write. A later access that
                    // waits for this write therefore waits for them too.
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
                let execute = |stage| self.record(Some(pass), None, stage, Access::empty());
                let executed = stages.iter().map(execute).collect();
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
        let (run, applied_calls) = (self.run, self.calls.len());
        let (source, reach) = (Source { stage, write }, Reach::default());
        self.records.push(Record { run, pass, buffer, source, reach, applied_calls });
        self.records.len() - 1
    }
}

/// Applies the barrier calls since the last update of a record. Records are updated only when they
/// are needed, because most are superseded before that.
fn apply_calls(record: &mut Record, calls: &[Vec<MemoryBarrier>]) {
    for call in &calls[record.applied_calls..] {
        record.reach = record.reach.after(record.source, call);
    }
    record.applied_calls = calls.len();
}

/// Adds the dependencies of `touch` on the history of one segment.
fn add_dependencies(
    dependencies: &mut Vec<Dependency>,
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
        let (pass, buffer) = (touch.pass, Some(touch.buffer));
        dependencies.push(Dependency { kind, record, target, pass, buffer, bytes });
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
    // Scratch bindings are written before they are read, so their reads must be ordered like their
    // writes.
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

/// Returns the segments that cover exactly `bytes`. Splits existing segments and fills gaps with
/// new ones.
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

/// Splits the segment that contains `at`, so that `at` becomes a segment boundary.
fn split(space: &mut BTreeMap<u64, Segment>, at: u64) {
    let Some((_, segment)) = space.range_mut(..at).next_back() else { return };
    if segment.end > at {
        let rest = segment.clone();
        segment.end = at;
        space.insert(at, rest);
    }
}
