//! Generates road-like networks: junctions on a lattice, connected by chains of short segments. They have
//! hardly more edges than vertices, and very long paths.

use multisplit_sssp::network::{Network, NetworkError};

use super::{check_memory, key, network, random};
use crate::network::error::Result;
use crate::network::{InputError, Weighting};

/// A road-like network.
///
/// It consists of a random spanning tree of a lattice (Kruskal's algorithm on edges in hashed order), and enough
/// other lattice edges for the requested size. Each of these edges becomes a chain of segments. The segment counts
/// have a geometric distribution; they are then changed by one, in hashed order, until their total is the requested
/// edge count. Vertices are numbered junction by junction; each junction is followed by the inner vertices of the
/// chains that begin there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Junctions per row.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
    /// Number of vertices.
    pub vertices: u32,
    /// Number of edges; at least `vertices - 1`.
    pub edges: u32,
    /// Seed of the generator.
    pub seed: u64,
}

impl Default for Grid {
    /// The size of belgium_osm, one of the graphs of the GPU Multisplit paper.
    fn default() -> Self {
        Self { width: 425, height: 426, vertices: 1_441_295, edges: 1_549_970, seed: 7 }
    }
}

/// An edge of the lattice: from a junction to its right or lower neighbour.
type LatticeEdge = (u32, u32);

impl Grid {
    /// A network of `vertices` vertices (at least 4) with the proportions of the default network.
    pub fn of_size(vertices: u32) -> Self {
        let whole = Self::default();
        let share = f64::from(vertices) / f64::from(whole.vertices);
        // Rounded down, so that there are no more junctions than vertices.
        let side = ((f64::from(whole.width) * share.sqrt()) as u32).max(2);
        let extra = (f64::from(whole.edges - whole.vertices) * share) as u32;
        // The lattice has 2 side (side - 1) edges; side^2 - 1 of them belong to the tree.
        let extra = extra.min(side.saturating_mul(side) - 2 * side);
        let edges = vertices.saturating_add(extra);
        Self { width: side, height: side, vertices, edges, ..whole }
    }

    /// Generates the network.
    pub fn generate(&self, weighting: Weighting) -> Result<Network> {
        let problem = |problem| InputError::Generator { problem };
        let junctions = u64::from(self.width) * u64::from(self.height);
        if junctions == 0 {
            return Err(NetworkError::Empty.into());
        }
        if junctions > u64::from(self.vertices) {
            return Err(problem(
                "there are fewer vertices than lattice junctions; a grid needs at least 4 vertices",
            ));
        }
        check_memory(self.vertices, self.edges)?;
        let lattice = self.lattice();
        // The number of chains minus the number of junctions equals the number of edges minus the
        // number of vertices.
        let chains = (junctions + u64::from(self.edges)).checked_sub(self.vertices.into());
        let chains = chains.filter(|&chains| chains + 1 >= junctions);
        let chains =
            chains.ok_or_else(|| problem("there are too few edges to connect all vertices"))?;
        if chains > lattice.len() as u64 || chains > u64::from(self.edges) {
            return Err(problem(
                "a grid of this size cannot have so many edges; use fewer edges or more vertices",
            ));
        }
        let picked = self.pick(&lattice, junctions as usize, chains as usize);
        let segments = self.segments(picked.len());
        network(self.vertices, self.number(&picked, &segments), weighting)
    }

    /// All lattice edges: first the horizontal ones, then the vertical ones.
    fn lattice(&self) -> Vec<LatticeEdge> {
        let junctions = 0..self.width * self.height;
        let right = junctions.clone().filter(|j| j % self.width < self.width - 1);
        let down = junctions.filter(|j| j / self.width < self.height - 1);
        right.map(|j| (j, j + 1)).chain(down.map(|j| (j, j + self.width))).collect()
    }

