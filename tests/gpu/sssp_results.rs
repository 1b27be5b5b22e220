//! Shortest paths: the predecessor tree and the statistics, and rejected arguments.

use multisplit::graph::{Step, Work};
use multisplit_bench::network::{Grid, Rmat, Weighting};
use multisplit_sssp::network::{Direction, EdgeList, Network, NetworkError};
use multisplit_sssp::network::{ShortestPaths, UNREACHED, WeightKind};
use multisplit_sssp::{DeviceNetwork, Error, Method, Options, Solver};
use multisplit_tests::prelude::*;

use crate::sssp_methods::{METHODS, check, network, options, random_network};

tests!(sssp:
    predecessor_trees_of_random_networks_are_valid, predecessor_trees_with_zero_weights_are_valid,
    statistics_are_consistent, distance_overflow_is_reported,
    invalid_sources_and_options_are_rejected, far_vertices_are_split_every_eight_rounds,
    hundred_searches_do_not_leak, known_graphs_match_certified_results,
);

/// Checks that each reached vertex except the source has a predecessor with an arc of the correct
/// length, and that predecessors lead to the source.
fn expect_tree(network: &Network, paths: &ShortestPaths) -> Result<()> {
    let ShortestPaths { source, distances, predecessors, .. } = paths;
    let n = network.vertices();
    let mut leads_to_source = vec![false; n as usize];
    leads_to_source[*source as usize] = true;
    ensure!(predecessors[*source as usize] == UNREACHED, "the source has a predecessor");
    for vertex in 0..n {
        let mut chain = Vec::new();
        let mut at = vertex;
        while distances[at as usize] != UNREACHED && !leads_to_source[at as usize] {
            chain.push(at);
            ensure!(chain.len() <= n as usize, "the predecessors of vertex {vertex} form a cycle");
            let before = predecessors[at as usize];
            ensure!(before < n, "vertex {at} has no predecessor");
            let sum = |weight: u32| match network.kind() {
                WeightKind::U32 => distances[before as usize].checked_add(weight),
                WeightKind::F32 => {
                    let sum = f32::from_bits(distances[before as usize]) + f32::from_bits(weight);
                    Some(sum.to_bits())
                }
            };
            let arcs = network.arcs_of(before).iter().filter(|arc| arc.target == at);
            let tight = arcs.map(|arc| sum(arc.weight)).any(|s| s == Some(distances[at as usize]));
            ensure!(tight, "no arc from {before} to {at} is on a shortest path");
            at = before;
        }
        chain.iter().for_each(|&v| leads_to_source[v as usize] = true);
    }
    let unreached = |v: usize| distances[v] == UNREACHED;
    ensure!((0..n as usize).all(|v| !unreached(v) || predecessors[v] == UNREACHED));
    Ok(())
}

fn with_tree(method: Method) -> Options {
    Options { predecessors: true, ..options(method) }
}

fn predecessor_trees_of_random_networks_are_valid(gpu: &Gpu) -> Result<()> {
    let mut rng = Rng::new(31);
    for case in 0..if gpu.full { 60 } else { 5 } {
        let network = random_network(&mut rng, 300)?;
        let method = METHODS[case % METHODS.len()];
        for found in check(gpu, &network, &with_tree(method), &[0])? {
            expect_tree(&network, &found.paths).with_context(|| format!("case {case}"))?;
            for vertex in 0..network.vertices() {
                let path = found.paths.path_to(vertex);
                ensure!(path.is_some() == found.paths.distance(vertex).is_some());
                let ends = path.map_or((0, vertex), |path| (path[0], path[path.len() - 1]));
                expect_value("the pair of ends of the path", &ends, &(0, vertex))?;
            }
        }
    }
    Ok(())
}

/// The networks have cycles of arcs with zero weight, and a long path of arcs that act as such.
fn predecessor_trees_with_zero_weights_are_valid(gpu: &Gpu) -> Result<()> {
    let edges = (0..200).flat_map(|v| {
        let next = (v + 1) % 200;
        [(v, next, 0), (v, (v * 3) % 200, 0), (v, 200 + v, 1), (200 + v, 200 + next, 0)]
    });
    let cycles = network(410, Direction::Undirected, edges)?;
    let mut edges = EdgeList::weighted_f32();
    // In f32, adding 1e-9 to a distance of 1 does not change it, so such arcs act as zero weights.
    (0..500).for_each(|v| edges.push_f32(v, v + 1, if v == 0 { 1.0 } else { 1e-9 }));
    (0..500).for_each(|v| edges.push_f32(v + 1, v, 0.0));
    let way = Network::new(501, Direction::Directed, &edges)?;
    for network in [cycles, way] {
        for found in check(gpu, &network, &with_tree(Method::NearFar), &[0, 7])? {
            expect_tree(&network, &found.paths)?;
        }
    }
    Ok(())
}

