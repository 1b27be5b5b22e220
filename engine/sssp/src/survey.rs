//! Visits every arc after a search (a survey): builds the predecessor tree, counts the arcs of
//! reached vertices, and detects distances that overflow.

use std::sync::Arc;

use multisplit::graph::{Buffer, Graph, Groups, Plan, Scope};
use multisplit::operations::fill;
use multisplit::shaders::{builtin, push_constants};
use multisplit::{Array, Context, Readback, Replay};

use crate::buffers::{Buffers, Imports};
use crate::device_network::Facts;
use crate::error::Result;
use crate::network::{UNREACHED, WeightKind};
use crate::passes::{Search, instantiate};

push_constants! {
    struct SurveyPush {
        vertices: u32,
        arcs: u32,
        settle: u32,
    }
}

/// Number of words of the kernel's result: `changed`, `too_late`, and the arc count in two words.
const FOUND_WORDS: u64 = 4;

/// The recordings and buffers of a survey.
pub(crate) struct Survey {
    /// Visits every arc once.
    first: Replay,
    /// Finds predecessors at the same distance, over arcs of weight 0 (or too small to change a float
    /// distance). `None` unless predecessors are requested.
    same_distance: Option<Replay>,
    parents: Array<u32>,
    found: Readback<u32>,
    with_parents: bool,
}

/// Result of a survey.
pub(crate) struct Surveyed {
    /// A vertex whose distance overflows. `None` if no distance overflows.
    pub overflowed: Option<u32>,
    /// Number of arcs that leave reached vertices.
    pub arcs: u64,
}

struct SurveyImports {
    search: Imports,
    parents: Buffer,
    found: Buffer,
    report: Buffer,
}

impl Survey {
    pub fn new(
        context: &Context,
        search: &Search,
        buffers: &Buffers,
        with_parents: bool,
    ) -> Result<Self> {
        let parents = parents_len(&search.shape.facts, with_parents);
        let parents = Array::<u32>::uninit(context, "sssp.parents", parents)?;
        let words = Array::<u32>::uninit(context, "sssp.found", FOUND_WORDS)?;
        let found = Readback::new(context, "sssp.found.report", FOUND_WORDS)?;
        let replay = |same_distance: bool| -> Result<Replay> {
            let (plan, at) = plan(context, search, with_parents, same_distance)?;
            let mut bound = buffers.bind(&at.search);
            bound.push((at.parents, &parents).into());
            bound.push((at.found, &words).into());
            bound.push((at.report, &found).into());
            Ok(context.replay(Arc::new(instantiate(context, plan)?), &bound)?)
        };
        let first = replay(false)?;
        let same_distance = if with_parents { Some(replay(true)?) } else { None };
        Ok(Self { first, same_distance, parents, found, with_parents })
    }

    /// Runs the survey, and completes the predecessor tree if it is requested.
    pub fn run(&mut self) -> Result<Surveyed> {
        self.first.submit(1)?;
        self.first.wait()?;
        let words = self.found.read();
        let word = |at: usize| words.get(at).copied().unwrap_or(0);
        let surveyed = Surveyed {
            overflowed: Some(word(1)).filter(|&vertex| vertex != UNREACHED),
            arcs: u64::from(word(2)) | (u64::from(word(3)) << 32),
        };
        // Each run extends chains of vertices at the same distance by at least one arc. Such chains
        // are usually short.
        if let Some(same_distance) = &mut self.same_distance {
            let mut changed = true;
            while changed {
                same_distance.submit(1)?;
                same_distance.wait()?;
                changed = self.found.read().first() != Some(&0);
            }
        }
        Ok(surveyed)
    }

    /// Predecessor of each vertex. Empty unless predecessors are requested.
    pub fn predecessors(&self, context: &Context) -> Result<Vec<u32>> {
        if self.with_parents { Ok(context.download(&self.parents)?) } else { Ok(Vec::new()) }
    }
}

/// Length of the predecessor buffer. At least 1, because buffers cannot be empty.
fn parents_len(facts: &Facts, with_parents: bool) -> u64 {
    if with_parents { facts.vertices.into() } else { 1 }
}

fn plan(
    context: &Context,
    search: &Search,
    with_parents: bool,
    same_distance: bool,
) -> Result<(Plan, SurveyImports)> {
    let (facts, threads) = (&search.shape.facts, search.tuning.threads);
    let mut graph = Graph::new(if same_distance { "sssp.settle" } else { "sssp.survey" });
    let at = SurveyImports {
        search: Imports::new(&mut graph, &search.shape),
        parents: graph.import::<u32>("sssp.parents", parents_len(facts, with_parents)),
        found: graph.import::<u32>("sssp.found", FOUND_WORDS),
        report: graph.import::<u32>("sssp.found.report", FOUND_WORDS),
    };
    let cleared = [0, UNREACHED, 0, 0].map(u32::to_ne_bytes).concat();
    if same_distance {
        graph.update("sssp.survey.clear", at.found.elements::<u32>(0, 1), &cleared[..4]);
    } else {
        graph.update("sssp.survey.clear", at.found, &cleared);
        fill(&mut graph, &search.policy, "sssp.survey.clear", at.parents, UNREACHED)?;
    }
    let push = SurveyPush {
        vertices: facts.vertices,
        arcs: facts.arcs as u32,
        settle: u32::from(same_distance),
    };
    search.policy.facts().form.declare_in(&mut graph);
    graph
        .pass("sssp.survey", &builtin::SSSP_SURVEY.kernel()?)
        .bind("rows", at.search.rows)
        .bind("arcs", at.search.arcs)
        .bind("distances", at.search.distances)
        .bind("request", at.search.request)
        .bind("parents", at.parents)
        .bind("found", at.found)
        .push(&push)
        .specialize("local_size_x", threads)
        .specialize("FLOATS", u32::from(facts.kind == WeightKind::F32))
        .specialize("PARENTS", u32::from(with_parents))
        .dispatch(Groups::linear(facts.arcs.div_ceil(threads.into())));
    graph.copy("sssp.survey.report", at.found, at.report);
    graph.exit(at.report, Scope::HOST_READ);
    // Earlier recordings write the distances (rounds of the search) and the other two buffers (the
    // other plan of the survey).
    graph.entry(at.search.distances, Scope::COMPUTE_WRITE);
    graph.entry(at.parents, Scope::COMPUTE_READ_WRITE);
    let found = Scope::COMPUTE_READ_WRITE.union(Scope::TRANSFER_READ).union(Scope::TRANSFER_WRITE);
    graph.entry(at.found, found);
    graph.replayable();
    Ok((graph.compile(&context.limits())?, at))
}
