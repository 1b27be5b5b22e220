//! Plans of searches for shortest paths, with inputs and expected outputs.

use std::sync::Arc;

use anyhow::Result;
use multisplit_sssp::network::{Network, UNREACHED};
use multisplit_sssp::{Method, Options, Residents, Tuning};

use super::case::{Case, Verify};
use super::networks::{Kind, arc_words, arcs_of_reached, distances, network, overflows};
use super::primitives::{Device, limits, policy};
use super::setup::Parameters;

#[derive(Clone, Copy, Debug)]
pub struct SsspCase {
    pub method: Method,
    pub network: Kind,
    pub vertices: u32,
    pub degree: u32,
    pub floats: bool,
    /// Whether one dispatch runs many rounds.
    pub resident: bool,
    /// Whether each workgroup distributes the arcs of its vertices over all its threads. Otherwise
    /// each subgroup distributes them over its lanes.
    pub spread: bool,
    /// Whether queues have too few entries for all found vertices.
    pub short_queues: bool,
    /// Whether a subgroup directly expands the vertices that it finds.
    pub locally: bool,
    /// Whether the search runs on a single workgroup.
    pub alone: bool,
    pub rounds: u32,
    /// Rounds per dispatch of resident workgroups. A search that needs more rounds than all its
    /// dispatches together ends early.
    pub resident_rounds: u32,
}

/// Whether the method collects vertices beyond the current near set in a pile, which separate
/// passes split.
pub fn has_pile(method: Method) -> bool {
    matches!(method, Method::Bucketing | Method::MultisplitPasses)
}

/// Entries of a short queue.
const SHORT_QUEUE: u32 = 48;
/// Bucket width.
const DELTA: f64 = 8.0;

/// Word indices in the report.
const OVER: usize = 0;
const OVERFLOWED: usize = 16;
const GAVE_UP: usize = 18;
const ROUNDS: usize = 19;
const RELAXATIONS: usize = 22;
const EXPANSIONS: usize = 24;
/// Words of the history that describe the first rounds, two words per round.
const HISTORY: std::ops::Range<usize> = 0..160;

/// Checks the report and the history. In a tree, each vertex is expanded and each arc is relaxed
/// exactly once; in other networks, at least once.
fn verify(of: SsspCase, network: &Network, held: &[u32]) -> Verify {
    let is_tree = matches!(of.network, Kind::Tree | Kind::Wide | Kind::Far | Kind::Path);
    let vertices = held.iter().filter(|&&distance| distance != UNREACHED).count() as u32;
    let arcs = arcs_of_reached(network, held).count() as u32;
    let overflowed = u32::from(overflows(network, held, of.floats));
    let width = if of.floats { (DELTA as f32).to_bits() } else { DELTA as u32 };
    let first_threshold = if of.method == Method::BellmanFord { None } else { Some(width) };
    Arc::new(move |words: &dyn Fn(&str) -> Vec<u32>| {
        let (report, history) = (words("sssp.status"), words("sssp.history"));
        let is = |name: &str, word: usize, expected: u32| {
            let found = report[word];
            (found != expected).then(|| format!("{name} is {found}, expected {expected}"))
        };
        if of.resident && of.resident_rounds < of.rounds {
            // If the search ends early, all dispatches together run this number of rounds.
            let rounds = of.rounds.next_multiple_of(of.resident_rounds);
            return is("rounds", ROUNDS, rounds).or_else(|| is("over", OVER, 0));
        }
        // Only trees have weights so large that sums may overflow. In a tree, each distance is
        // final when it is found, so the flag does not depend on the order.
        let overflow = is("overflowed", OVERFLOWED, overflowed);
        let counts = [("expansions", EXPANSIONS, vertices), ("relaxations", RELAXATIONS, arcs)];
        let wrong = counts.into_iter().find_map(|(name, word, least)| match is_tree {
            true => is(name, word, least).or_else(|| is(name, word + 1, 0)),
            false => {
                let found = report[word];
                (found < least).then(|| format!("{name} is {found}, expected at least {least}"))
            }
        });
        // The first round contains the source only.
        let first = (history[0] != 1).then(|| {
            format!("the first round of the history has {} entries, expected 1", history[0])
        });
        let threshold = first_threshold.filter(|&threshold| history[1] != threshold);
        let threshold = threshold.map(|threshold| {
            format!("the first threshold of the history is {}, expected {threshold}", history[1])
        });
        is("over", OVER, 1).or(overflow).or(wrong).or(first).or(threshold)
    })
}

impl Parameters for SsspCase {
    fn case(&self, device: Device) -> Result<Case> {
        let of = *self;
        let limits = limits(device);
        let mut tuned = Tuning::for_limits(&limits);
        tuned.threads = device.threads();
        tuned.max_groups = if of.alone { 1 } else { 4.min(device.max_groups()) };
        // Resident workgroups wait for each other, which requires that the dispatch has a single
        // row.
        let groups = if of.alone { 1 } else { 3.min(device.max_groups()) };
        tuned.residents = Residents { groups, threads: device.threads() };
        // The limit is so high that no workgroup times out while the others make progress.
        tuned.spin_limit = 1 << 18;
        tuned.resident_rounds = of.resident_rounds;
        tuned.stage = 2;
        tuned.spread_degree = if of.spread { 0 } else { u32::MAX };
        tuned.spread_degree_even = tuned.spread_degree;
        tuned.hub_degree = 24;
        tuned.piece = 8;
        tuned.wide_degree = 12;
        tuned.local_hops = 2;
        tuned.local_entries = if of.locally { 64 } else { 0 };
        tuned.merge_entries = 16;
        tuned.tail_entries = 8;
        if of.short_queues {
            // Vertices that do not fit in the queue are dropped, and found again later.
            (tuned.queue_percent, tuned.min_queue_entries) = (0, SHORT_QUEUE);
        }
        let network = network(of.network, of.vertices, of.degree, of.floats)?;
        let options = Options {
            method: of.method,
            delta: Some(DELTA),
            buckets: 5,
            predecessors: false,
            resident: Some(of.resident),
            tuning: Some(tuned),
        };
        // Methods with a pile of far vertices need several additional rounds after each near set,
        // to split the pile.
        let rounds = if has_pile(of.method) { 4 * of.rounds } else { of.rounds };
        let plan = multisplit_sssp::plan(&network, &options, &policy(device), &limits, rounds)?;
        let expected = distances(&network, of.floats);
        let cut_short = of.resident && of.resident_rounds < of.rounds;
        let verify = verify(of, &network, &expected);
        let outputs = if cut_short { Vec::new() } else { vec![("sssp.distances", expected)] };
        // The rounds do not depend on the schedule if each distance improves only once and
        // subgroups do not expand vertices directly.
        let is_steady =
            matches!(of.network, Kind::Tree | Kind::Wide) && !of.locally && !of.short_queues;
        let steady = [("sssp.status", ROUNDS..ROUNDS + 3), ("sssp.history", HISTORY)];
        Ok(Case {
            name: format!("{of:?} for {device:?}"),
            plan,
            inputs: vec![
                ("sssp.rows", network.rows().to_vec()),
                ("sssp.arcs", arc_words(&network)),
                ("sssp.request", vec![0]),
            ],
            outputs,
            lane_order: false,
            // Resident workgroups may time out.
            may_give_up: of.resident.then_some(("sssp.status", GAVE_UP)),
            verify: Some(verify),
            steady: if is_steady { steady.to_vec() } else { Vec::new() },
        })
    }
}
