//! Edge weights for files and generators that do not provide any.

use multisplit_sssp::network::{EdgeList, EdgeWeights};

use crate::data::SplitMix64;

/// Source of the edge weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weighting {
    /// Weights of the file. For an unweighted file, hashed weights from 0 to 1000, as in the GPU
    /// Multisplit paper.
    #[default]
    Own,
    /// Weights of the file. For an unweighted file, every weight is 1.
    OwnOrOnes,
    /// [`hash_weight`] of the two ends, from 0 to the given maximum.
    Hashed(u32),
    /// Every weight is 1, so that distances count edges.
    Ones,
}

/// Maximum of the random weights that the GPU Multisplit paper gives unweighted graphs.
pub const HASHED_MAX: u32 = 1000;

/// A weight from 0 to `max` that depends only on the two ends, regardless of direction. With h =
/// `mix64(((smaller << 32) | larger) + 0x9E3779B97F4A7C15)`, it is ((h >> 32) * (max + 1)) >> 32.
pub fn hash_weight(from: u32, to: u32, max: u32) -> u32 {
    let key = (u64::from(from.min(to)) << 32) | u64::from(from.max(to));
    let upper = SplitMix64::after(key, 0).draw() >> 32;
    // `upper` is below 2^32, so the result is at most `max`.
    ((u128::from(upper) * (u128::from(max) + 1)) >> 32) as u32
}

/// Origin of the edge weights of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightOrigin {
    /// The file.
    File,
    /// [`hash_weight`] of the two ends, from 0 to the given maximum.
    Hashed(u32),
    /// Every weight is 1.
    Ones,
}

impl Weighting {
    /// Origin of the weights, given whether the file has weights.
    pub(crate) fn origin(self, weighted: bool) -> WeightOrigin {
        match self {
            Self::Own | Self::OwnOrOnes if weighted => WeightOrigin::File,
            Self::Own => WeightOrigin::Hashed(HASHED_MAX),
            Self::Hashed(max) => WeightOrigin::Hashed(max),
            Self::OwnOrOnes | Self::Ones => WeightOrigin::Ones,
        }
    }

    /// Sets the weights of the edges, and returns their origin.
    pub(super) fn apply(self, edges: &mut EdgeList) -> WeightOrigin {
        let origin = self.origin(edges.weights != EdgeWeights::Ones);
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
    fn hashed_weights_are_symmetric_and_in_range() {
        for (from, to) in [(0, 1), (5, 5), (u32::MAX, 0), (81_000, 12)] {
            assert_eq!(hash_weight(from, to, 1000), hash_weight(to, from, 1000));
            assert!(hash_weight(from, to, 1000) <= 1000);
            assert_eq!(hash_weight(from, to, 0), 0);
        }
        let sum: u64 = (0..10_000).map(|v| u64::from(hash_weight(v, v + 1, 1000))).sum();
        assert!((4_900_000..5_100_000).contains(&sum), "the sum of the weights is {sum}");
    }
}
