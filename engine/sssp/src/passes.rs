//! Adds the passes of a search: initialization, rounds, and status report.

use multisplit::graph::{Graph, Groups, Limits, PassBuilder, Plan, Scope};
use multisplit::operations::fill;
use multisplit::shaders::builtin::{self, Builtin};
use multisplit::shaders::push_constants;
use multisplit::{Context, Executable, ExecutableOptions, Policy};

use crate::buffers::Imports;
use crate::device_network::Facts;
use crate::error::Result;
use crate::network::{Network, UNREACHED, WeightKind};
use crate::shape::{Options, Shape};
use crate::statistics::CONTROL_WORDS;
use crate::tuning::Tuning;

/// Above this mean degree, [`Search::local_hops`] is inversely proportional to the mean degree.
const LOCAL_DEGREE: f64 = 3.0;

push_constants! {
    struct SearchPush {
        vertices: u32,
        capacity: u32,
        delta: u32,
        hub_degree: u32,
        piece: u32,
        min_chunk: u32,
        max_groups: u32,
        local_hops: u32,
        local_entries: u32,
        subgroups: u32,
        last_id: u32,
        wide_degree: u32,
        merge_entries: u32,
        tail_entries: u32,
    }
}

/// Maximum number of workgroups in one dimension of a dispatch that every Vulkan device supports.
const MAX_GROUPS: u32 = 65_535;
/// Number of rounds between two splits of a pile; an even number. A near set lasts for about ten
/// rounds (measured with grids and R-MAT networks, and automatic bucket widths), and a split takes
/// about as many passes. With fewer rounds in between, most split passes would be no-ops. With more
/// rounds, most rounds would be no-ops, but these are cheaper than no-op split passes.
pub(crate) const ROUNDS_PER_SPLIT: u32 = 8;
/// Number of words of a `VkDispatchIndirectCommand`.
pub(crate) const GROUP_WORDS: u64 = 3;

/// Adds the passes of one search to graphs.
#[derive(Clone, Copy)]
pub(crate) struct Search {
    /// Policy for fills, copies, sorts and splits. All passes declare its plan form.
    pub policy: Policy,
    pub tuning: Tuning,
    pub shape: Shape,
    pub subgroup_size: u32,
}

impl Search {
    /// Creates a search for a device with these limits.
    pub fn new(
        facts: Facts,
        options: &Options,
        tuning: Tuning,
        policy: &Policy,
        limits: &Limits,
    ) -> Result<Self> {
        tuning.check(limits)?;
        let shape = Shape::new(facts, options, &tuning, limits)?;
        Ok(Self { policy: *policy, tuning, shape, subgroup_size: limits.subgroup_size.max(1) })
    }

    /// Clears the distances and puts the source into the first queue.
    pub fn begin(&self, graph: &mut Graph, at: &Imports) -> Result<()> {
        fill(graph, &self.policy, "sssp.clear", at.distances, UNREACHED)?;
        self.pass(graph, "sssp.begin", &builtin::SSSP_BEGIN, at)?
            .bind("groups", at.groups[0])
            .dispatch(Groups::linear(1));
        Ok(())
    }

    /// Rounds `count` up, so that a batch of rounds ends with its dispatch arguments in the buffer
    /// that the first round reads. If the method has a pile, the batch also ends with a split of it.
    pub fn whole_rounds(&self, count: u32) -> u32 {
        let multiple = if self.shape.method.has_pile() { ROUNDS_PER_SPLIT } else { 2 };
        count.max(1).next_multiple_of(multiple)
    }

    /// Number of rounds that are recorded once and resubmitted.
    pub fn batch(&self) -> u32 {
        self.whole_rounds(match self.shape.method.has_pile() {
            true => self.tuning.batch_piles,
            false => self.tuning.batch_rounds,
        })
    }

    /// Adds `count` rounds. `count` must be a result of [`whole_rounds`](Self::whole_rounds).
    pub fn rounds(&self, graph: &mut Graph, at: &Imports, count: u32) -> Result<()> {
        for round in 0..count as usize {
            let (now, next) = (at.groups[round % 2], at.groups[(round + 1) % 2]);
            let pile = self.shape.method.has_pile();
            let kernel = if pile { &builtin::SSSP_ROUND_PILE } else { &builtin::SSSP_ROUND };
            self.pass(graph, "sssp.round", kernel, at)?
                .bind("groups", next)
                .dispatch_indirect(now.elements::<u32>(0, GROUP_WORDS));
            if pile && (round as u32 + 1).is_multiple_of(ROUNDS_PER_SPLIT) {
                self.split_pile(graph, at, next)?;
            }
        }
        Ok(())
    }

    /// Adds one dispatch of resident workgroups, which executes many rounds.
    pub fn resident_rounds(&self, graph: &mut Graph, at: &Imports) -> Result<()> {
        let tuned = &self.tuning;
        let groups = u64::from(tuned.residents.groups.max(1));
        // If the device limits loop iterations, polls of other workgroups use at most a quarter of
        // them.
        let (rounds, spins) = match tuned.loop_limit {
            Some(limit) => {
                let rounds = tuned.resident_rounds.min(limit / 16);
                (rounds, tuned.spin_limit.min(limit / 4 / rounds.max(1)))
            }
            None => (tuned.resident_rounds, tuned.spin_limit),
        };
        self.pass(graph, "sssp.persistent", &builtin::SSSP_PERSISTENT, at)?
            .bind("groups", at.groups[0])
            .specialize("SPIN_LIMIT", spins)
            .specialize("ROUNDS", rounds)
            .dispatch(Groups::linear(groups));
        Ok(())
    }

