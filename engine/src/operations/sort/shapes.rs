//! Tile shapes of sorts, reduced to fit the device.

use super::DIGIT_BITS;
use super::sizes::UpTo;
use crate::elements::key::KeyType;
use crate::policy::Policy;
use crate::policy::tile::TileShape;

impl Policy {
    /// Tile of a one-sweep sort of `n` elements.
    pub(super) fn sort_tile(&self, key: KeyType, pairs: bool, n: u64) -> TileShape {
        let all: &[UpTo] = match (key.bits(), pairs) {
            (64, _) => &self.sort.wide_keys,
            (_, true) => &self.sort.pairs,
            (_, false) => &self.sort.keys,
        };
        let suited = all.iter().find(|(max, _)| n <= *max).map(|(_, shape)| *shape);
        let shape = suited.unwrap_or(TileShape::new(self.threads, 4));
        self.fit_tile(shape, DIGIT_BITS, key.bytes(), |_| 0)
    }

    /// Tile of the single-workgroup sort.
    pub(super) fn small_sort_tile(&self, key: KeyType) -> TileShape {
        self.fit_tile(self.sort.small, DIGIT_BITS, key.bytes(), |_| 0)
    }
}
