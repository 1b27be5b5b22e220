//! Where the weights of edges come from when a file or a generator gives none.

use super::edges::{EdgeList, EdgeWeights};

/// Where the weights of a network come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weighting {
    /// The file's own; where it has none, hashed ones from 0 to 1000.
    #[default]
    Own,
    /// [`hash_weight`] of the two ends, from 0 to the given most.
    Hashed(u32),
    /// Every edge costs 1: hops are counted.
    Ones,
}

/// The paper gives unweighted graphs random weights from 0 to this.
pub(super) const HASHED_MOST: u32 = 1000;

/// The SplitMix64 finalizer.
pub(super) fn mix64(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

pub(super) const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// A weight from 0 to `most` that depends on the two ends alone, the same both ways: with
/// h = mix64(((lesser << 32) | greater) + 0x9E3779B97F4A7C15), where mix64 is the finalizer of
/// SplitMix64, it is ((h >> 32) * (most + 1)) >> 32.
pub fn hash_weight(from: u32, to: u32, most: u32) -> u32 {
    let key = (u64::from(from.min(to)) << 32) | u64::from(from.max(to));
    let upper = mix64(key.wrapping_add(GOLDEN)) >> 32;
    // Below 2^32 * 2^32, and so at most `most`.
    ((u128::from(upper) * (u128::from(most) + 1)) >> 32) as u32
}

impl Weighting {
    /// Gives the edges the weights that this asks for.
    pub(super) fn apply(self, edges: &mut EdgeList) {
        let most = match (self, &edges.weights) {
            (Self::Own, EdgeWeights::Ones) => HASHED_MOST,
            (Self::Own, _) => return,
            (Self::Hashed(most), _) => most,
            (Self::Ones, _) => {
                edges.weights = EdgeWeights::Ones;
                return;
            }
        };
        let ends = edges.from.iter().zip(&edges.to);
        edges.weights =
            EdgeWeights::U32(ends.map(|(&from, &to)| hash_weight(from, to, most)).collect());
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
