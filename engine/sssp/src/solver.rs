//! Runs searches on the device. Their passes are recorded once and resubmitted for every source.

use std::sync::Arc;

use multisplit::graph::{Graph, Limits, Plan, Scope};
use multisplit::{Context, Replay};

use crate::buffers::{Buffers, HISTORY, Imports};
use crate::device_network::DeviceNetwork;
use crate::error::{Error, Result};
use crate::network::{NetworkError, ShortestPaths};
use crate::passes::{ROUNDS_PER_SPLIT, Search, instantiate};
use crate::shape::{Method, Options};
use crate::statistics::{RoundSize, Statistics, Status};
use crate::survey::Survey;
use crate::tuning::Tuning;

/// Finds shortest paths in a network on the device, from one source after another.
pub struct Solver {
    pub(crate) context: Context,
    pub(crate) search: Search,
    pub(crate) buffers: Buffers,
    pub(crate) begin: Replay,
    rounds: Replay,
    pub(crate) residents: Option<Replay>,
    /// Whether resident workgroups have timed out, so that each round is a separate dispatch.
    gave_up_residents: bool,
    /// Source of the last search, and an upper bound on its rounds, which assumes the maximum
    /// number of waiting rounds per split of the pile.
    pub(crate) last: Option<(u32, u32)>,
    survey: Survey,
}

/// Result of a search.
#[derive(Clone, Debug)]
pub struct Solution {
    /// Distances, and predecessors if requested.
    pub paths: ShortestPaths,
    /// Work done by the search.
    pub statistics: Statistics,
}

/// Maximum number of submissions between two status checks by the host. The number doubles after
/// each check.
const MAX_SUBMISSIONS: u32 = 64;
/// A search fails if it has not ended after more than `ROUNDS_PER_VERTEX * vertices +
/// MIN_ROUND_LIMIT` rounds.
const ROUNDS_PER_VERTEX: u64 = 4;
const MIN_ROUND_LIMIT: u64 = 1 << 12;

/// Plans the initialization of a search. It runs between batches of rounds, so it synchronizes with
/// both the previous and the next batch.
pub(crate) fn begin(context: &Context, search: &Search) -> Result<(Plan, Imports)> {
    let mut graph = Graph::new("sssp.begin");
    let at = Imports::new(&mut graph, &search.shape);
    search.begin(&mut graph, &at)?;
    for buffer in [at.distances, at.queues, at.history] {
        graph.entry(buffer, Scope::COMPUTE_READ_WRITE);
        graph.exit(buffer, Scope::COMPUTE_READ_WRITE);
    }
    let control = Scope::COMPUTE_READ_WRITE.union(Scope::TRANSFER_READ);
    graph.entry(at.control, control);
    graph.exit(at.control, control);
    let groups = Scope::COMPUTE_WRITE.union(Scope::INDIRECT_READ);
    graph.entry(at.groups[0], groups);
    graph.exit(at.groups[0], groups);
    graph.replayable();
    Ok((graph.compile(&context.limits())?, at))
}

/// Plans `count` rounds and the status report. `count` must be a result of
/// [`Search::whole_rounds`].
pub(crate) fn rounds(context: &Context, search: &Search, count: u32) -> Result<(Plan, Imports)> {
    part(context, search, |graph, at| search.rounds(graph, at, count))
}

/// Plans the passes that `add` declares, followed by the status report.
fn part(
    context: &Context,
    search: &Search,
    add: impl FnOnce(&mut Graph, &Imports) -> Result<()>,
) -> Result<(Plan, Imports)> {
    let mut graph = Graph::new("sssp");
    let at = Imports::new(&mut graph, &search.shape);
    add(&mut graph, &at)?;
    search.report(&mut graph, &at);
    graph.replayable();
    Ok((graph.compile(&context.limits())?, at))
}

