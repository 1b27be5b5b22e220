// Loads the output positions at which a subproblem of the block-level multisplit begins in each bucket.
//
// Needs: the buffers `scanned`, `inside_block` and `offsets`, declared before this file.
// Gives: load_positions().

#ifndef BUCKET_POSITIONS_GLSL
#define BUCKET_POSITIONS_GLSL

#include "multisplit.glsl"
#include "tile_shape.glsl"
#include "side_by_side.glsl"

// Returns the output position of the subproblem's first key in bucket b.
uint first_position(const uint b, const uint subproblem) {
    uint index = b * subproblem_count() + subproblem;
    if (!BY_BLOCKS) return scanned.at[index];
    return scanned.at[b * block_count() + subproblem / SIDE_BY_SIDE] + inside_block.at[index];
}

// Sets the positions of the own buckets, 0 for those past the last one. The positions of the first subproblem are the
// bucket offsets, which it also writes. Called by all threads.
void load_positions(const uint subproblem, out uint positions[OWN_BUCKETS]) {
    [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k) {
        uint b = own_bucket(k);
        positions[k] = 0;
        if (b < push.buckets) {
            positions[k] = first_position(b, subproblem);
            if (subproblem == 0) offsets.at[b] = positions[k];
        }
    }
    if (subproblem == 0 && thread_rank() == 0) offsets.at[push.buckets] = element_count();
}

#endif
