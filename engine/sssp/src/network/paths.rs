//! Results of a search: distances, predecessors, and a summary for comparing two results.

use std::fmt;

use super::rows::WeightKind;

/// Distance of a vertex that cannot be reached. Also the predecessor of a vertex without one.
pub const UNREACHED: u32 = u32::MAX;

/// Length of a path.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub enum Distance {
    /// Sum of integer weights.
    U32(u32),
    /// Sum of float weights.
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
    /// Source of the search.
    pub source: u32,
    /// Type of the distances.
    pub kind: WeightKind,
    /// Distance of each vertex, as bits if distances are floats. [`UNREACHED`] for unreachable vertices.
    pub distances: Vec<u32>,
    /// Predecessor of each vertex on a shortest path. [`UNREACHED`] for the source and for
    /// unreachable vertices. Empty unless predecessors were requested.
    pub predecessors: Vec<u32>,
}

impl ShortestPaths {
    /// Distance of a vertex. `None` if the vertex is unreachable or does not exist.
    pub fn distance(&self, vertex: u32) -> Option<Distance> {
        let bits = *self.distances.get(vertex as usize)?;
        match self.kind {
            _ if bits == UNREACHED => None,
            WeightKind::U32 => Some(Distance::U32(bits)),
            WeightKind::F32 => Some(Distance::F32(f32::from_bits(bits))),
        }
    }

    /// A shortest path from the source to `vertex`, both included. `None` if `vertex` is
    /// unreachable, or if predecessors were not requested and `vertex` is not the source.
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

    /// Number of reached vertices, including the source.
    pub fn reached(&self) -> u64 {
        self.distances.iter().filter(|&&d| d != UNREACHED).count() as u64
    }

    /// Returns a summary of the distances, for comparing two results.
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

/// Summary of the distances of all reached vertices, for comparing two results. Float distances are
/// treated as their bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Number of reached vertices.
    pub reached: u64,
    /// Sum of the distances d(v) of all reached vertices v.
    pub sum: u64,
    /// Largest distance.
    pub max: u32,
    /// Sum, modulo 2^64, of [`mix64`]`((v << 32) | d(v))`.
    pub hash: u64,
}

/// Finalizer of SplitMix64: a bijective 64-bit hash.
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