/// Records a plan with the buffers of a search.
pub(crate) fn replay(
    context: &Context,
    buffers: &Buffers,
    (plan, imports): (Plan, Imports),
) -> Result<Replay> {
    let executable = Arc::new(instantiate(context, plan)?);
    Ok(context.replay(executable, &buffers.bind(&imports))?)
}

impl Solver {
    /// Creates a solver for `network`. Sorts and splits use the policy of the context.
    pub fn new(context: &Context, network: &DeviceNetwork, options: &Options) -> Result<Self> {
        context.with_fallback(|| Self::prepare(context, network, options))
    }

    fn prepare(context: &Context, network: &DeviceNetwork, options: &Options) -> Result<Self> {
        let (policy, limits) = (context.policy(), context.limits());
        let properties = context.properties();
        let tuning = options.tuning.unwrap_or_else(|| {
            let max_threads = policy.facts().max_threads;
            let max_workgroup_invocations = limits.max_workgroup_invocations.min(max_threads);
            Tuning::for_device(properties).within(&Limits { max_workgroup_invocations, ..limits })
        });
        let tuning = Tuning { loop_limit: properties.loop_limit(), ..tuning };
        let search = Search::new(network.facts, options, tuning, &policy, &limits)?;
        let buffers = Buffers::new(context, network, &search.shape)?;
        let replay = |planned| replay(context, &buffers, planned);
        let begin = replay(begin(context, &search)?)?;
        let rounds = replay(rounds(context, &search, search.batch())?)?;
        let residents = match search.shape.resident {
            true => {
                let add = |graph: &mut Graph, at: &Imports| search.resident_rounds(graph, at);
                Some(replay(part(context, &search, add)?)?)
            }
            false => None,
        };
        let survey = Survey::new(context, &search, &buffers, options.predecessors)?;
        Ok(Self {
            context: context.clone(),
            search,
            buffers,
            begin,
            rounds,
            residents,
            gave_up_residents: false,
            last: None,
            survey,
        })
    }

    /// Method in use; never `Auto`.
    pub fn method(&self) -> Method {
        self.search.shape.method
    }

    /// Bucket width, as bits if distances are floats.
    pub fn delta(&self) -> u32 {
        self.search.shape.delta
    }

    /// Whether one dispatch of resident workgroups executes many rounds.
    pub fn is_resident(&self) -> bool {
        self.search.shape.resident && !self.gave_up_residents
    }

    /// Whether separate passes order the entries beyond the near set.
    pub fn has_split_passes(&self) -> bool {
        self.search.shape.method.has_pile()
    }

    /// Finds the shortest paths from `source`.
    pub fn solve(&mut self, source: u32) -> Result<Solution> {
        let status = self.run(source)?;
        let status = Status(&status);
        let surveyed = self.survey.run()?;
        if let (true, Some(vertex)) = (status.overflowed(), surveyed.overflowed) {
            return Err(NetworkError::DistanceOverflow { vertex }.into());
        }
        let statistics = Statistics {
            gave_up_residents: self.gave_up_residents,
            rerelaxations: status.statistics().relaxations.saturating_sub(surveyed.arcs),
            ..status.statistics()
        };
        let paths = ShortestPaths {
            source,
            kind: self.search.shape.facts.kind,
            distances: self.context.download(&self.buffers.distances)?,
            predecessors: self.survey.predecessors(&self.context)?,
        };
        Ok(Solution { paths, statistics })
    }

    /// Returns the size of each round of the last search. If there were more than 16,384 rounds,
    /// returns only the first 16,384.
    pub fn round_sizes(&self) -> Result<Vec<RoundSize>> {
        let rounds = u64::from(Status(&self.buffers.status.read()).rounds());
        let words = self.context.download_range(&self.buffers.history, 0..rounds.min(HISTORY))?;
        Ok(words.iter().map(|&[entries, threshold]| RoundSize { entries, threshold }).collect())
    }

