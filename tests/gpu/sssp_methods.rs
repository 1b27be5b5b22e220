//! Shortest paths by every method, compared with a search on the CPU, on networks of many shapes.

use multisplit_bench::network::{Grid, Rmat, Weighting};
use multisplit_sssp::network::{Direction, EdgeList, Network};
use multisplit_sssp::{DeviceNetwork, Method, Options, Residents, Solution, Solver, Tuning};
use multisplit_tests::prelude::*;

tests!(sssp:
    random_networks_match_the_cpu;
    in turn: path_and_star_networks_match_the_cpu, zero_weights_and_parallel_edges_match_the_cpu,
    vertex_with_many_neighbours_matches_the_cpu, float_weights_match_the_cpu,
    generated_networks_match_the_cpu, resident_workgroups_match_the_cpu,
    two_resident_workgroups_match_the_cpu,
    resident_workgroups_that_time_out_fall_back_to_dispatches, overflowing_queues_match_the_cpu,
    searches_without_local_hops_match_the_cpu, small_buckets_and_high_degree_vertices_match_the_cpu
);

pub const METHODS: [Method; 5] = [
    Method::BellmanFord,
    Method::NearFar,
    Method::Bucketing,
    Method::MultisplitPasses,
    Method::Multisplit,
];

pub fn options(method: Method) -> Options {
    Options { method, resident: Some(false), ..Options::default() }
}

/// Searches from each source and compares with the CPU.
pub fn check(
    gpu: &Gpu,
    network: &Network,
    options: &Options,
    sources: &[u32],
) -> Result<Vec<Solution>> {
    let on_device = DeviceNetwork::upload(gpu, network)?;
    let mut solver = Solver::new(gpu, &on_device, options)?;
    let mut results = Vec::new();
    for &source in sources {
        let found = solver.solve(source)?;
        let expected = shortest::distances_in(network, source);
        expect_equal(&found.paths.distances, &expected).with_context(|| {
            format!("{options:?}, {} vertices, from {source}", network.vertices())
        })?;
        results.push(found);
    }
    Ok(results)
}

/// Returns all methods in a full run, and two in a plain run, because pipelines compile slowly.
fn sampled(gpu: &Gpu) -> &'static [Method] {
    if gpu.full { &METHODS } else { &[Method::NearFar, Method::Multisplit] }
}

fn every_method(gpu: &Gpu, network: &Network, sources: &[u32]) -> Result<()> {
    for method in METHODS {
        check(gpu, network, &options(method), sources)?;
    }
    Ok(())
}

/// A network of edges (from, to, weight).
pub fn network(
    vertices: u64,
    direction: Direction,
    edges: impl IntoIterator<Item = (u32, u32, u32)>,
) -> Result<Network> {
    let mut list = EdgeList::weighted();
    edges.into_iter().for_each(|(from, to, weight)| list.push(from, to, weight));
    Ok(Network::new(vertices, direction, &list)?)
}

/// A network of random edges, with duplicates and self-loops.
pub fn random_network(rng: &mut Rng, max_vertices: u64) -> Result<Network> {
    let vertices = 1 + rng.below(max_vertices);
    let count = rng.below(4 * vertices + 1);
    let max_weight = [0, 1, 10, 1000, 1 << 24][rng.below(5) as usize];
    let direction = [Direction::Directed, Direction::Undirected][rng.below(2) as usize];
    let edges = (0..count).map(|_| {
        let [from, to] = [rng.below(vertices), rng.below(vertices)].map(|vertex| vertex as u32);
        (from, to, rng.below(max_weight + 1) as u32)
    });
    network(vertices, direction, edges)
}

fn random_networks_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let mut rng = Rng::new(2024);
    for case in 0..if gpu.full { 200 } else { 12 } {
        let network = random_network(&mut rng, 400)?;
        let source = rng.below(network.vertices().into()) as u32;
        let delta = [None, Some(1.0), Some(37.0), Some(1e7)][rng.below(4) as usize];
        for method in METHODS.into_iter().filter(|_| gpu.mine()) {
            let options = Options { delta, ..options(method) };
            check(gpu, &network, &options, &[source]).with_context(|| format!("case {case}"))?;
        }
    }
    Ok(())
}

fn path_and_star_networks_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let path = network(301, Direction::Directed, (0..300).map(|v| (v, v + 1, v % 7)))?;
    every_method(gpu, &path, &[0, 150, 300])?;
    let star = network(500, Direction::Undirected, (1..500).map(|v| (0, v, v)))?;
    every_method(gpu, &star, &[0, 499])?;
    // Two components with isolated vertices, and a network of a single vertex.
    let parts = (0..40).map(|v| (v, (v + 1) % 41, 3)).chain((50..90).map(|v| (v, v + 1, 4)));
    every_method(gpu, &network(100, Direction::Undirected, parts)?, &[0, 60, 99])?;
    every_method(gpu, &network(1, Direction::Directed, [])?, &[0])
}

