#version 460
// Postscan of the block-level multisplit. One workgroup handles one subproblem, a range of `parts` tiles, from the
// first tile to the last. The first subproblem also writes the bucket offsets. docs/kernels-sort.md explains the data
// flow and the barriers.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "multisplit.glsl"
#include "tile_shape.glsl"

layout(set = 0, binding = 2, std430) readonly buffer Scanned { uint at[]; } scanned;
layout(set = 0, binding = 3, std430) writeonly buffer Offsets { uint at[]; } offsets;
layout(set = 0, binding = 7, std430) readonly buffer InsideBlock { uint at[]; } inside_block;
layout(set = 0, binding = 9, std430) buffer LaneOrder { uint violated; } lane_order;

// Shared memory; subgroup_sums.glsl, bucket.glsl and cells.glsl have other arrays.
shared uint space[SPACE_WORDS];        // warp counters, then keys or values of one turn (tile_shape.glsl)
shared uint bucket_targets[COUNTERS];  // bucket_targets[b] + place: output position of the key of bucket b at `place`

#include "rank_tile.glsl"
#include "find_buckets.glsl"
#include "scatter_tile.glsl"
#include "bucket_positions.glsl"

// Sets the target of each own bucket, and advances the positions to those of the next tile.
void set_targets(in uint counts[OWN_BUCKETS], in uint starts[OWN_BUCKETS], inout uint positions[OWN_BUCKETS]) {
    [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k) {
        if (own_bucket(k) < COUNTERS) bucket_targets[own_bucket(k)] = positions[k] - starts[k];
        positions[k] += counts[k];
    }
}

void main() {
    stage_splitters();
    if (group_index() >= subproblem_count()) return;
    uint subproblem = group_index_from_end(subproblem_count());
    uint first = subproblem * push.parts * TILE;
    uint end = min(first + push.parts * TILE, element_count());
    load_keys(first, element_count(), KEY(0));
    uint positions[OWN_BUCKETS];  // output position of the next key of each own bucket
    load_positions(subproblem, positions);
    while (first < end) {
        load_values(AFTER_LOADING, first, min(TILE, element_count() - first), 0);
        find_buckets(first);

        // Find the place of each key in the ordered tile.
        uint counts[OWN_BUCKETS];
        uint starts[OWN_BUCKETS];
        count_tile(first / TILE, push.round);
        count_own_buckets(counts);
        scan_own_buckets(counts, starts);
        start_warps(starts);
        place_items();

        // Order the keys in shared memory, and set the targets of their buckets.
        uint held = min(TILE, element_count() - first);
        load_values(AFTER_RANKING, first, held, 0);
        stage_first_turn();
        set_targets(counts, starts, positions);
        barrier();

        // Write the keys and values of all turns. The keys of the next tile are loaded before the last turn is written.
        load_values(AFTER_ORDERING, first, held, 0);
        write_until_last_turn(first, held);
        if (first + TILE < end) load_keys(first + TILE, element_count(), KEY(0));
        write_last_turn(first, held);
        first += TILE;
        barrier();  // shared memory is reused
    }
}
