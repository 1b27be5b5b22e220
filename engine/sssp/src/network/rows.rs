//! Networks in compressed sparse row format: the arcs that leave each vertex.

use super::edges::{EdgeList, EdgeWeights};
use super::error::NetworkError;

/// Whether edges are directed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Each edge is one arc, from its first to its second vertex.
    Directed,
    /// Each edge is two arcs with the same weight, one in each direction.
    Undirected,
}

/// Type of the weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WeightKind {
    /// Integers.
    U32,
    /// Floats; finite and not negative.
    F32,
}

/// A directed connection from one vertex to another. Has the same layout on the device.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Arc {
    /// Vertex that the arc leads to.
    pub target: u32,
    /// Weight of the arc, as bits if weights are floats.
    pub weight: u32,
}

/// A network: vertices and the arcs that leave them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    rows: Vec<u32>,
    arcs: Vec<Arc>,
    kind: WeightKind,
    edges: u64,
}

/// Maximum number of vertices, and maximum number of arcs. Leaves room for the queue counters on
/// the device, which have 32 bits.
const MAX_COUNT: u64 = (1 << 30) - 1;

impl Network {
    /// Creates a network with `vertices` vertices. Duplicate edges and self-loops are kept; an
    /// undirected self-loop becomes a single arc. Subnormal weights are replaced by zero, because
    /// not every device supports them.
    pub fn new(
        vertices: u64,
        direction: Direction,
        edges: &EdgeList,
    ) -> Result<Self, NetworkError> {
        if vertices == 0 {
            return Err(NetworkError::Empty);
        }
        let both = direction == Direction::Undirected;
        check_max("vertices", vertices)?;
        check_max("arcs", (edges.len() as u64) << u32::from(both))?;
        let (weights, kind) = bits(edges)?;
        let ends = || edges.from.iter().copied().zip(edges.to.iter().copied());
        if let Some((edge, (from, to))) =
            ends().enumerate().find(|(_, (from, to))| u64::from(*from.max(to)) >= vertices)
        {
            return Err(NetworkError::EdgeOutOfRange { edge: edge as u64, from, to, vertices });
        }
        let mut rows = vec![0u32; vertices as usize + 1];
        for (from, to) in ends() {
            rows[from as usize + 1] += 1;
            if both && from != to {
                rows[to as usize + 1] += 1;
            }
        }
        for vertex in 1..rows.len() {
            rows[vertex] += rows[vertex - 1];
        }
        let count = rows.last().copied().unwrap_or(0) as usize;
        let mut arcs = vec![Arc { target: 0, weight: 0 }; count];
        let mut next = rows.clone();
        let mut put = |from: u32, to: u32, weight: u32| {
            let at = &mut next[from as usize];
            arcs[*at as usize] = Arc { target: to, weight };
            *at += 1;
        };
        for (edge, (from, to)) in ends().enumerate() {
            let weight = weights.as_ref().map_or(1, |all| all[edge]);
            put(from, to, weight);
            if both && from != to {
                put(to, from, weight);
            }
        }
        Ok(Self { rows, arcs, kind, edges: edges.len() as u64 })
    }

    /// Number of vertices; at least one.
    pub fn vertices(&self) -> u32 {
        (self.rows.len() - 1) as u32
    }

    /// Number of edges in the list that the network was built from. An undirected edge counts once.
    pub fn edges(&self) -> u64 {
        self.edges
    }

    /// Row offsets: the index of the first arc of each vertex, followed by the number of arcs.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// All arcs, ordered by the vertex that they leave.
    pub fn arcs(&self) -> &[Arc] {
        &self.arcs
    }

    /// Arcs that leave a vertex. Empty if the vertex does not exist.
    pub fn arcs_of(&self, vertex: u32) -> &[Arc] {
        let at = vertex as usize;
        match (self.rows.get(at), self.rows.get(at + 1)) {
            (Some(&begin), Some(&end)) => &self.arcs[begin as usize..end as usize],
            _ => &[],
        }
    }

    /// Type of the weights and distances.
    pub fn kind(&self) -> WeightKind {
        self.kind
    }

    /// Mean weight of an arc.
    pub fn mean_weight(&self) -> f64 {
        let weight = |arc: &Arc| match self.kind {
            WeightKind::U32 => f64::from(arc.weight),
            WeightKind::F32 => f64::from(f32::from_bits(arc.weight)),
        };
        self.arcs.iter().map(weight).sum::<f64>() / self.arcs.len().max(1) as f64
    }