fn zero_weights_and_parallel_edges_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let edges = (0..60u32).flat_map(|v| {
        let (next, far) = ((v + 1) % 60, (v * 7) % 60);
        let far = (v, far, u32::from(v.is_multiple_of(3)));
        [(v, next, 0), (v, next, 5), (v, v, 0), far, (v, 60 + v, 2)]
    });
    every_method(gpu, &network(130, Direction::Directed, edges)?, &[0, 59, 61])
}

/// One vertex has very many neighbours, each of which has few arcs.
fn vertex_with_many_neighbours_matches_the_cpu(gpu: &Gpu) -> Result<()> {
    let spokes = if gpu.full { 1_000_000 } else { 100_000 };
    let edges = (1..=spokes).flat_map(|v: u32| {
        let to_neighbour = v.is_multiple_of(1000).then_some((v, v - 1, 1));
        [(0, v, v % 1000)].into_iter().chain(to_neighbour)
    });
    let network = network(u64::from(spokes) + 1, Direction::Undirected, edges)?;
    for method in [Method::NearFar, Method::Multisplit] {
        let found = check(gpu, &network, &options(method), &[spokes / 2])?;
        ensure!(found[0].statistics.relaxations >= network.arcs().len() as u64);
    }
    Ok(())
}

fn float_weights_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let mut rng = Rng::new(5);
    for scale in gpu.cases([1e-30f32, 1.0, 1e30]) {
        let mut edges = EdgeList::weighted_f32();
        for _ in 0..1500 {
            let weight = (rng.below(1 << 24) as f32 / (1 << 24) as f32) * scale;
            edges.push_f32(rng.below(400) as u32, rng.below(400) as u32, weight);
        }
        edges.push_f32(3, 4, 0.0);
        let network = Network::new(400, Direction::Undirected, &edges)?;
        for method in sampled(gpu) {
            check(gpu, &network, &options(*method), &[0, 399])?;
        }
    }
    Ok(())
}

/// Searches a network of the size of soc-Slashdot0902, and a grid that resembles a road network.
fn generated_networks_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let rmat = Rmat::of_size(82_168, 504_230).generate(Weighting::Own)?;
    let grid = Grid::of_size(10_000).generate(Weighting::Own)?;
    if gpu.full {
        for method in METHODS.into_iter().filter(|_| gpu.mine()) {
            check(gpu, &rmat, &options(method), &[0, 70_818])?;
            check(gpu, &grid, &options(method), &[0, 7777])?;
        }
    }
    let cases = [
        (&rmat, Method::Multisplit, 0),
        (&grid, Method::NearFar, 7777),
        (&grid, Method::Multisplit, 7777),
    ];
    for (network, method, source) in cases.into_iter().filter(|_| gpu.mine()) {
        check(gpu, network, &options(method), &[source])?;
    }
    Ok(())
}

/// The device's tuning, with a single resident workgroup if it has none, as on software drivers.
fn residents(gpu: &Gpu) -> Tuning {
    let mut tuning = tuning(gpu);
    if tuning.residents.groups == 0 {
        tuning.residents = Residents { groups: 1, threads: tuning.threads };
    }
    tuning
}

fn tuning(gpu: &Gpu) -> Tuning {
    Tuning::for_device(gpu.properties())
}

/// Options for a single dispatch of resident workgroups with this tuning.
fn resident(method: Method, tuning: Tuning) -> Options {
    Options { resident: Some(true), tuning: Some(tuning), ..options(method) }
}

fn resident_workgroups_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let tuning = residents(gpu);
    let mut rng = Rng::new(77);
    let grid = Grid::of_size(2000).generate(Weighting::Own)?;
    let rmat = Rmat::of_size(1000, 4000).generate(Weighting::Own)?;
    for method in [Method::NearFar, Method::Multisplit] {
        let options = resident(method, tuning);
        for network in [&grid, &rmat].into_iter().filter(|_| gpu.mine()) {
            for found in check(gpu, network, &options, &[0, 999])? {
                ensure!(!found.statistics.gave_up_residents, "resident workgroups timed out");
            }
        }
        for _ in 0..if gpu.full { 50 } else { 1 } {
            let network = random_network(&mut rng, 300)?;
            check(gpu, &network, &options, &[0])?;
        }
    }
    Ok(())
}

