//! Dijkstra's algorithm: what the device is compared with, and a method of its own for a network
//! that is not worth a device.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use multisplit_sssp::network::{Network, NetworkError, ShortestPaths, UNREACHED, WeightKind};

/// Shortest paths from `source`, with predecessors, by Dijkstra's algorithm on the CPU.
pub fn dijkstra(network: &Network, source: u32) -> Result<ShortestPaths, NetworkError> {
    let vertices = network.vertices() as usize;
    if source >= network.vertices() {
        let (source_vertex, vertices) = (source.into(), network.vertices().into());
        return Err(NetworkError::SourceOutOfRange { source_vertex, vertices });
    }
    let mut distances = vec![UNREACHED; vertices];
    let mut predecessors = vec![UNREACHED; vertices];
    let mut overflowed = false;
    // Bits of floats that are not negative compare like the floats.
    let mut heap = BinaryHeap::from([Reverse((0u32, source))]);
    distances[source as usize] = 0;
    while let Some(Reverse((distance, vertex))) = heap.pop() {
        if distance > distances[vertex as usize] {
            continue;
        }
        for arc in network.arcs_of(vertex) {
            let Some(through) = sum(network.kind(), distance, arc.weight) else {
                overflowed = true;
                continue;
            };
            let held = &mut distances[arc.target as usize];
            if through < *held {
                *held = through;
                predecessors[arc.target as usize] = vertex;
                heap.push(Reverse((through, arc.target)));
            }
        }
    }
    if overflowed && let Some(vertex) = reached_too_late(network, &distances) {
        return Err(NetworkError::DistanceOverflow { vertex });
    }
    Ok(ShortestPaths { source, kind: network.kind(), distances, predecessors })
}

/// A distance and a weight, unless that is no distance any more.
fn sum(kind: WeightKind, distance: u32, weight: u32) -> Option<u32> {
    match kind {
        WeightKind::U32 => distance.checked_add(weight).filter(|&sum| sum != UNREACHED),
        WeightKind::F32 => {
            let sum = f32::from_bits(distance) + f32::from_bits(weight);
            sum.is_finite().then_some(sum.to_bits())
        }
    }
}

/// A vertex without a distance that an arc from one with a distance leads to: where some sums
/// were too large to follow, such a vertex is reached by no others.
fn reached_too_late(network: &Network, distances: &[u32]) -> Option<u32> {
    let reached = (0..network.vertices()).filter(|&v| distances[v as usize] != UNREACHED);
    let mut targets = reached.flat_map(|v| network.arcs_of(v)).map(|arc| arc.target);
    targets.find(|&target| distances[target as usize] == UNREACHED)
}

#[cfg(test)]
mod tests {
    use multisplit_sssp::network::{Direction, EdgeList};

    use super::*;

    #[test]
    fn sums_that_do_not_fit_are_noticed_where_they_matter() {
        let mut edges = EdgeList::weighted();
        edges.push(0, 1, u32::MAX - 1);
        edges.push(1, 2, 1);
        let network = Network::new(3, Direction::Directed, &edges).expect("a network");
        let refused = dijkstra(&network, 0);
        assert!(matches!(refused, Err(NetworkError::DistanceOverflow { vertex: 2 })));
        assert!(dijkstra(&network, 1).is_ok());
        // Another way there makes the one that is too long harmless.
        edges.push(0, 2, 9);
        let network = Network::new(3, Direction::Directed, &edges).expect("a network");
        let paths = dijkstra(&network, 0).expect("paths");
        assert_eq!(paths.distances, [0, u32::MAX - 1, 9]);
        let refused = dijkstra(&network, 3);
        assert!(matches!(refused, Err(NetworkError::SourceOutOfRange { source_vertex: 3, .. })));
    }
}