    /// Mean number of arcs that leave a vertex.
    pub fn mean_degree(&self) -> f64 {
        self.arcs.len() as f64 / f64::from(self.vertices())
    }

    /// Maximum number of arcs that leave a vertex.
    pub fn max_degree(&self) -> u32 {
        self.rows.windows(2).map(|row| row[1] - row[0]).max().unwrap_or(0)
    }
}

fn check_max(what: &'static str, asked: u64) -> Result<(), NetworkError> {
    if asked <= MAX_COUNT {
        return Ok(());
    }
    Err(NetworkError::TooLarge { what, asked, limit: MAX_COUNT })
}

/// Weights as bits. `None` if all weights are 1.
fn bits(edges: &EdgeList) -> Result<(Option<Vec<u32>>, WeightKind), NetworkError> {
    let (from, to) = (edges.from.len() as u64, edges.to.len() as u64);
    if from != to {
        return Err(NetworkError::EndCount { from, to });
    }
    let weights = match &edges.weights {
        EdgeWeights::Ones => edges.len(),
        EdgeWeights::U32(weights) => weights.len(),
        EdgeWeights::F32(weights) => weights.len(),
    };
    if weights != edges.len() {
        let (edges, weights) = (edges.len() as u64, weights as u64);
        return Err(NetworkError::WeightCount { edges, weights });
    }
    match &edges.weights {
        EdgeWeights::Ones => Ok((None, WeightKind::U32)),
        EdgeWeights::U32(weights) => Ok((Some(weights.clone()), WeightKind::U32)),
        EdgeWeights::F32(weights) => {
            if let Some(edge) = weights.iter().position(|w| !w.is_finite() || *w < 0.0) {
                let weight = weights[edge].into();
                return Err(NetworkError::Weight { edge: edge as u64, weight });
            }
            // This also replaces -0.0 by zero, so that weights have the same order as their bits.
            let bits = |&w: &f32| if w < f32::MIN_POSITIVE { 0 } else { w.to_bits() };
            Ok((Some(weights.iter().map(bits).collect()), WeightKind::F32))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_contain_every_arc_once() {
        let mut edges = EdgeList::weighted();
        for (from, to, weight) in [(0, 1, 5), (1, 0, 7), (2, 2, 1), (0, 1, 5)] {
            edges.push(from, to, weight);
        }
        let network = Network::new(4, Direction::Undirected, &edges).expect("the network is valid");
        assert_eq!((network.vertices(), network.edges(), network.arcs().len()), (4, 4, 7));
        let targets = |v| network.arcs_of(v).iter().map(|arc| arc.target).collect::<Vec<_>>();
        assert_eq!(targets(0), [1, 1, 1]);
        assert_eq!((targets(2), targets(3), targets(9)), (vec![2], vec![], vec![]));
        let network = Network::new(4, Direction::Directed, &edges).expect("the network is valid");
        assert_eq!(network.rows(), [0, 2, 3, 4, 4]);
        assert_eq!(network.max_degree(), 2);
    }

    #[test]
    fn invalid_networks_are_rejected() {
        let mut edges = EdgeList::unweighted();
        let empty = Network::new(0, Direction::Directed, &edges);
        assert!(matches!(empty, Err(NetworkError::Empty)));
        edges.push(0, 3, 0);
        let outside = Network::new(3, Direction::Directed, &edges);
        assert!(matches!(outside, Err(NetworkError::EdgeOutOfRange { edge: 0, to: 3, .. })));
        for weight in [f32::NAN, -1.0, f32::INFINITY] {
            let mut edges = EdgeList::weighted_f32();
            edges.push_f32(0, 1, 1.0);
            edges.push_f32(0, 1, weight);
            let refused = Network::new(3, Direction::Directed, &edges);
            assert!(matches!(refused, Err(NetworkError::Weight { edge: 1, .. })));
        }
        let mut edges = EdgeList::weighted();
        edges.from.push(0);
        edges.to.push(0);
        let refused = Network::new(1, Direction::Directed, &edges);
        assert!(matches!(refused, Err(NetworkError::WeightCount { edges: 1, weights: 0 })));
        edges.weights = EdgeWeights::Ones;
        edges.from.push(0);
        let refused = Network::new(1, Direction::Directed, &edges);
        assert!(matches!(refused, Err(NetworkError::EndCount { from: 2, to: 1 })));
        let refused = Network::new(1 << 30, Direction::Directed, &EdgeList::weighted());
        assert!(matches!(refused, Err(NetworkError::TooLarge { .. })));
    }
}
