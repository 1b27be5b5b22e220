//! Dijkstra's algorithm on the CPU: the reference for device results, and a method for small networks.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use multisplit_sssp::network::{Network, NetworkError, ShortestPaths, UNREACHED, WeightKind};

/// Shortest paths from `source`, with predecessors.
pub fn dijkstra(network: &Network, source: u32) -> Result<ShortestPaths, NetworkError> {
    let vertices = network.vertices() as usize;
    if source >= network.vertices() {
        let (source_vertex, vertices) = (source.into(), network.vertices().into());
        return Err(NetworkError::SourceOutOfRange { source_vertex, vertices });
    }
    let mut distances = vec![UNREACHED; vertices];
    let mut predecessors = vec![UNREACHED; vertices];
    let mut overflowed = false;
    // The bits of non-negative floats have the same order as the floats.
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
            let known = &mut distances[arc.target as usize];
            if through < *known {
                *known = through;
                predecessors[arc.target as usize] = vertex;
                heap.push(Reverse((through, arc.target)));
            }
        }
    }
    if overflowed && let Some(vertex) = find_overflowed_vertex(network, &distances) {
        return Err(NetworkError::DistanceOverflow { vertex });
    }
    Ok(ShortestPaths { source, kind: network.kind(), distances, predecessors })
}

/// Adds a weight to a distance. `None` if the sum is not a valid distance.
fn sum(kind: WeightKind, distance: u32, weight: u32) -> Option<u32> {
    match kind {
        WeightKind::U32 => distance.checked_add(weight).filter(|&sum| sum != UNREACHED),
        WeightKind::F32 => {
            let sum = f32::from_bits(distance) + f32::from_bits(weight);
            sum.is_finite().then_some(sum.to_bits())
        }
    }
}

/// Finds an unreached vertex with an arc from a reached vertex. Such a vertex exists only if its
/// distance overflows on every path.
fn find_overflowed_vertex(network: &Network, distances: &[u32]) -> Option<u32> {
    let reached = (0..network.vertices()).filter(|&v| distances[v as usize] != UNREACHED);
    let mut targets = reached.flat_map(|v| network.arcs_of(v)).map(|arc| arc.target);
    targets.find(|&target| distances[target as usize] == UNREACHED)
}

#[cfg(test)]
mod tests {
    use multisplit_sssp::network::{Direction, EdgeList};

    use super::*;

    #[test]
    fn overflow_is_reported_only_if_no_path_fits() {
        let mut edges = EdgeList::weighted();
        edges.push(0, 1, u32::MAX - 1);
        edges.push(1, 2, 1);
        let network = Network::new(3, Direction::Directed, &edges).expect("the network is valid");
        let refused = dijkstra(&network, 0);
        assert!(matches!(refused, Err(NetworkError::DistanceOverflow { vertex: 2 })));
        assert!(dijkstra(&network, 1).is_ok());
        // With another path whose distance fits, the overflow does not matter.
        edges.push(0, 2, 9);
        let network = Network::new(3, Direction::Directed, &edges).expect("the network is valid");
        let paths = dijkstra(&network, 0).expect("the search succeeds");
        assert_eq!(paths.distances, [0, u32::MAX - 1, 9]);
        let refused = dijkstra(&network, 3);
        assert!(matches!(refused, Err(NetworkError::SourceOutOfRange { source_vertex: 3, .. })));
    }
}
