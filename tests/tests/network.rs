//! Networks on the CPU: generated networks have the expected size, and Dijkstra's algorithm finds
//! the distances of known results.
#![allow(clippy::expect_used)]

use multisplit_bench::network::{Grid, Rmat, Weighting, dijkstra};
use multisplit_sssp::network::Network;
use multisplit_tests::extent::is_full;
use multisplit_tests::shortest::{KNOWN, distances_in};

/// Number of sources per graph in a plain run.
const SAMPLE: usize = 1;
const VALID: &str = "the generator makes a valid network";

fn expect_known_distances(graph: &str, network: &Network) {
    let all = KNOWN.iter().filter(|known| known.graph == graph);
    for known in all.take(if is_full() { usize::MAX } else { SAMPLE }) {
        let paths = dijkstra(network, known.source).expect("the search succeeds");
        assert_eq!(paths.summary(), known.found, "{graph} from {}", known.source);
    }
}

#[test]
fn default_rmat_has_the_known_distances() {
    let network = Rmat::default().generate(Weighting::Own).expect(VALID);
    assert_eq!((network.vertices(), network.edges()), (800_000, 4_800_000));
    expect_known_distances("rmat", &network);
}

#[test]
fn default_grid_has_the_known_distances() {
    let network = Grid::default().generate(Weighting::Own).expect(VALID);
    assert_eq!((network.vertices(), network.edges()), (1_441_295, 1_549_970));
    expect_known_distances("grid_belgium", &network);
}

#[test]
fn small_rmat_and_grid_have_the_known_distances() {
    let rmat = Rmat::of_size(82_168, 504_230).generate(Weighting::Own).expect(VALID);
    expect_known_distances("rmat_slashdot", &rmat);
    let grid = Grid::of_size(30_000).generate(Weighting::Own).expect(VALID);
    expect_known_distances("grid_30000", &grid);
}

#[test]
fn dijkstra_matches_the_reference_search() {
    for network in [
        Rmat::of_size(2000, 9000).generate(Weighting::Hashed(3)),
        Grid::of_size(3000).generate(Weighting::Own),
    ] {
        let network = network.expect(VALID);
        for source in [0, 17, 1999] {
            let paths = dijkstra(&network, source).expect("the search succeeds");
            assert_eq!(paths.distances, distances_in(&network, source));
        }
    }
}