fn statistics_are_consistent(gpu: &Gpu) -> Result<()> {
    let network = Grid::of_size(1500).generate(Weighting::Own)?;
    let on_device = DeviceNetwork::upload(gpu, &network)?;
    for method in METHODS {
        let mut solver = Solver::new(gpu, &on_device, &options(method))?;
        let found = solver.solve(0)?.statistics;
        let arcs = network.arcs().len() as u64;
        let are_equal = found.relaxations == arcs + found.rerelaxations;
        ensure!(are_equal, "the relaxations of {arcs} arcs do not add up: {found:?}");
        let are_enough = found.expansions >= network.vertices().into() && found.rounds > 1;
        ensure!(are_enough, "too few expansions or rounds: {found:?}");
        // Bellman-Ford never splits, and for the multisplit method one window of ten buckets covers
        // this whole network.
        let split = !matches!(method, Method::BellmanFord | Method::Multisplit);
        let what = format!("{method:?}, {found:?}: whether there are splits");
        expect_value(what, &(found.splits > 0), &split)?;
        let sizes = solver.round_sizes()?;
        expect_value("the length of the history", &sizes.len(), &(found.rounds as usize))?;
        expect_value("the number of entries in the first round", &sizes[0].entries, &1)?;
        ensure!(sizes.is_sorted_by_key(|size| size.threshold));
    }
    Ok(())
}

/// A plan for 9 rounds of a search covers 16, because the passes that split the set of far vertices
/// run once in eight rounds. Most passes are dispatched indirectly.
fn far_vertices_are_split_every_eight_rounds(gpu: &Gpu) -> Result<()> {
    let network = Grid::of_size(400).generate(Weighting::Own)?;
    let on_device = DeviceNetwork::upload(gpu, &network)?;
    for method in [Method::Bucketing, Method::MultisplitPasses] {
        let (policy, limits) = (gpu.policy(), gpu.limits());
        let plan = multisplit_sssp::plan(&network, &options(method), &policy, &limits, 9)?;
        let count = |label| plan.steps().iter().filter(|step| step.pass.label == label).count();
        let found = ["sssp.round", "sssp.filter", "sssp.take"].map(count);
        expect_value(format!("{method:?}: the list of pass counts"), &found, &[16, 2, 2])?;
        let indirect = |step: &&Step| matches!(step.pass.work, Work::DispatchIndirect { .. });
        let indirect = plan.steps().iter().filter(indirect).count();
        let are_most = 2 * indirect > plan.steps().len();
        ensure!(are_most, "{method:?}: only {indirect} passes are dispatched indirectly");
        let mut solver = Solver::new(gpu, &on_device, &options(method))?;
        ensure!(solver.time_runs(3, 2)?.len() == 2, "{method:?}: expected two times");
    }
    Ok(())
}

fn distance_overflow_is_reported(gpu: &Gpu) -> Result<()> {
    let solve = |network: &Network| {
        let on_device = DeviceNetwork::upload(gpu, network)?;
        Solver::new(gpu, &on_device, &options(Method::NearFar))?.solve(0)
    };
    let edges = [(0, 1, u32::MAX - 1), (1, 2, 1), (0, 2, 5)];
    let refused = solve(&network(4, Direction::Directed, edges.into_iter().take(2))?);
    expect_errors! { refused => Error::Network(NetworkError::DistanceOverflow { vertex: 2 }) }
    // A shorter path to the same vertex makes the overflow harmless.
    let found = solve(&network(4, Direction::Directed, edges)?)?;
    expect_equal(&found.paths.distances, &[0, u32::MAX - 1, 5, UNREACHED])?;

    let mut edges = EdgeList::weighted_f32();
    edges.push_f32(0, 1, f32::MAX);
    edges.push_f32(1, 2, f32::MAX);
    let refused = solve(&Network::new(3, Direction::Directed, &edges)?);
    expect_errors! { refused => Error::Network(NetworkError::DistanceOverflow { vertex: 2 }) }
    Ok(())
}