    /// Runs a search and returns the first words of the final control block.
    pub(crate) fn run(&mut self, source: u32) -> Result<Vec<u32>> {
        let vertices = self.search.shape.facts.vertices;
        if source >= vertices {
            let (source_vertex, vertices) = (source.into(), vertices.into());
            return Err(NetworkError::SourceOutOfRange { source_vertex, vertices }.into());
        }
        let _span =
            tracing::debug_span!("sssp", method = ?self.search.shape.method, source).entered();
        self.context.write(&self.buffers.request, 0, &[source])?;
        let mut status = None;
        if self.is_resident() {
            status = self.run_rounds(true)?;
            self.gave_up_residents = status.is_none();
        }
        if status.is_none() {
            status = self.run_rounds(false)?;
        }
        let status = status.ok_or(Error::Unfinished { rounds: 0 })?;
        let found = Status(&status).statistics();
        // The device does not count rounds that only waited for the split passes. Their maximum
        // number is added here.
        let waiting = if self.has_split_passes() { ROUNDS_PER_SPLIT - 1 } else { 0 };
        let rounds = found.rounds.saturating_add(found.splits.saturating_mul(waiting));
        self.last = Some((source, rounds));
        Ok(status)
    }

    /// Submits rounds until the search ends, and returns the first words of the control block.
    /// `None` if resident workgroups timed out.
    fn run_rounds(&mut self, resident: bool) -> Result<Option<Vec<u32>>> {
        self.begin.submit(1)?;
        self.begin.wait()?;
        let rounds = match &mut self.residents {
            Some(residents) if resident => residents,
            _ => &mut self.rounds,
        };
        let (mut submissions, mut submitted) = (1, 0);
        loop {
            rounds.submit(submissions)?;
            rounds.wait()?;
            submitted += u64::from(submissions);
            let words = self.buffers.status.read();
            let status = Status(&words);
            if resident && status.aborted() {
                tracing::warn!(
                    "resident workgroups timed out; using one dispatch per round from now on"
                );
                return Ok(None);
            }
            if has_ended(status, submitted, self.search.shape.facts.vertices)? {
                return Ok(Some(words));
            }
            // One submission of resident workgroups executes many rounds, so the host checks the
            // status after each submission.
            let max_submissions = if resident { 1 } else { MAX_SUBMISSIONS };
            submissions = (2 * submissions).min(max_submissions);
        }
    }

    /// Whether the search has ended. `submitted` counts submissions or submitted rounds.
    pub(crate) fn has_ended(&self, submitted: u64) -> Result<bool> {
        let words = self.buffers.status.read();
        has_ended(Status(&words), submitted, self.search.shape.facts.vertices)
    }
}

/// Whether a search in a network with `vertices` vertices has ended. Every submission executes at
/// least one round of an unfinished search, unless the device computes wrong values, so the round
/// limit also bounds the number of submissions.
fn has_ended(status: Status<'_>, submitted: u64, vertices: u32) -> Result<bool> {
    let rounds = u64::from(status.rounds()).max(submitted);
    if !status.done() && rounds > max_rounds(vertices) {
        return Err(Error::Unfinished { rounds });
    }
    Ok(status.done())
}

fn max_rounds(vertices: u32) -> u64 {
    ROUNDS_PER_VERTEX * u64::from(vertices) + MIN_ROUND_LIMIT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unfinished_searches_beyond_the_round_limit_are_errors() {
        const VERTICES: u32 = 100;
        let limit = max_rounds(VERTICES);
        let status = |done: bool, rounds: u64| {
            let mut words = [0; 32];
            words[0] = done.into();
            words[19] = rounds as u32;
            words
        };
        let ended = |words: &[u32], submitted| has_ended(Status(words), submitted, VERTICES);
        assert!(!ended(&status(false, limit), limit).unwrap());
        assert!(ended(&status(true, limit + 1), limit + 1).unwrap());
        for (rounds, submitted) in [(limit + 1, 1), (0, limit + 1)] {
            let error = ended(&status(false, rounds), submitted).unwrap_err();
            assert!(matches!(error, Error::Unfinished { rounds } if rounds == limit + 1));
        }
    }
}
