//! Plans of searches for shortest paths, with inputs and expected outputs.

use anyhow::Result;
use multisplit::graph::{Graph, Groups};
use multisplit::network::{Arc, Direction, EdgeList, Network, UNREACHED};
use multisplit::primitives::sssp::{self, Residents, SsspMethod, SsspOptions};
use multisplit::shaders::builtin;
use multisplit_machine::Rng;

use super::case::{Case, Output};
use super::primitives::{Device, limits, policy};

#[derive(Clone, Copy, Debug)]
pub struct SsspCase {
    pub method: SsspMethod,
    pub vertices: u32,
    pub degree: u32,
    pub floats: bool,
    /// Many rounds in one dispatch.
    pub resident: bool,
    /// Arcs are dealt out to whole workgroups.
    pub spread: bool,
    /// Queues that are too short for what is found.
    pub short_queues: bool,
    pub rounds: u32,
}

/// Bytes of all queues of a search together, where they are short.
const SHORT_QUEUES: u64 = 4096;

/// A network of random arcs, with one vertex that has very many, and weights that may be zero.
fn network(of: &SsspCase) -> Result<Network> {
    let mut rng = Rng::new(u64::from(of.vertices * 31 + of.degree));
    let mut edges = if of.floats { EdgeList::weighted_f32() } else { EdgeList::weighted() };
    let vertices = u64::from(of.vertices);
    let hub = 3;
    for from in 0..of.vertices {
        let degree = match from {
            _ if from == hub => 8 * of.degree,
            // Enough for a workgroup, and not for pieces.
            _ if from % 40 == 7 => 4 * of.degree,
            _ => of.degree,
        };
        for _ in 0..degree {
            let (to, weight) = (rng.below(vertices) as u32, rng.below(20) as u32);
            match of.floats {
                true => edges.push_f32(from, to, weight as f32 * 0.5),
                false => edges.push(from, to, weight),
            }
        }
    }
    Ok(Network::new(vertices, Direction::Directed, &edges)?)
}

/// Distances by the simplest method there is.
fn distances(network: &Network, floats: bool) -> Vec<u32> {
    let mut held = vec![UNREACHED; network.vertices() as usize];
    held[0] = 0;
    let mut changed = true;
    while changed {
        changed = false;
        for from in 0..network.vertices() {
            let so_far = held[from as usize];
            for arc in network.arcs_of(from).iter().filter(|_| so_far != UNREACHED) {
                let sum = match floats {
                    true => (f32::from_bits(so_far) + f32::from_bits(arc.weight)).to_bits(),
                    false => so_far + arc.weight,
                };
                if sum < held[arc.target as usize] {
                    held[arc.target as usize] = sum;
                    changed = true;
                }
            }
        }
    }
    held
}

fn arc_words(network: &Network) -> Vec<u32> {
    network.arcs().iter().flat_map(|Arc { target, weight }| [*target, *weight]).collect()
}

pub fn sssp_case(device: Device, of: SsspCase) -> Result<Case> {
    let mut policy = policy(device);
    let tuned = &mut policy.sssp;
    tuned.threads = device.threads();
    tuned.max_groups = 4.min(device.max_groups());
    tuned.residents = Residents { groups: 3, threads: device.threads() };
    tuned.spin_limit = 1 << 16;
    tuned.resident_rounds = of.rounds;
    tuned.stage = 2;
    tuned.spread_degree = if of.spread { 0 } else { u32::MAX };
    tuned.hub_degree = 24;
    tuned.piece = 8;
    tuned.wide_degree = 12;
    tuned.local_hops = 2;
    tuned.local_entries = 64;
    tuned.merge_entries = 16;
    tuned.tail_entries = 8;
    if of.short_queues {
        // A few dozen entries each: what does not fit is lost, and looked for again.
        policy.max_storage_range = SHORT_QUEUES;
    }
    let network = network(&of)?;
    let options = SsspOptions {
        method: of.method,
        delta: Some(8.0),
        buckets: 5,
        predecessors: false,
        resident: Some(of.resident),
    };
    let plan = sssp::plan(&network, &options, &policy, &limits(device), of.rounds)?;
    let expected = distances(&network, of.floats);
    Ok(Case {
        name: format!("{of:?} for {device:?}"),
        plan,
        inputs: vec![
            ("sssp.rows", network.rows().to_vec()),
            ("sssp.arcs", arc_words(&network)),
            ("sssp.request", vec![0]),
        ],
        // The first word of the report says that the search is over.
        outputs: vec![
            Output { name: "sssp.status", expected: vec![1] },
            Output { name: "sssp.distances", expected },
        ],
        lane_order: false,
        // Resident workgroups that wait in vain: word 18 of the report.
        may_give_up: of.resident.then_some(("sssp.status", 18)),
    })
}

