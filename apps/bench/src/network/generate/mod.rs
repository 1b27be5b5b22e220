//! Generated networks with the same edges on every machine.

mod grid;
mod rmat;

pub use grid::Grid;
pub use rmat::Rmat;

use multisplit_sssp::network::{Direction, EdgeList, EdgeWeights, Network};

use super::error::Result;
use super::weighting::Weighting;
use crate::data::SplitMix64;
use crate::host_memory;

/// Returns 64 random bits for counter `k`.
fn random(seed: u64, k: u64) -> u64 {
    SplitMix64::after(seed, k).draw()
}

/// Packs both ends of an undirected edge into one word, the smaller one into the upper half.
fn key(u: u32, v: u32) -> u64 {
    (u64::from(u.min(v)) << 32) | u64::from(u.max(v))
}

/// Checks that memory suffices to generate a network of this size: keys, edge list, duplicate detection, and
/// the network itself with arcs in both directions.
fn check_memory(vertices: u32, edges: u32) -> Result<()> {
    let bytes = 40 * u64::from(vertices) + 80 * u64::from(edges);
    let what = format!("a network of {vertices} vertices and {edges} edges");
    Ok(host_memory::check(&what, bytes)?)
}

/// Builds the weighted undirected network of these edges, in ascending order.
fn network(vertices: u32, mut keys: Vec<u64>, weighting: Weighting) -> Result<Network> {
    keys.sort_unstable();
    let mut edges = EdgeList {
        from: keys.iter().map(|key| (key >> 32) as u32).collect(),
        to: keys.iter().map(|&key| key as u32).collect(),
        weights: EdgeWeights::Ones,
    };
    weighting.apply(&mut edges);
    Ok(Network::new(vertices.into(), Direction::Undirected, &edges)?)
}
