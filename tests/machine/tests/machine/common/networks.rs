//! Networks for searches, and reference distances by a simple algorithm.

use anyhow::Result;
use multisplit_machine::Rng;
use multisplit_sssp::network::{Arc, Direction, EdgeList, Network, UNREACHED};

/// Shape of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Random arcs with weights that may be zero; one vertex has very many arcs.
    Random,
    /// A tree with each arc twice. Each distance improves exactly once, so the number of
    /// relaxations is known. Many vertices have so many arcs that a whole workgroup or (for hubs)
    /// all workgroups relax them.
    Tree,
    /// A tree of three levels. Each of 80 vertices has enough arcs for a whole workgroup, and the
    /// leaves have large, similar distances.
    Wide,
    /// A tree whose weights are so large that sums overflow a distance.
    Far,
    /// A single path, whose arcs have weight 1.
    Path,
    /// Arcs in both directions, most of them with zero weight.
    Free,
}

/// Numbers of children of the vertices of a tree, repeated cyclically. Since each arc occurs twice,
/// vertices with at least 12 children are hubs, and the arcs of vertices with 6 or 7 occupy a
/// workgroup.
const CHILDREN: [u32; 8] = [20, 12, 6, 7, 3, 12, 1, 2];
/// The largest finite float.
const MAX_FLOAT: u32 = 0x7F7F_FFFF;

/// Arcs as (from, to, weight).
fn arcs(kind: Kind, vertices: u32, degree: u32) -> Vec<(u32, u32, u32)> {
    let mut rng = Rng::new(u64::from(vertices * 31 + degree));
    let mut arcs = Vec::new();
    match kind {
        Kind::Random => {
            let hub = 3;
            for from in 0..vertices {
                let degree = match from {
                    _ if from == hub => 8 * degree,
                    // These vertices have enough arcs for one workgroup, but too few for several.
                    _ if from % 40 == 7 => 4 * degree,
                    _ => degree,
                };
                for _ in 0..degree {
                    arcs.push((from, rng.below(vertices.into()) as u32, rng.below(20) as u32));
                }
            }
        }
        Kind::Free => {
            for from in 0..vertices {
                for _ in 0..degree {
                    let to = rng.below(vertices.into()) as u32;
                    let weight = rng.below(8) as u32 / 6;
                    arcs.extend([(from, to, weight), (to, from, weight)]);
                }
            }
        }
        Kind::Path => arcs.extend((1..vertices).map(|v| (v - 1, v, 1))),
        Kind::Tree | Kind::Wide | Kind::Far => {
            // Shuffled vertex numbers, so that neighbours have distant numbers.
            let mut names: Vec<u32> = (0..vertices).collect();
            for k in (2..names.len()).rev() {
                names.swap(k, 1 + rng.below(k as u64) as usize);
            }
            let mut parent = 0;
            let mut left = if kind == Kind::Wide { 80 } else { CHILDREN[0] };
            for child in 1..vertices {
                while left == 0 {
                    parent += 1;
                    let regular = CHILDREN[parent % CHILDREN.len()];
                    left = if kind == Kind::Wide { 6 } else { regular };
                }
                left -= 1;
                let weight = match kind {
                    Kind::Wide if parent > 0 => 30,
                    Kind::Wide => rng.below(3) as u32,
                    Kind::Far => [1, 1 << 31, u32::MAX - 1, u32::MAX - 2, 3][child as usize % 5],
                    _ => rng.below(20) as u32,
                };
                let arc = (names[parent], names[child as usize], weight);
                arcs.extend([arc, arc]);
            }
        }
    }
    arcs
}

pub fn network(kind: Kind, vertices: u32, degree: u32, floats: bool) -> Result<Network> {
    let mut edges = if floats { EdgeList::weighted_f32() } else { EdgeList::weighted() };
    for (from, to, weight) in arcs(kind, vertices, degree) {
        match floats {
            true if weight >= 1 << 31 => edges.push_f32(from, to, f32::from_bits(MAX_FLOAT)),
            true => edges.push_f32(from, to, weight as f32 * 0.5),
            false => edges.push(from, to, weight),
        }
    }
    Ok(Network::new(vertices.into(), Direction::Directed, &edges)?)
}

/// The sum of a distance and a weight; `UNREACHED` if it overflows.
pub fn sum_of(distance: u32, weight: u32, floats: bool) -> u32 {
    if floats {
        let sum = f32::from_bits(distance) + f32::from_bits(weight);
        return if sum.is_finite() { sum.to_bits() } else { UNREACHED };
    }
    distance.saturating_add(weight)
}

/// Distances from vertex 0.
pub fn distances(network: &Network, floats: bool) -> Vec<u32> {
    let mut held = vec![UNREACHED; network.vertices() as usize];
    held[0] = 0;
    let mut changed = true;
    while changed {
        changed = false;
        for from in 0..network.vertices() {
            let so_far = held[from as usize];
            for arc in network.arcs_of(from).iter().filter(|_| so_far != UNREACHED) {
                let sum = sum_of(so_far, arc.weight, floats);
                if sum < held[arc.target as usize] {
                    held[arc.target as usize] = sum;
                    changed = true;
                }
            }
        }
    }
    held
}

/// The arcs of all reached vertices, with their vertices.
pub fn arcs_of_reached<'n>(
    network: &'n Network,
    held: &'n [u32],
) -> impl Iterator<Item = (u32, &'n Arc)> {
    let reached = (0..network.vertices()).filter(|&v| held[v as usize] != UNREACHED);
    reached.flat_map(|from| network.arcs_of(from).iter().map(move |arc| (from, arc)))
}

/// Whether the sum along any arc of a reached vertex overflows a distance.
pub fn overflows(network: &Network, held: &[u32], floats: bool) -> bool {
    let sum = |(from, arc): (u32, &Arc)| sum_of(held[from as usize], arc.weight, floats);
    arcs_of_reached(network, held).any(|arc| sum(arc) == UNREACHED)
}

pub fn arc_words(network: &Network) -> Vec<u32> {
    network.arcs().iter().flat_map(|Arc { target, weight }| [*target, *weight]).collect()
}
