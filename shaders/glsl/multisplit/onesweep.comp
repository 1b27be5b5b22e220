#version 460
// Last pass of the one-sweep multisplit. One workgroup handles one tile. Reads the histogram of
// multisplit/histogram.comp. docs/kernels-sort.md explains the data flow, the atomics and the barriers.
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

layout(set = 0, binding = 2, std430) readonly buffer Histogram { uint at[]; } histogram;
layout(set = 0, binding = 3, std430) writeonly buffer Offsets { uint at[]; } offsets;
layout(set = 0, binding = 7, std430) volatile buffer Status {
    uint ticket;  // next tile
    uint pad[3];
    uint at[];
} status;
layout(set = 0, binding = 9, std430) buffer LaneOrder { uint violated; } lane_order;

// Shared memory; subgroup_sums.glsl, bucket.glsl and cells.glsl have other arrays.
shared uint space[SPACE_WORDS];        // warp counters, then keys or values of one turn (tile_shape.glsl)
shared uint bucket_targets[COUNTERS];  // bucket_targets[b] + place: output position of the key of bucket b at `place`
shared uint tile_ticket;               // this workgroup's ticket
shared uint missing_tile;              // see tile_lookback.glsl

struct Tile {
    uint number;  // the tile has the elements from number * TILE on
};
const bool BEGINS_FIRST = false;

#include "rank_tile.glsl"
#include "find_buckets.glsl"
#include "tile_lookback.glsl"
#include "scatter_tile.glsl"

uint status_index(const Tile tile, const uint number, const uint b) {
    return number * push.buckets + b;
}

uint total_of(const Tile tile, const uint b) {
    return histogram.at[b];
}

uint first_position(const Tile tile) {
    return 0;
}

uint first_element(const Tile tile, const uint number) {
    return number * TILE;
}

uint end_element(const Tile tile) {
    return element_count();
}

// Writes the bucket offsets, which are the positions of the first tile's buckets. Called by its workgroup.
void write_offsets(in LookBack looks[OWN_BUCKETS]) {
    [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k)
        if (own_bucket(k) < push.buckets) offsets.at[own_bucket(k)] = looks[k].position;
    if (thread_rank() == 0) offsets.at[push.buckets] = element_count();
}

void main() {
    if (group_index() >= subproblem_count()) return;

    // Take a tile and load its keys.
    if (thread_rank() == 0) {
        tile_ticket = atomicAdd(status.ticket, 1);
        missing_tile = 0;
    }
    stage_splitters();
    barrier();
    Tile tile = Tile(tile_ticket);
    uint first = first_element(tile, tile.number);
    load_keys(first, element_count(), KEY(0));
    load_values(AFTER_LOADING, first, min(TILE, element_count() - first), 0);
    find_buckets(first);

    // Count the keys of each bucket, and let later tiles look back to the counts.
    uint counts[OWN_BUCKETS];
    LookBack looks[OWN_BUCKETS];
    count_tile(tile.number, push.round);
    count_own_buckets(counts);
    publish_counts(tile, counts, looks);

    // Find the place of each key in the ordered tile.
    uint starts[OWN_BUCKETS];
    scan_own_buckets(counts, starts);
    start_warps(starts);
    place_items();

    // Look back for the position of each bucket in the output, while the keys are ordered in shared memory.
    uint held = min(TILE, element_count() - first);
    load_values(AFTER_RANKING, first, held, 0);
    uint words[TILES_AT_A_TIME];
    look_ahead(tile, words);
    stage_first_turn();
    set_targets(tile, counts, starts, looks, words);
    barrier();
    set_missing_targets(tile, counts, starts, looks, words);

    // Write the keys and values of all turns.
    load_values(AFTER_ORDERING, first, held, 0);
    write_until_last_turn(first, held);
    write_last_turn(first, held);
    if (tile.number == 0) write_offsets(looks);
}