    /// Picks `chains` lattice edges: first those of a spanning tree, then other edges in hashed order. Returns them
    /// in lattice order.
    fn pick(&self, lattice: &[LatticeEdge], junctions: usize, chains: usize) -> Vec<LatticeEdge> {
        let mut joined: Vec<u32> = (0..junctions as u32).collect();
        let mut find = |mut p: u32, root: Option<u32>| {
            while joined[p as usize] != p {
                joined[p as usize] = joined[joined[p as usize] as usize];
                p = joined[p as usize];
            }
            if let Some(root) = root {
                joined[p as usize] = root;
            }
            p
        };
        let (mut picked, mut rest) = (Vec::with_capacity(chains), Vec::new());
        for edge in in_hashed_order(self.seed, lattice.len()) {
            let (a, b) = lattice[edge as usize];
            let (a, b) = (find(a, None), find(b, None));
            if a == b {
                rest.push(edge);
            } else {
                find(a, Some(b));
                picked.push(edge);
            }
        }
        rest.truncate(chains - picked.len());
        picked.extend(rest);
        picked.sort_unstable();
        picked.into_iter().map(|edge| lattice[edge as usize]).collect()
    }

    /// Number of segments of each chain: at least one, `self.edges` in total.
    fn segments(&self, chains: usize) -> Vec<u32> {
        let share = chains as f64 / f64::from(self.edges);
        let geometric = |chain: u64| {
            let bits = random(self.seed + 1, chain) >> 11;
            let uniform = (bits as f64 + 0.5) / 2f64.powi(53);
            1 + (uniform.ln() / (-share).ln_1p()).floor() as i64
        };
        let mut segments: Vec<i64> = (0..chains as u64).map(geometric).collect();
        let order = in_hashed_order(self.seed + 2, chains);
        let mut missing = i64::from(self.edges) - segments.iter().sum::<i64>();
        let mut turns = order.iter().cycle();
        while missing != 0
            && let Some(&chain) = turns.next()
        {
            let length = &mut segments[chain as usize];
            if missing > 0 {
                *length += 1;
                missing -= 1;
            } else if *length > 1 {
                *length -= 1;
                missing += 1;
            }
        }
        segments.into_iter().map(|count| count as u32).collect()
    }

    /// Numbers the vertices and returns the edges between them.
    fn number(&self, chains: &[LatticeEdge], segments: &[u32]) -> Vec<u64> {
        let junctions = (self.width * self.height) as usize;
        let mut first = vec![0u32; junctions + 1];
        for (&(a, _), &count) in chains.iter().zip(segments) {
            first[a as usize + 1] += count - 1;
        }
        for junction in 1..=junctions {
            first[junction] += first[junction - 1] + 1;
        }
        // First inner vertex of the next chain from each junction.
        let mut next: Vec<u32> = first.iter().map(|&vertex| vertex + 1).collect();
        let mut keys = Vec::with_capacity(self.edges as usize);
        for (&(a, b), &count) in chains.iter().zip(segments) {
            let inner = next[a as usize];
            next[a as usize] += count - 1;
            let mut at = first[a as usize];
            for vertex in (inner..inner + count - 1).chain([first[b as usize]]) {
                keys.push(key(at, vertex));
                at = vertex;
            }
        }
        keys
    }
}

/// The numbers below `count`, ordered by their hash.
fn in_hashed_order(seed: u64, count: usize) -> Vec<u32> {
    let mut order: Vec<(u64, u32)> =
        (0..count as u32).map(|k| (random(seed, k.into()), k)).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, k)| k).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::dijkstra;

    #[test]
    fn grids_have_the_requested_size_and_are_connected() {
        for vertices in [4, 100, 5000] {
            let grid = Grid::of_size(vertices);
            let network = grid.generate(Weighting::Own).expect("the network is valid");
            assert_eq!((network.vertices(), network.edges()), (grid.vertices, grid.edges.into()));
            let paths = dijkstra(&network, 0).expect("the search succeeds");
            assert_eq!(paths.reached(), u64::from(network.vertices()));
        }
    }

    #[test]
    fn invalid_parameters_are_rejected() {
        let refused = |grid: Grid| {
            matches!(grid.generate(Weighting::Ones), Err(InputError::Generator { .. }))
        };
        assert!(refused(Grid { edges: 90, ..Grid::of_size(100) }));
        assert!(refused(Grid { edges: 1000, ..Grid::of_size(100) }));
        assert!(refused(Grid { vertices: 3, edges: 3, ..Grid::of_size(4) }));
    }
}
