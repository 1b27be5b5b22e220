//! What a search for shortest paths finds: distances, a tree of predecessors, and figures that
//! two results can be compared by.

use std::fmt;

use super::rows::WeightKind;

/// The distance of a vertex that no path reaches, and the predecessor of one that has none.
pub const UNREACHED: u32 = u32::MAX;

/// The length of a path.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub enum Distance {
    /// A sum of whole numbers.
    U32(u32),
    /// A sum of floats.
    F32(f32),
}

impl From<u32> for Distance {
    fn from(distance: u32) -> Self {
        Self::U32(distance)
    }
}

impl From<f32> for Distance {
    fn from(distance: f32) -> Self {
        Self::F32(distance)
    }
}

impl fmt::Display for Distance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::U32(distance) => distance.fmt(f),
            Self::F32(distance) => distance.fmt(f),
        }
    }
}

/// Shortest paths from one source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShortestPaths {
    /// Where the paths begin.
    pub source: u32,
    /// What distances are.
    pub kind: WeightKind,
    /// The distance of each vertex, of floats the bits; [`UNREACHED`] where there is no path.
    pub distances: Vec<u32>,
    /// For each vertex the one before it on a shortest path, [`UNREACHED`] for the source and for
    /// vertices that are not reached; empty where it was not asked for.
    pub predecessors: Vec<u32>,
}

impl ShortestPaths {
    /// How far a vertex is; `None` where no path reaches it.
    pub fn distance(&self, vertex: u32) -> Option<Distance> {
        let bits = *self.distances.get(vertex as usize)?;
        match self.kind {
            _ if bits == UNREACHED => None,
            WeightKind::U32 => Some(Distance::U32(bits)),
            WeightKind::F32 => Some(Distance::F32(f32::from_bits(bits))),
        }
    }

    /// A shortest path from the source to `vertex`, both included. `None` where there is none, or
    /// where predecessors were not asked for.
    pub fn path_to(&self, vertex: u32) -> Option<Vec<u32>> {
        self.distance(vertex)?;
        let mut path = vec![vertex];
        let mut at = vertex;
        while at != self.source {
            at = *self.predecessors.get(at as usize).filter(|&&before| before != UNREACHED)?;
            path.push(at);
            if path.len() > self.predecessors.len() {
                return None;
            }
        }
        path.reverse();
        Some(path)
    }

    /// How many vertices are reached, the source included.
    pub fn reached(&self) -> u64 {
        self.distances.iter().filter(|&&d| d != UNREACHED).count() as u64
    }

    /// Figures that two results can be compared by.
    pub fn summary(&self) -> Summary {
        let mut summary = Summary { reached: 0, sum: 0, max: 0, hash: 0 };
        for (vertex, &bits) in (0u64..).zip(&self.distances) {
            if bits != UNREACHED {
                summary.reached += 1;
                summary.sum += u64::from(bits);
                summary.max = summary.max.max(bits);
                summary.hash = summary.hash.wrapping_add(mix64((vertex << 32) | u64::from(bits)));
            }
        }
        summary
    }
}

/// Figures over the reached vertices v that two results can be compared by. Of floats, the bits
/// count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// How many there are.
    pub reached: u64,
    /// The sum of their distances d(v).
    pub sum: u64,
    /// The greatest of them.
    pub max: u32,
    /// The sum, modulo 2^64, of [`mix64`]`((v << 32) | d(v))`.
    pub hash: u64,
}

/// The finalizer of SplitMix64: 64 bits that look random, another word for every other one.
pub fn mix64(mut word: u64) -> u64 {
    word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { reached, sum, max, hash } = self;
        write!(f, "{reached} {sum} {max} {hash:016x}")
    }
}
