//! Reduces tiles until their kernels fit in the shared memory of a device.

use super::Policy;
use super::tile::TileShape;

/// With ranking by ballots, the minimum subgroup size at which each subgroup has its own set of counters. Two smaller
/// subgroups share a set if there are more buckets than lanes, because two sets would need too much shared memory.
const MIN_LANES_UNPAIRED: u32 = 32;

impl Policy {
    /// Reduces the threads of a tile, and then its keys per thread, until the kernel that ranks the keys fits in
    /// shared memory. `other_bytes` returns the shared memory that the kernel needs for other purposes, in bytes.
    pub(crate) fn fit_tile(
        &self,
        shape: TileShape,
        bucket_bits: u32,
        key_bytes: u32,
        other_bytes: impl Fn(TileShape) -> u32,
    ) -> TileShape {
        let size = self.facts.subgroup_size;
        let mut shape = shape.of_subgroups(&self.facts);
        let exceeds_memory = |shape: TileShape| {
            let available = self.facts.shared_memory.saturating_sub(other_bytes(shape));
            self.ranking_bytes(shape, bucket_bits, key_bytes) > available
        };
        while exceeds_memory(shape) && shape.threads > size {
            shape.threads -= size;
        }
        let too_large = |shape: TileShape| !shape.is_sound() || exceeds_memory(shape);
        while too_large(shape) && shape.items > shape.turns {
            shape.items -= shape.turns;
        }
        shape
    }

    /// Shared memory in bytes of a kernel that ranks keys: the counters or the keys of one turn
    /// ([`TileShape::turns`]), whichever is larger, because they use the same memory, plus bucket offsets and subgroup
    /// sums.
    fn ranking_bytes(&self, shape: TileShape, bucket_bits: u32, key_bytes: u32) -> u32 {
        let subgroup_size = self.facts.subgroup_size;
        let subgroups = shape.threads / subgroup_size;
        // Bytes of one set of counters.
        let set = 4 << bucket_bits;
        // Must match PAIRED_SETS of `tile_shape.glsl`.
        let narrow = subgroup_size < MIN_LANES_UNPAIRED;
        let paired = narrow || self.split.ranking.is_by_lane_order();
        let sets =
            if paired && set > 4 * subgroup_size { subgroups.div_ceil(2) } else { subgroups };
        let turn = shape.tile() / shape.turns * key_bytes;
        (set * sets).max(turn) + set + 4 * subgroups + 64
    }
}