/// What comes after a search: the tree of predecessors, by arcs that cost something; then by those
/// that cost nothing, where several trees are right.
pub fn survey_case(device: Device, floats: bool, settle: bool) -> Result<Case> {
    let of = SsspCase {
        method: SsspMethod::BellmanFord,
        vertices: 150,
        degree: 3,
        floats,
        resident: false,
        spread: false,
        short_queues: false,
        rounds: 0,
    };
    let network = network(&of)?;
    let vertices = network.vertices();
    let arcs = network.arcs().len() as u64;
    let mut graph = Graph::new("survey");
    let rows = graph.import::<u32>("rows", u64::from(vertices) + 1);
    let arc_buffer = graph.import::<[u32; 2]>("arcs", arcs);
    let at = graph.import::<u32>("distances", vertices.into());
    let request = graph.import::<u32>("request", 1);
    let parents = graph.import::<u32>("parents", vertices.into());
    let found = graph.import::<u32>("found", 4);
    let push = [vertices, arcs as u32, u32::from(settle)].map(u32::to_le_bytes).concat();
    graph
        .pass("sssp.survey", builtin::SSSP_SURVEY.kernel()?)
        .bind("rows", rows)
        .bind("arcs", arc_buffer)
        .bind("distances", at)
        .bind("request", request)
        .bind("parents", parents)
        .bind("found", found)
        .push_bytes(&push)
        .specialize("local_size_x", device.threads())
        .specialize("FLOATS", u32::from(floats))
        .specialize("PARENTS", 1)
        .dispatch(Groups::linear(arcs.div_ceil(device.threads().into())));
    let held = distances(&network, floats);
    let mut tree = vec![UNREACHED; vertices as usize];
    let mut reached = 0;
    for from in 0..vertices {
        let so_far = held[from as usize];
        for arc in network.arcs_of(from).iter().filter(|_| so_far != UNREACHED) {
            reached += 1;
            let sum = match floats {
                true => (f32::from_bits(so_far) + f32::from_bits(arc.weight)).to_bits(),
                false => so_far + arc.weight,
            };
            let target = arc.target as usize;
            if sum == held[target] && so_far < held[target] && arc.target != 0 {
                tree[target] = tree[target].min(from);
            }
        }
    }
    let mut outputs = vec![];
    if settle {
        outputs.push(Output { name: "distances", expected: held.clone() });
    } else {
        outputs.push(Output { name: "found", expected: vec![0, UNREACHED, reached, 0] });
        outputs.push(Output { name: "parents", expected: tree.clone() });
    }
    let before = if settle { tree } else { vec![UNREACHED; vertices as usize] };
    Ok(Case {
        name: format!("survey, floats {floats}, settle {settle}, for {device:?}"),
        plan: graph.compile(&limits(device))?,
        inputs: vec![
            ("rows", network.rows().to_vec()),
            ("arcs", arc_words(&network)),
            ("distances", held),
            ("request", vec![0]),
            ("parents", before),
            ("found", vec![0, UNREACHED, 0, 0]),
        ],
        outputs,
        lane_order: false,
        may_give_up: None,
    })
}