/// A software driver runs the two workgroups on two threads. If they do not run concurrently, they
/// time out, and the distances must still be correct.
fn two_resident_workgroups_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let mut tuning = residents(gpu);
    tuning.residents.groups = tuning.residents.groups.max(2);
    if gpu.is_software() {
        // Software drivers end loops after 65,535 iterations in total.
        (tuning.spin_limit, tuning.resident_rounds) = (30_000, 2);
    }
    let network = Rmat::of_size(60, 150).generate(Weighting::Own)?;
    let options = resident(Method::Multisplit, tuning);
    check(gpu, &network, &options, &[0, 5, 59]).map(|_| ())
}

/// If the workgroups do not all run concurrently, the search falls back to separate dispatches.
fn resident_workgroups_that_time_out_fall_back_to_dispatches(gpu: &Gpu) -> Result<()> {
    let mut tuning = residents(gpu);
    // More workgroups than any device runs concurrently, and a short timeout.
    tuning.residents.groups = 1 << 15;
    tuning.spin_limit = 4;
    let network = Rmat::of_size(300, 900).generate(Weighting::Own)?;
    let options = resident(Method::NearFar, tuning);
    for found in check(gpu, &network, &options, &[0, 5])? {
        ensure!(found.statistics.gave_up_residents, "resident workgroups did not time out");
    }
    Ok(())
}

/// A vertex that does not fit in a queue is found again by a later scan over all vertices.
fn overflowing_queues_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let mut tuning = tuning(gpu);
    tuning.queue_percent = 100;
    tuning.piece = 8;
    tuning.hub_degree = 16;
    let network = Rmat::of_size(1100, 20_000).generate(Weighting::Own)?;
    let mut dense = 0;
    for method in gpu.cases(METHODS) {
        let options = Options { tuning: Some(tuning), ..options(method) };
        for found in check(gpu, &network, &options, &[3])? {
            dense += found.statistics.dense_rounds;
        }
    }
    ensure!(dense > 0, "no queue overflowed");
    // Queues with fewer entries than there are vertices.
    (tuning.queue_percent, tuning.min_queue_entries) = (0, 300);
    let network = Rmat::of_size(3000, 12_000).generate(Weighting::Own)?;
    for method in [Method::NearFar, Method::Multisplit] {
        let options = Options { tuning: Some(tuning), ..options(method) };
        for found in check(gpu, &network, &options, &[1])? {
            let statistics = found.statistics;
            ensure!(statistics.dense_rounds > 0, "no queue overflowed: {statistics:?}");
        }
    }
    Ok(())
}

fn searches_without_local_hops_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let mut tuning = tuning(gpu);
    tuning.local_hops = 0;
    tuning.max_groups = 3;
    let network = Grid::of_size(1500).generate(Weighting::Own)?;
    let options = Options { tuning: Some(tuning), ..options(Method::Multisplit) };
    check(gpu, &network, &options, &[0]).map(|_| ())
}

/// Cases vary the sizes up to which buckets are merged, and the minimum degree of vertices whose
/// arcs are relaxed by a whole workgroup or by all workgroups.
fn small_buckets_and_high_degree_vertices_match_the_cpu(gpu: &Gpu) -> Result<()> {
    let network = Rmat::of_size(3000, 30_000).generate(Weighting::Own)?;
    let cases = [
        (0, u32::MAX, u32::MAX, u32::MAX),
        (10, 1, 200, u32::MAX),
        (10, 1, 200, 0),
        (300, 20, 40, 0),
        (u32::MAX / 2, 100, 4096, 0),
    ];
    for (merge_entries, wide_degree, hub_degree, spread_degree) in
        cases.into_iter().filter(|_| gpu.mine())
    {
        let mut tuning = tuning(gpu);
        tuning.spread_degree = spread_degree;
        tuning.spread_degree_even = spread_degree;
        tuning.merge_entries = merge_entries;
        tuning.tail_entries = merge_entries / 2;
        tuning.wide_degree = wide_degree;
        tuning.hub_degree = hub_degree;
        // A valid tuning has `piece` <= `hub_degree`.
        tuning.piece = tuning.piece.min(hub_degree);
        for delta in [5.0, 60.0] {
            let method = Method::Multisplit;
            let (delta, tuning) = (Some(delta), Some(tuning));
            let options = Options { delta, tuning, ..options(method) };
            check(gpu, &network, &options, &[0, 17]).with_context(|| {
                format!("merge_entries {merge_entries}, wide_degree {wide_degree}, spread_degree {spread_degree}")
            })?;
        }
    }
    Ok(())
}
