#version 460
// One round of a one-sweep radix sort of all large segments at once: like sort/onesweep.comp, but each segment has its
// own tiles and histogram. A tile looks back to the earlier tiles of its segment. Reads the tiles of
// sort/segment_spread.comp and the histograms of sort/segment_histogram.comp.
// docs/kernels-sort.md explains the data flow, the atomics and the barriers.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#define SORT
#include "sort_round.glsl"
#include "tile_shape.glsl"
#include "segments.glsl"

layout(set = 0, binding = 2, std430) readonly buffer Histogram { uint at[]; } histogram;
layout(set = 0, binding = 3, std430) readonly buffer Tiles { LargeSegment at[]; } tiles;
layout(set = 0, binding = 7, std430) volatile buffer Status {
    uint tickets[16];  // next tile of each round
    uint at[];
} status;
layout(set = 0, binding = 9, std430) buffer LaneOrder { uint violated; } lane_order;

// Shared memory; subgroup_sums.glsl has another array.
shared uint space[SPACE_WORDS];        // warp counters, then keys or values of one turn (tile_shape.glsl)
shared uint bucket_targets[COUNTERS];  // bucket_targets[b] + place: output position of the key of bucket b at `place`
shared uint tile_ticket;               // this workgroup's ticket
shared uint missing_tile;              // see tile_lookback.glsl

struct Tile {
    uint number;           // among the tiles of its segment
    LargeSegment segment;
};
const bool BEGINS_FIRST = false;

#include "rank_tile.glsl"
#include "tile_lookback.glsl"
#include "scatter_tile.glsl"

// The words of all rounds of a tile are adjacent.
uint status_index(const Tile tile, const uint number, const uint b) {
    return ((tile.segment.first_tile + number) * push.parts + push.round) * push.buckets + b;
}

uint total_of(const Tile tile, const uint b) {
    return histogram.at[(tile.segment.number * push.parts + push.round) * COUNTERS + b];
}

uint first_position(const Tile tile) {
    return tile.segment.begin;
}

uint first_element(const Tile tile, const uint number) {
    return tile.segment.begin + number * TILE;
}

uint end_element(const Tile tile) {
    return tile.segment.end;
}

void main() {
    if (group_index() >= tile_count()) return;

    // Take a tile and load its keys.
    if (thread_rank() == 0) {
        tile_ticket = atomicAdd(status.tickets[push.round], 1);
        missing_tile = 0;
    }
    barrier();
    LargeSegment segment = tiles.at[tile_ticket];
    Tile tile = Tile(tile_ticket - segment.first_tile, segment);
    uint first = first_element(tile, tile.number);
    load_keys(first, segment.end, missing_key());
    load_values(AFTER_LOADING, first, min(TILE, segment.end - first), segment.begin);

    // Count the keys of each bucket, and let later tiles look back to the counts.
    uint counts[OWN_BUCKETS];
    LookBack looks[OWN_BUCKETS];
    count_tile(first / TILE, push.round);
    count_own_buckets(counts);
    publish_counts(tile, counts, looks);

    // Find the place of each key in the ordered tile.
    uint starts[OWN_BUCKETS];
    scan_own_buckets(counts, starts);
    start_warps(starts);
    place_items();

    // Look back for the position of each bucket in the output, while the keys are ordered in shared memory.
    uint held = min(TILE, segment.end - first);
    load_values(AFTER_RANKING, first, held, segment.begin);
    uint words[TILES_AT_A_TIME];
    look_ahead(tile, words);
    stage_first_turn();
    set_targets(tile, counts, starts, looks, words);
    barrier();
    set_missing_targets(tile, counts, starts, looks, words);

    // Write the keys and values of all turns.
    load_values(AFTER_ORDERING, first, held, segment.begin);
    write_until_last_turn(first, held);
    write_last_turn(first, held);
}
