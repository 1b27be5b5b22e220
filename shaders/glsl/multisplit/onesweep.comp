#version 460
// Second pass of the one-sweep multisplit. One workgroup handles one tile: it loads the keys, ranks them by
// bucket, publishes its counts, obtains the output position of each bucket by decoupled look-back
// (tile_lookback.glsl), orders the tile in shared memory and writes it. Reads the histogram of the first pass.
//
// With SORT, it is one round of a radix sort, in which the bucket is a digit. With SEGMENTS, it is one round of
// all large segments of a segmented sort, each with separate tiles and histogram.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#define ONE_TILE
#include "multisplit.glsl"
#include "bucket.glsl"
layout(set = 0, binding = 2, std430) readonly buffer Histogram { uint at[]; } histogram;
#ifdef SORT
#define NO_OFFSETS
#define BUCKET_FROM_KEY
#ifdef SEGMENTS
layout(set = 0, binding = 3, std430) readonly buffer Tiles { LargeSegment at[]; } tiles;
#else
layout(set = 0, binding = 3, std430) readonly buffer Idle { uint at[]; } idle;
layout(set = 0, binding = 3, std430) readonly buffer IdleVec4 { uvec4 at[]; } idle_vec4;
#include "histogram_parts.glsl"
#endif
#endif
#include "move.glsl"

#include "groups.glsl"
#include "subgroup_sums.glsl"
#include "voting.glsl"
void publish_count(uint k);
#define COUNTED(k) publish_count(k)
#include "rank_tile.glsl"
#include "load_tile.glsl"
#include "tile_lookback.glsl"
#include "scatter_tile.glsl"
#include "split_tile.glsl"

#ifdef SEGMENTS

void main() {
    if (group_index() >= subproblem_count()) return;
    if (thread_rank() == 0) {
        tile_ticket = atomicAdd(status.tickets[push.round], 1);
        missing_tile = 0;
    }
    barrier();
    segment = tiles.at[tile_ticket];
    this_tile = tile_ticket - segment.first_tile;
    uint first = segment.begin + this_tile * TILE;
    load_keys(first);
    split_tile(first, element_count());
}

#elif defined(SORT)

// Returns a mask of the no-op rounds, in which all keys have the same digit. Small sorts (HISTOGRAM_PARTS > 0) only set
// the bit of this round: their no-op rounds always copy the keys, so that the next round reads initialized data.
uint noop_rounds() {
    if (HISTOGRAM_PARTS == 0) return idle.at[0] | push.idle_rounds;
    uint this_round = 1u << push.round;
    if ((push.idle_rounds & this_round) != 0) return this_round;
    uvec4 all = uvec4(~0u);
    uvec4 any = uvec4(0);
    [[unroll]] for (uint v = 0; v < HISTOGRAM_PARTS / 4; ++v) {
        uvec4 parts = idle_vec4.at[push.round * (HISTOGRAM_PARTS / 4) + v];
        all &= parts;
        any |= parts;
    }
    bool one = have_one_digit(all.x & all.y & all.z & all.w, any.x | any.y | any.z | any.w);
    return one ? this_round : 0;
}

// 1: tiles are assigned by tickets. 0: the tile is the workgroup index (tile_status.glsl explains the difference).
layout(constant_id = TICKETS_ID) const uint TICKETS = 1;

// Handles no-op rounds and returns whether this round is one. Two consecutive no-op rounds do nothing and leave
// the data in place; a single one copies it to the input of the next round. Called by all threads; the result is
// uniform.
bool skip_round(uint rounds) {
    if ((rounds & push.round_pair) == push.round_pair) return true;
    if ((rounds >> push.round & 1) == 0) return false;
    uint first = group_index() * TILE;
    uint end = min(first + TILE, element_count());
    for (uint i = first + thread_rank(); i < end; i += gl_WorkGroupSize.x) {
        move_element(key_at(i), i, i);
#ifdef PACKING
        // Tiles begin at an even element.
        if (i % 2 == 0 && i + 1 < end) store_both(i, key_at(i), key_at(i + 1));
        else if (i % 2 == 0) store_half(i, key_at(i));
#endif
    }
    return true;
}

void main() {
    if (group_index() >= subproblem_count()) return;
    uint rounds = noop_rounds();  // this load overlaps with the ticket or the keys
    if (TICKETS == 0) load_keys(group_index() * TILE);
    if (thread_rank() == 0) {
        if (TICKETS != 0) tile_ticket = atomicAdd(status.ticket, 1);
        missing_tile = 0;
    }
    if (skip_round(rounds)) return;
    barrier();
    this_tile = TICKETS != 0 ? tile_ticket : group_index();
    uint first = this_tile * TILE;
    if (TICKETS != 0) load_keys(first);
    begin_first();
    split_tile(first, element_count());
}

#else

// Writes the bucket offsets. In the first tile, bucket_place holds the bucket starts.
void write_offsets() {
    [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k)
        if (own_bucket(k) < push.buckets) offsets.at[own_bucket(k)] = bucket_place[k];
    if (thread_rank() == 0) offsets.at[push.buckets] = element_count();
}

void main() {
    if (group_index() >= subproblem_count()) return;
    if (thread_rank() == 0) {
        tile_ticket = atomicAdd(status.ticket, 1);
        missing_tile = 0;
    }
    stage_splitters();
    barrier();
    this_tile = tile_ticket;
    uint first = this_tile * TILE;
    load_keys(first);
    split_tile(first, element_count());
    if (this_tile == 0) write_offsets();
}

#endif