    /// Copies the status of the search to a buffer that the host can read.
    pub fn report(&self, graph: &mut Graph, at: &Imports) {
        graph.copy("sssp.report", at.control.elements::<u32>(0, CONTROL_WORDS), at.status);
        graph.exit(at.status, Scope::HOST_READ);
    }

    /// Starts a pass with the constants that its kernel declares. Binds all buffers except the
    /// dispatch arguments and those of a split.
    pub fn pass<'g>(
        &self,
        graph: &'g mut Graph,
        label: &str,
        kernel: &Builtin,
        at: &Imports,
    ) -> Result<PassBuilder<'g>> {
        let (tuned, shape) = (&self.tuning, &self.shape);
        let kernel = kernel.kernel()?;
        self.policy.facts().form.declare_in(graph);
        let resident = kernel.interface().spec_constant("ROUNDS").is_some();
        let (threads, max_groups) = match resident {
            true => (tuned.residents.threads, tuned.residents.groups.max(1)),
            false => (tuned.threads, tuned.max_groups),
        };
        let push = SearchPush {
            vertices: shape.facts.vertices,
            capacity: shape.capacity,
            delta: shape.delta,
            hub_degree: tuned.hub_degree.max(1),
            piece: tuned.piece.max(1),
            min_chunk: self.min_chunk(),
            max_groups: max_groups.clamp(1, MAX_GROUPS),
            local_hops: self.local_hops(),
            local_entries: tuned.local_entries,
            subgroups: (threads / self.subgroup_size).max(1),
            last_id: shape.last_id,
            wide_degree: tuned.wide_degree.max(1),
            merge_entries: tuned.merge_entries,
            tail_entries: tuned.tail_entries,
        };
        let constants = [
            ("local_size_x", threads),
            ("SUBGROUP_SIZE", self.subgroup_size),
            ("BUCKETS", shape.buckets),
            ("FLOATS", u32::from(shape.facts.kind == WeightKind::F32)),
            ("STAGE", tuned.stage.max(2)),
            ("SPREAD", u32::from(self.is_spread())),
        ];
        let bindings = [
            ("control", at.control),
            ("distances", at.distances),
            ("history", at.history),
            ("queues", at.queues),
            ("rows", at.rows),
            ("arcs", at.arcs),
            ("pile", at.pile),
            ("request", at.request),
        ];
        let interface = kernel.interface();
        let mut pass = graph.pass(label, &kernel).push(&push);
        for (name, buffer) in bindings {
            if interface.binding(name).is_some() {
                pass = pass.bind(name, buffer);
            }
        }
        for (name, value) in constants {
            if interface.spec_constant(name).is_some() {
                pass = pass.specialize(name, value);
            }
        }
        Ok(pass)
    }

    /// Whether each workgroup, rather than each subgroup, distributes arcs over its threads.
    fn is_spread(&self) -> bool {
        let (facts, tuned) = (&self.shape.facts, &self.tuning);
        let from = if facts.is_even() { tuned.spread_degree_even } else { tuned.spread_degree };
        facts.mean_degree >= f64::from(from)
    }

    /// Maximum number of times that a subgroup expands vertices that it has found itself, before it
    /// appends them to a queue (local hops). It is lower for higher degrees, because each hop finds
    /// more entries while other subgroups wait.
    fn local_hops(&self) -> u32 {
        let max_hops = self.tuning.local_hops;
        let fitting = f64::from(max_hops) * LOCAL_DEGREE / self.shape.facts.mean_degree.max(1.0);
        (fitting.round() as u32).clamp(max_hops.min(1), max_hops)
    }

    /// Minimum number of queue entries per subgroup, such that each lane gets about one arc. With
    /// fewer entries, lanes would be idle. With more, the subgroup would iterate while other
    /// subgroups are idle.
    fn min_chunk(&self) -> u32 {
        let lanes = f64::from(self.subgroup_size);
        ((lanes / self.shape.facts.mean_degree.max(1.0)) as u32).clamp(1, self.subgroup_size)
    }
}

/// Instantiates a plan of this crate.
pub(crate) fn instantiate(context: &Context, plan: Plan) -> Result<Executable> {
    // SAFETY: the kernels bound their loops, and drop queue entries beyond the capacity that is
    // pushed. The host has checked the indices in the network and the source. All other indices are
    // written by passes of this crate.
    Ok(unsafe { context.instantiate_foreign(plan, ExecutableOptions::default()) }?)
}

/// Returns the plan of a search in `network` with at least `rounds` rounds, for inspection. If
/// `options` contains no tuning parameters, those for an unknown GPU are used
/// ([`Tuning::for_limits`]). The time and memory of planning are quadratic in `rounds`.
pub fn plan(
    network: &Network,
    options: &Options,
    policy: &Policy,
    limits: &Limits,
    rounds: u32,
) -> Result<Plan> {
    let tuning = options.tuning.unwrap_or_else(|| Tuning::for_limits(limits));
    let search = Search::new(Facts::of(network), options, tuning, policy, limits)?;
    let mut graph = Graph::new("sssp");
    let imports = Imports::new(&mut graph, &search.shape);
    search.begin(&mut graph, &imports)?;
    match search.shape.resident {
        true => {
            for _ in 0..rounds.div_ceil(tuning.resident_rounds.max(1)).max(1) {
                search.resident_rounds(&mut graph, &imports)?;
            }
        }
        false => search.rounds(&mut graph, &imports, search.whole_rounds(rounds))?,
    }
    search.report(&mut graph, &imports);
    graph.replayable();
    Ok(graph.compile(limits)?)
}
