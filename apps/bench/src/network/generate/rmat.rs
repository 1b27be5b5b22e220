//! Generates R-MAT networks: a few vertices have very many neighbours, most have few, and paths are short.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use multisplit_sssp::network::{Network, NetworkError, mix64};

use super::{check_memory, key, network, random};
use crate::data;
use crate::network::error::Result;
use crate::network::{InputError, Weighting};

/// An undirected R-MAT network like those of GTgraph, but without noise on the parameters.
///
/// The ends of candidate edge e start at (0, 0). For n vertices, steps of n/2, n/4, ... down to 1, rounded down, are
/// added to them. For step l, x is the upper half of `random(seed, 32 e + l)`, as a fraction of 2^32: if x is below
/// a, the step is not added; below a + b, it is added to the second end; below a + b + c, to the first; otherwise to
/// both. Candidates are taken in order until there are enough edges; loops and duplicates are skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rmat {
    /// Number of vertices.
    pub vertices: u32,
    /// Number of edges.
    pub edges: u32,
    /// The probabilities a, b and c in thousandths; d is the remainder.
    pub parts: [u32; 3],
    /// Seed of the generator.
    pub seed: u64,
}

impl Default for Rmat {
    /// The network of the GPU Multisplit paper: 0.8 M vertices, 4.8 M edges, (0.5, 0.1, 0.1, 0.3).
    fn default() -> Self {
        Self { vertices: 800_000, edges: 4_800_000, parts: [500, 100, 100], seed: 1 }
    }
}

/// Number of candidates that a thread draws at a time.
const BLOCK: u64 = 1 << 18;
/// The generator gives up after about this many candidates per edge, plus 16 blocks.
const PATIENCE: u64 = 64;

impl Rmat {
    /// A network of this size with the default probabilities and seed.
    pub fn of_size(vertices: u32, edges: u32) -> Self {
        Self { vertices, edges, ..Self::default() }
    }

    /// Generates the network.
    pub fn generate(&self, weighting: Weighting) -> Result<Network> {
        let problem = |problem| InputError::Generator { problem };
        if self.vertices == 0 {
            return Err(NetworkError::Empty.into());
        }
        if self.parts.iter().map(|&part| u64::from(part)).sum::<u64>() > 1000 {
            return Err(problem("the probabilities of R-MAT add up to more than 1"));
        }
        let pairs = u64::from(self.vertices) * u64::from(self.vertices - 1) / 2;
        if u64::from(self.edges) > pairs {
            return Err(problem("there are more edges than pairs of vertices; use fewer edges"));
        }
        check_memory(self.vertices, self.edges)?;
        let max = PATIENCE * u64::from(self.edges) + (BLOCK << 4);
        let mut seen = Seen::default();
        let mut keys = Vec::with_capacity(self.edges as usize);
        let mut first = 0;
        while keys.len() < self.edges as usize {
            if first > max {
                return Err(problem("R-MAT does not find enough distinct edges; use fewer edges"));
            }
            // One block per core.
            let blocks = data::cores();
            let block = |number: usize| self.block(first + number as u64 * BLOCK);
            let candidates = data::per_core(blocks, |range| range.map(block).collect::<Vec<_>>());
            for candidate in candidates.into_iter().flatten().flatten() {
                if keys.len() < self.edges as usize && seen.insert(candidate) {
                    keys.push(candidate);
                }
            }
            first += blocks as u64 * BLOCK;
        }
        network(self.vertices, keys, weighting)
    }

    /// The candidates of a block without loops, in order.
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

type Seen = HashSet<u64, BuildHasherDefault<MixHasher>>;

/// Hashes keys with [`mix64`], which is faster than the standard hasher.
#[derive(Default)]
struct MixHasher(u64);

impl Hasher for MixHasher {
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
    fn rmat_has_the_requested_size_and_hubs() {
        let generate = || Rmat::of_size(1000, 5000).generate(Weighting::Own);
        let network = generate().expect("the network is valid");
        let sizes = (network.vertices(), network.edges(), network.arcs().len());
        assert_eq!(sizes, (1000, 5000, 10_000));
        let degree = network.max_degree();
        assert!(degree > 40, "the largest degree is {degree}, expected more than 40");
        assert!((400.0..600.0).contains(&network.mean_weight()));
        assert_eq!(network, generate().expect("the network is valid"));
    }

    #[test]
    fn invalid_parameters_are_rejected() {
        let refused = |rmat: Rmat| {
            matches!(rmat.generate(Weighting::Ones), Err(InputError::Generator { .. }))
        };
        assert!(refused(Rmat::of_size(3, 4)));
        assert!(refused(Rmat { parts: [500, 500, 1], ..Rmat::default() }));
        // Every candidate is the loop (0, 0), so no edge is ever found.
        assert!(refused(Rmat { parts: [1000, 0, 0], ..Rmat::of_size(64, 100) }));
    }
}