fn invalid_sources_and_options_are_rejected(gpu: &Gpu) -> Result<()> {
    let mut edges = EdgeList::unweighted();
    edges.push(0, 1, 0);
    let network = Network::new(2, Direction::Directed, &edges)?;
    let on_device = DeviceNetwork::upload(gpu, &network)?;
    let mut solver = Solver::new(gpu, &on_device, &options(Method::NearFar))?;
    let refused = solver.solve(2);
    let out_of_range = NetworkError::SourceOutOfRange { source_vertex: 2, vertices: 2 };
    ensure!(refused.is_err_and(|e| e.to_string() == out_of_range.to_string()));
    expect_equal(&solver.solve(0)?.paths.distances, &[0, 1])?;
    for wrong in [
        Options { buckets: 0, ..Options::default() },
        Options { buckets: 1000, ..Options::default() },
        Options { delta: Some(0.0), ..Options::default() },
        Options { delta: Some(f64::NAN), ..Options::default() },
    ] {
        ensure!(Solver::new(gpu, &on_device, &wrong).is_err(), "{wrong:?} was accepted");
    }
    let none = Options { buckets: 0, ..Options::default() };
    let refused = Solver::new(gpu, &on_device, &none).err().map(|error| error.to_string());
    let expected = "the number of buckets is 0; it must be at least 1";
    expect_value("the error", &refused.as_deref(), &Some(expected))
}

fn hundred_searches_do_not_leak(gpu: &Gpu) -> Result<()> {
    let network = Rmat::of_size(500, 2000).generate(Weighting::Own)?;
    let on_device = DeviceNetwork::upload(gpu, &network)?;
    let mut solver = Solver::new(gpu, &on_device, &options(Method::Multisplit))?;
    solver.solve(0)?;
    let (report, pipelines) = (gpu.memory_report(), gpu.pipeline_count());
    for source in 0..100 {
        let found = solver.solve(source)?;
        if source % 10 == 0 {
            expect_equal(&found.paths.distances, &shortest::distances_in(&network, source))?;
        }
    }
    ensure!(gpu.memory_report() == report, "device memory grew");
    ensure!(gpu.pipeline_count() == pipelines, "new pipelines were compiled");
    Ok(())
}

/// Environment variable: the folder with files of well-known graphs. Generated graphs need no
/// files.
const GRAPHS_VARIABLE: &str = "MULTISPLIT_GRAPHS";

/// Software drivers take many times as long with subgroups of at least this size.
const SLOW_SUBGROUP: u32 = 16;

/// A full run tests all available graphs with all known sources; a plain run takes its sample from
/// two small graphs and two methods, with one source each.
fn known_graphs_match_certified_results(gpu: &Gpu) -> Result<()> {
    let mut networks = vec![
        ("rmat_slashdot", Rmat::of_size(82_168, 504_230).generate(Weighting::Own)?),
        ("grid_30000", Grid::of_size(30_000).generate(Weighting::Own)?),
    ];
    if gpu.full {
        networks.extend(large_networks()?);
    }
    let slow = !gpu.full && gpu.properties().subgroup_size >= SLOW_SUBGROUP;
    for (graph, network) in networks {
        let on_device = DeviceNetwork::upload(gpu, &network)?;
        let methods = [Method::NearFar, Method::Multisplit];
        for method in methods.into_iter().filter(|_| gpu.mine()) {
            if slow && graph == "rmat_slashdot" && method == Method::Multisplit {
                continue;
            }
            let options = Options { method, ..Options::default() };
            let mut solver = Solver::new(gpu, &on_device, &options)?;
            let known: Vec<_> = shortest::KNOWN.iter().filter(|k| k.graph == graph).collect();
            ensure!(!known.is_empty(), "there are no known results for {graph}");
            for known in known.iter().take(if gpu.full { usize::MAX } else { 1 }) {
                let found = solver.solve(known.source)?.paths.summary();
                expect_value(format!("{graph} from {}", known.source), &found, &known.found)?;
            }
        }
    }
    Ok(())
}

fn large_networks() -> Result<Vec<(&'static str, Network)>> {
    let mut networks = vec![
        ("rmat", Rmat::default().generate(Weighting::Own)?),
        ("grid_belgium", Grid::default().generate(Weighting::Own)?),
    ];
    if let Ok(folder) = std::env::var(GRAPHS_VARIABLE) {
        for (graph, file) in shortest::FILES {
            let path = std::path::Path::new(&folder).join(file);
            // Report and skip missing files, since not every machine has the large ones.
            if path.exists() {
                let loaded = multisplit_bench::network::load(&path, &Default::default())?;
                networks.push((graph, loaded.network));
            } else {
                println!("skipped: {graph}, because {} does not exist", path.display());
            }
        }
    }
    Ok(networks)
}
