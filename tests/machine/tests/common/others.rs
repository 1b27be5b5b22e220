//! Plans of the histogram, of searches for shortest paths, of fills and copies: with
//! `primitives.rs` the only files that know the engine's API.

use anyhow::Result;
use multisplit::graph::{Graph, Groups};
use multisplit::network::{Arc, Direction, EdgeList, Network, UNREACHED};
use multisplit::primitives::histogram::{Bin, HistogramMethod, Layout};
use multisplit::primitives::sssp::{self, Residents, SsspMethod, SsspOptions};
use multisplit::primitives::{
    HistogramBuffers, Policy, copy, copy_first, fill, fill_first, histogram,
};
use multisplit::shaders::builtin;
use multisplit::{Bins, SampleType};
use multisplit_machine::Rng;

use super::case::{Case, Output};
use super::primitives::{Device, count_words, counted, limits, policy, random_words};

/// What an element adds to its bin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weighted {
    No,
    Words,
    Floats,
}

#[derive(Clone, Copy, Debug)]
pub struct HistogramCase {
    pub sample: SampleType,
    pub method: HistogramMethod,
    /// Bins between splitters, rather than equal ones or the samples themselves.
    pub range: bool,
    pub bins: u32,
    pub weighted: Weighted,
    pub wide: bool,
    /// Of four channels three are counted.
    pub channels: bool,
    pub on_device: bool,
    pub n: u64,
    /// Cells of a lookup table; a binary search without.
    pub cells: u32,
}

/// The bits of a sample that lies in [0, `most`).
fn sample_bits(sample: SampleType, number: u64, most: u64) -> u64 {
    let number = number % most;
    match sample {
        SampleType::F32 => u64::from((number as f32).to_bits()),
        SampleType::F64 => (number as f64).to_bits(),
        _ => number,
    }
}

fn import_samples(graph: &mut Graph, sample: SampleType, n: u64) -> multisplit::graph::Buffer {
    match sample {
        SampleType::U8 => graph.import::<u8>("samples", n),
        SampleType::U16 => graph.import::<u16>("samples", n),
        SampleType::U32 => graph.import::<u32>("samples", n),
        SampleType::I32 => graph.import::<i32>("samples", n),
        SampleType::U64 => graph.import::<u64>("samples", n),
        SampleType::F32 => graph.import::<f32>("samples", n),
        SampleType::F64 => graph.import::<f64>("samples", n),
    }
}

fn bytes_of(sample: SampleType) -> u64 {
    match sample {
        SampleType::U8 => 1,
        SampleType::U16 => 2,
        SampleType::U32 | SampleType::I32 | SampleType::F32 => 4,
        SampleType::U64 | SampleType::F64 => 8,
    }
}

pub fn histogram_case(device: Device, of: HistogramCase) -> Result<Case> {
    let HistogramCase { sample, method, bins, weighted, wide, on_device, n, .. } = of;
    let mut policy = policy(device);
    policy.histogram.threads = device.threads();
    policy.histogram.lookup_threads = device.threads();
    policy.histogram.loads = 2;
    policy.histogram.tiles = 1;
    policy.histogram.copies = 2;
    policy.histogram.cells = of.cells;
    policy.histogram.cells_per_bin = 2;
    policy.histogram.register_bins = 8;
    let mut graph = Graph::new("histogram");
    let (max, count) = counted(&mut graph, n, on_device);
    let channels = if of.channels { 4 } else { 1 };
    // Samples are read in whole words.
    let held = (max * channels).next_multiple_of(4);
    let samples = import_samples(&mut graph, sample, held);
    let active = if of.channels { 3 } else { 1 };
    let words = u64::from(bins * active);
    let counts = match (weighted, wide) {
        (Weighted::Floats, _) => graph.import::<f32>("counts", words),
        (_, true) => graph.import::<u64>("counts", words),
        _ => graph.import::<u32>("counts", words),
    };
    let outside = match (weighted, wide) {
        (Weighted::Floats, _) => graph.import::<f32>("out_of_range", active.into()),
        (_, true) => graph.import::<u64>("out_of_range", active.into()),
        _ => graph.import::<u32>("out_of_range", active.into()),
    };
    let mut buffers = HistogramBuffers::new(samples, counts).count(count).out_of_range(outside);
    buffers = match weighted {
        Weighted::No => buffers,
        Weighted::Words => buffers.weights(graph.import::<u32>("weights", max)),
        Weighted::Floats => buffers.weights(graph.import::<f32>("weights", max)),
    };
    // Samples are whole numbers below `most`, a tenth of them past the last bin.
    let most = u64::from(bins) + u64::from(bins) / 10 + 1;
    let splitters: Vec<u64> = (0..=u64::from(bins)).map(|k| sample_bits(sample, k, u64::MAX)).collect();
    let floats = matches!(sample, SampleType::F32 | SampleType::F64);
    let function = match (of.range, floats) {
        (true, _) => Bin::Range(splitters.clone()),
        (false, true) => Bin::Even { lo: splitters[0], hi: splitters[bins as usize] },
        (false, false) => Bin::Identity,
    };
    let mut how = Bins::of(sample, bins, function).method(method);
    if of.channels {
        how = how.layout(Layout::interleaved(4, 0b0111));
    }
    histogram(&mut graph, &policy, &how, &buffers)?;

    let mut rng = Rng::new(n ^ 3);
    let most = if sample == SampleType::U8 { most.min(256) } else { most };
    let numbers: Vec<u64> = (0..held).map(|_| rng.below(most)).collect();
    let weights: Vec<u32> = (0..max).map(|i| (i % 7) as u32).collect();
    let mut sums = vec![0u64; words as usize];
    for i in 0..n as usize {
        for channel in 0..active as usize {
            let number = numbers[i * channels as usize + channel];
            if number < u64::from(bins) {
                let weight = if weighted == Weighted::No { 1 } else { weights[i] };
                sums[channel * bins as usize + number as usize] += u64::from(weight);
            }
        }
    }
    let expected = match (weighted, wide) {
        (Weighted::Floats, _) => sums.iter().map(|s| (*s as f32).to_bits()).collect(),
        (_, true) => sums.iter().flat_map(|s| [*s as u32, (*s >> 32) as u32]).collect(),
        _ => sums.iter().map(|s| *s as u32).collect(),
    };
    let size = bytes_of(sample) as usize;
    let bytes: Vec<u8> = numbers
        .iter()
        .flat_map(|&x| sample_bits(sample, x, u64::MAX).to_le_bytes().into_iter().take(size))
        .collect();
    let packed = bytes.chunks(4).map(|b| b.iter().rev().fold(0, |w, x| w << 8 | u32::from(*x)));
    let weights = match weighted {
        Weighted::Floats => weights.iter().map(|w| (*w as f32).to_bits()).collect(),
        _ => weights,
    };
    Ok(Case {
        name: format!("{of:?} for {device:?}"),
        plan: graph.compile(&limits(device.width))?,
        inputs: vec![("samples", packed.collect()), ("weights", weights), count_words(n)],
        outputs: vec![Output { name: "counts", expected }],
        lane_order: false,
        may_give_up: None,
    })
}

