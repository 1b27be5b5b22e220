//! Where the weights of edges come from when a file or a generator gives none.

use multisplit_sssp::network::{EdgeList, EdgeWeights, mix64};

/// Where the weights of a network come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weighting {
    /// The file's own; where it has none, hashed ones from 0 to 1000, as in the paper.
    #[default]
    Own,
    /// The file's own; where it has none, every edge costs 1.
    OwnOrOnes,
    /// [`hash_weight`] of the two ends, from 0 to the given maximum.
    Hashed(u32),
    /// Every edge costs 1: hops are counted.
    Ones,
}

/// The paper gives unweighted graphs random weights from 0 to this.
pub const HASHED_MAX: u32 = 1000;

/// By how much SplitMix64 counts: 2^64 over the golden ratio.
pub(super) const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// A weight from 0 to `max` that depends on the two ends alone, the same both ways: with
/// h = [`mix64`]`(((lesser << 32) | greater) + 0x9E3779B97F4A7C15)`, it is
/// ((h >> 32) * (max + 1)) >> 32.
pub fn hash_weight(from: u32, to: u32, max: u32) -> u32 {
    let key = (u64::from(from.min(to)) << 32) | u64::from(from.max(to));
    let upper = mix64(key.wrapping_add(GOLDEN)) >> 32;
    // Below 2^32 * 2^32, and so at most `max`.
    ((u128::from(upper) * (u128::from(max) + 1)) >> 32) as u32
}

/// Where the weights of a network came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightOrigin {
    /// The file has them.
    File,
    /// [`hash_weight`], from 0 to this.
    Hashed(u32),
    /// Every edge costs 1.
    Ones,
}

impl Weighting {
    /// Gives the edges the weights that this asks for, and says where those came from.
    pub(super) fn apply(self, edges: &mut EdgeList) -> WeightOrigin {
        let unweighted = edges.weights == EdgeWeights::Ones;
        let origin = match self {
            Self::Own | Self::OwnOrOnes if !unweighted => WeightOrigin::File,
            Self::Own => WeightOrigin::Hashed(HASHED_MAX),
            Self::Hashed(max) => WeightOrigin::Hashed(max),
            Self::OwnOrOnes | Self::Ones => WeightOrigin::Ones,
        };
        match origin {
            WeightOrigin::File => {}
            WeightOrigin::Ones => edges.weights = EdgeWeights::Ones,
            WeightOrigin::Hashed(max) => {
                let ends = edges.from.iter().zip(&edges.to);
                let weights = ends.map(|(&from, &to)| hash_weight(from, to, max));
                edges.weights = EdgeWeights::U32(weights.collect());
            }
        }
        origin
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashed_weights_are_the_same_both_ways_and_in_range() {
        for (from, to) in [(0, 1), (5, 5), (u32::MAX, 0), (81_000, 12)] {
            assert_eq!(hash_weight(from, to, 1000), hash_weight(to, from, 1000));
            assert!(hash_weight(from, to, 1000) <= 1000);
            assert_eq!(hash_weight(from, to, 0), 0);
        }
        let sum: u64 = (0..10_000).map(|v| u64::from(hash_weight(v, v + 1, 1000))).sum();
        assert!((4_900_000..5_100_000).contains(&sum), "{sum}");
    }
}
