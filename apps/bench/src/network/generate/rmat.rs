//! R-MAT: few vertices with very many neighbours, many with few, and short ways between them.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::thread;

use multisplit_sssp::network::{Network, NetworkError, mix64};

use super::{check_memory, key, network, random};
use crate::network::{InputError, Weighting};

/// An undirected R-MAT network, in the manner of GTgraph without its noise on parameters.
///
/// With steps n/2, n/4, ... down to 1 (each halved and cut off), candidate edge e begins at
/// (0, 0); at step l, x is the upper half of `random(seed, 32 e + l)`: below a nothing is added,
/// below a + b the step is added to the second end, below a + b + c to the first, else to both.
/// Candidates are taken in order; those that join a vertex to itself or occurred before are
/// dropped, until there are enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rmat {
    /// How many vertices.
    pub vertices: u32,
    /// How many edges.
    pub edges: u32,
    /// a, b and c in thousandths; d is the rest.
    pub parts: [u32; 3],
    /// Another seed gives another network.
    pub seed: u64,
}

impl Default for Rmat {
    /// The paper's: 0.8 M vertices, 4.8 M edges, (0.5, 0.1, 0.1, 0.3).
    fn default() -> Self {
        Self { vertices: 800_000, edges: 4_800_000, parts: [500, 100, 100], seed: 1 }
    }
}

/// Candidates drawn at a time by one thread.
const BLOCK: u64 = 1 << 18;
/// Candidates for each edge after which the rest of the edges is not worth waiting for.
const PATIENCE: u64 = 64;

impl Rmat {
    /// A network of this size with the paper's parameters.
    pub fn of_size(vertices: u32, edges: u32) -> Self {
        Self { vertices, edges, ..Self::default() }
    }

    /// Makes the network.
    pub fn generate(&self, weighting: Weighting) -> Result<Network, InputError> {
        let problem = |problem| InputError::Generator { problem };
        if self.vertices == 0 {
            return Err(NetworkError::Empty.into());
        }
        if self.parts.iter().map(|&part| u64::from(part)).sum::<u64>() > 1000 {
            return Err(problem("the parts of R-MAT are more than a whole"));
        }
        let pairs = u64::from(self.vertices) * u64::from(self.vertices - 1) / 2;
        if u64::from(self.edges) > pairs {
            return Err(problem("more edges than pairs of vertices"));
        }
        check_memory(self.vertices, self.edges)?;
        let max = PATIENCE * u64::from(self.edges) + (BLOCK << 4);
        let mut seen = Seen::default();
        let mut keys = Vec::with_capacity(self.edges as usize);
        let mut first = 0;
        while keys.len() < self.edges as usize {
            if first > max {
                return Err(problem("R-MAT finds no more edges that differ; ask for fewer"));
            }
            let threads = thread::available_parallelism().map_or(1, |n| n.get() as u64);
            for candidate in self.candidates(first, threads).into_iter().flatten() {
                if keys.len() < self.edges as usize && seen.insert(candidate) {
                    keys.push(candidate);
                }
            }
            first += threads * BLOCK;
        }
        network(self.vertices, keys, weighting)
    }

    /// The next candidates that join two vertices, in order, one block per thread.
    fn candidates(&self, first: u64, blocks: u64) -> Vec<Vec<u64>> {
        thread::scope(|scope| {
            let block = |b: u64| scope.spawn(move || self.block(first + b * BLOCK));
            let running: Vec<_> = (0..blocks).map(block).collect();
            running.into_iter().map(|thread| thread.join().unwrap_or_default()).collect()
        })
    }

    fn block(&self, first: u64) -> Vec<u64> {
        let share = |part: u32| (u64::from(part) << 32) / 1000;
        let below_a = share(self.parts[0]);
        let below_b = below_a + share(self.parts[1]);
        let below_c = below_b + share(self.parts[2]);
        let candidate = |e: u64| {
            let (mut u, mut v) = (0, 0);
            let (mut step, mut level) = (self.vertices / 2, 0);
            while step >= 1 {
                let x = random(self.seed, e.wrapping_mul(32) + level) >> 32;
                u += if x >= below_b { step } else { 0 };
                v += if (below_a..below_b).contains(&x) || x >= below_c { step } else { 0 };
                (step, level) = (step / 2, level + 1);
            }
            (u != v).then(|| key(u, v))
        };
        (first..first + BLOCK).filter_map(candidate).collect()
    }
}

type Seen = HashSet<u64, BuildHasherDefault<Scatter>>;

/// Keys are random enough: one multiplication spreads them.
#[derive(Default)]
struct Scatter(u64);

impl Hasher for Scatter {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64((self.0 << 8) ^ u64::from(byte)));
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = mix64(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_what_was_asked_for_and_hubs() {
        let network = Rmat::of_size(1000, 5000).generate(Weighting::Own).expect("a network");
        assert_eq!(
            (network.vertices(), network.edges(), network.arcs().len()),
            (1000, 5000, 10_000)
        );
        assert!(network.max_degree() > 40, "{}", network.max_degree());
        assert!((400.0..600.0).contains(&network.mean_weight()));
        let again = Rmat::of_size(1000, 5000).generate(Weighting::Own).expect("a network");
        assert_eq!(network, again);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let refused = |rmat: Rmat| {
            matches!(rmat.generate(Weighting::Ones), Err(InputError::Generator { .. }))
        };
        assert!(refused(Rmat::of_size(3, 4)));
        assert!(refused(Rmat { parts: [500, 500, 1], ..Rmat::default() }));
        // Corners that are never drawn.
        assert!(refused(Rmat { parts: [1000, 0, 0], ..Rmat::of_size(64, 100) }));
    }
}