/// Fills and copies, of whole arrays and of as many words as the device says.
pub fn memory_case(device: Device, n: u64, on_device: bool) -> Result<Case> {
    let policy = policy(device);
    let mut graph = Graph::new("memory");
    let (max, count) = counted(&mut graph, n, on_device);
    let src = graph.import::<u32>("src", max);
    let (one, two) = (graph.import::<u32>("one", max), graph.import::<u32>("two", max));
    let three = graph.import::<u32>("three", max);
    if on_device {
        fill_first(&mut graph, &policy, "memory.fill", one, count, 9)?;
        copy_first(&mut graph, &policy, "memory.copy", src, two, count)?;
    } else {
        fill(&mut graph, &policy, "memory.fill", one, 9)?;
        copy(&mut graph, &policy, "memory.copy", src, two)?;
    }
    // By the planner's own transfers.
    graph.fill("fill", three, 1);
    graph.copy("copy", src.range(0, 4), three.range(0, 4));
    graph.update("update", three.range(4, 8), &[1, 0, 0, 0, 2, 0, 0, 0]);
    let input = random_words(max, n);
    let mut third = vec![1; max as usize];
    third[..3].copy_from_slice(&[input[0], 1, 2]);
    Ok(Case {
        name: format!("fill and copy of {n}, device count {on_device}, for {device:?}"),
        plan: graph.compile(&limits(device.width))?,
        outputs: vec![
            Output { name: "one", expected: vec![9; n as usize] },
            Output { name: "two", expected: input[..n as usize].to_vec() },
            Output { name: "three", expected: third },
        ],
        inputs: vec![("src", input), count_words(n)],
        lane_order: false,
        may_give_up: None,
    })
}

/// The probe of lane order, which finds no exception where there is none.
pub fn probe_case(device: Device) -> Result<Case> {
    let mut graph = Graph::new("probe");
    let exceptions = graph.import::<u32>("exceptions", 1);
    fill(&mut graph, &policy(device), "clear", exceptions, 0)?;
    graph
        .pass("probe.lane_order", &builtin::PROBE_LANE_ORDER.kernel()?)
        .bind("exceptions", exceptions)
        .push_bytes(&[1, 2, 3, 4])
        .specialize("local_size_x", device.threads())
        .specialize("SUBGROUP_SIZE", device.width)
        .dispatch(Groups::linear(16));
    Ok(Case {
        name: format!("probe of lane order for {device:?}"),
        plan: graph.compile(&limits(device.width))?,
        outputs: vec![Output { name: "exceptions", expected: vec![0] }],
        inputs: Vec::new(),
        lane_order: true,
        may_give_up: None,
    })
}

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
    tuned.most_groups = 4;
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
        tuned.queue_percent = 1;
    }
    let network = network(&of)?;
    let options = SsspOptions {
        method: of.method,
        delta: Some(8.0),
        buckets: 5,
        predecessors: false,
        resident: Some(of.resident),
    };
    let plan = sssp::plan(&network, &options, &policy, &limits(device.width), of.rounds)?;
    let expected = distances(&network, of.floats);
    Ok(Case {
        name: format!("{of:?} for {device:?}"),
        plan,
        inputs: vec![
            ("sssp.rows", network.rows().to_vec()),
            ("sssp.arcs", arc_words(&network)),
            ("sssp.request", vec![0]),
        ],
        outputs: vec![Output { name: "sssp.distances", expected }],
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
        plan: graph.compile(&limits(device.width))?,
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

/// A policy for plans of other tests.
pub fn small_policy(device: Device) -> Policy {
    policy(device)
}
