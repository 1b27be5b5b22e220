//! Compilation of a graph into a plan, phase by phase.

use crate::contract::contract;
use crate::error::GraphError;
use crate::graph::Graph;
use crate::lifetime::{self, Heap, Interval, Region};
use crate::limits::Limits;
use crate::order::{self, Schedule};
use crate::plan::{BufferPlacement, Plan, PlannedBuffer, PlannedPass, Step, Work, Workspace};
use crate::reason::{self, Names};
use crate::repeat::{self, Calls};
use crate::resource::Kind;
use crate::sync::{Barrier, Hazard};
use crate::touch::{self, Timeline};
use crate::validate::{self, Checked};

impl Graph {
    /// Plans the order, barriers and memory of the graph. The result is deterministic: the same
    /// graph and limits give the same plan.
    pub fn compile(&self, limits: &Limits) -> Result<Plan, GraphError> {
        check_subgroup_size(self, limits)?;
        let checked = validate::check(self, limits)?;
        let edges = order::dependencies(&checked);
        let schedule = order::schedule(&checked, &edges)?;
        let intervals = lifetime::intervals(&checked, &schedule);
        let heap = lifetime::place(&checked, &intervals, limits.heap_alignment());
        let region =
            |kind| lifetime::place_region(&checked, kind, &intervals, limits.heap_alignment());
        let (constants, state) = (region(Kind::Constant), region(Kind::State));
        check_size("workspace", heap.size, limits)?;
        check_size("constants", constants.size, limits)?;
        check_size("state", state.size, limits)?;
        let timeline = touch::timeline(&checked, &schedule, &heap);
        let calls = repeat::synchronise(&timeline, self.replayable);
        let names = Names::new(&checked, &schedule, &heap);
        let hazards = reason::hazards(&names, &timeline, &calls, self.replayable);

        let label = |&pass: &usize| checked.passes[pass].planned.label.clone();
        let mut barriers = barriers(calls, hazards);
        let exit = barriers.pop().flatten();
        Ok(Plan {
            name: self.name.clone(),
            buffers: buffers(&checked, &intervals, (&heap, &constants, &state), &timeline),
            culled: schedule.culled.iter().map(label).collect(),
            settables: settables(&checked),
            steps: steps(checked, &schedule, barriers),
            exit,
            workspace: Workspace {
                size: heap.size,
                alignment: limits.heap_alignment(),
                unaliased_size: heap.unaliased_size,
            },
            constants_size: constants.size,
            state_size: state.size,
            replayable: self.replayable,
            variant: self.variant,
            limits: *limits,
            graph: self.id,
        })
    }
}

fn check_subgroup_size(graph: &Graph, limits: &Limits) -> Result<(), GraphError> {
    match graph.subgroup_size {
        // In the limits, 0 means an unknown size, so a required size of 0 is never available.
        Some(lanes) if lanes != limits.subgroup_size || lanes == 0 => {
            Err(GraphError::SubgroupSize { lanes, device: limits.subgroup_size })
        }
        _ => Ok(()),
    }
}

fn check_size(what: &str, size: u64, limits: &Limits) -> Result<(), GraphError> {
    // Sizes saturate, so `u64::MAX` means overflow.
    if size <= limits.max_buffer_size && size < u64::MAX {
        return Ok(());
    }
    let (at, limit) = (what.to_owned(), "maxBufferSize");
    Err(GraphError::LimitExceeded { at, limit, value: size, max: limits.max_buffer_size })
}

/// Combines the barrier calls with the hazards they cover: one barrier before each level, then the
/// exit barrier. An empty call becomes `None`.
fn barriers(calls: Calls, hazards: Vec<Vec<Hazard>>) -> Vec<Option<Barrier>> {
    let barrier = |(memory, hazards): (Vec<_>, _)| {
        (!memory.is_empty()).then_some(Barrier { memory, hazards })
    };
    calls.into_iter().zip(hazards).map(barrier).collect()
}

fn buffers(
    checked: &Checked,
    intervals: &[Option<Interval>],
    (heap, constants, state): (&Heap, &Region, &Region),
    timeline: &Timeline,
) -> Vec<PlannedBuffer> {
    let planned = |(index, decl): (usize, &crate::resource::BufferDecl)| PlannedBuffer {
        name: decl.name.clone(),
        size: decl.size,
        placement: match decl.kind {
            Kind::Import => BufferPlacement::Import(contract(decl, index, timeline)),
            Kind::Transient => BufferPlacement::Transient { offset: heap.offsets[index] },
            Kind::Persistent => BufferPlacement::Persistent { offset: heap.offsets[index] },
            Kind::State => BufferPlacement::State { offset: state.offsets[index] },
            Kind::Constant => BufferPlacement::Constant {
                offset: constants.offsets[index],
                contents: decl.contents.clone().unwrap_or_default(),
            },
            Kind::StatusWord => BufferPlacement::StatusWord,
        },
        first_level: intervals[index].map(|(first, _)| first),
        last_level: intervals[index].map(|(_, last)| last),
    };
    checked.buffers.iter().enumerate().map(planned).collect()
}

/// The labels and data sizes of the settable passes, including culled passes, because a caller may
/// still set their values.
fn settables(checked: &Checked) -> Vec<(String, u64)> {
    let bytes = |pass: &PlannedPass| match &pass.work {
        Work::Update { bytes, .. } => bytes.len() as u64,
        _ => pass.push.len() as u64,
    };
    let settable = checked.passes.iter().map(|pass| &pass.planned).filter(|pass| pass.settable);
    settable.map(|pass| (pass.label.clone(), bytes(pass))).collect()
}

/// Assembles the steps. The first pass of a level has the barrier of the level.
fn steps(checked: Checked, schedule: &Schedule, barriers: Vec<Option<Barrier>>) -> Vec<Step> {
    let mut passes: Vec<_> = checked.passes.into_iter().map(|pass| Some(pass.planned)).collect();
    let mut steps = Vec::new();
    for ((level, indices), mut barrier) in (0u32..).zip(&schedule.levels).zip(barriers) {
        for pass in indices.iter().filter_map(|&index| passes[index].take()) {
            steps.push(Step { barrier: barrier.take(), pass: PlannedPass { level, ..pass } });
        }
    }
    steps
}
