#version 460
// Reduce by key: of each run of elements with equal keys, the key and what the elements combine to, and how
// many runs there are. A run's total is known where the next one begins, and written by that one's tile.
// How many runs begin before a tile, and what the last of them comes to so far, was worked out by the passes
// before; or, with LOOKBACK, is found by decoupled look-back.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require

#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "src_dst.glsl"
#ifndef LOOKBACK
layout(set = 0, binding = 2, std430) readonly buffer Before { uvec4 at[]; } before_tiles;
#endif
layout(set = 0, binding = 4, std430) writeonly buffer Found { uint count; } found;
layout(set = 0, binding = 5, std430) writeonly buffer FirstKeys { uint at[]; } first_keys;

layout(push_constant) uniform Push {
    uint count;  // elements in `src`
} push;

#define TILE_STORES
#define CLOSINGS
#define COUNT_HEADS
#include "count.glsl"
#include "groups.glsl"
#include "heads.glsl"
#include "open_tile.glsl"

#ifdef LOOKBACK
#define LOOKBACK_BINDING 2
#include "lookback.glsl"

// Tiles that can be missing are full: the last, partial one has no successor.
Open total_of_tile_again(uint tile) {
    uint count = resolved_count(push.count);
    Open total = nothing_open();
    for (uint step = 0; step < TILE / 4; step += gl_SubgroupSize) {
        uint v = tile * TILE / 4 + step + gl_SubgroupInvocationID;
        Open row;
        open_lanes_before(open_of(load_terms(v), head_bits(v, count)), row);
        total = combine(total, row);
    }
    return total;
}

shared uint shared_tile;
shared Open shared_before;
#endif

// Of the runs that begin in the tile: where, and what the run before each comes to, in this tile.
shared uint begins[TILE];
shared TERM closings[TILE];

void store_key(uint to, uint from) {
    if (HEADS == WIDE_KEYS) {
        first_keys.at[2 * to] = keys.at[2 * from];
        first_keys.at[2 * to + 1] = keys.at[2 * from + 1];
    } else {
        first_keys.at[to] = keys.at[from];
    }
}

void main() {
    uint count = resolved_count(push.count);
    if (count == 0) {
        if (group_index() == 0 && thread_rank() == 0) found.count = 0;
        return;
    }
    uint tiles = (count - 1) / TILE + 1;
    // Workgroups past the count (folding makes some) must not take a ticket.
    if (group_index() >= tiles) return;
#ifdef LOOKBACK
    if (thread_rank() == 0) shared_tile = atomicAdd(status.ticket, 1);
    barrier();
    uint tile = shared_tile;
#else
    uint tile = group_index_from_end(tiles);
#endif
    uint first = tile * TILE;

    TERM4 rows[ROWS];
    uint bits[ROWS];
    uint carried[ROWS];
    uint heads[ROWS];
    load_tile(first, count, rows);
    load_heads(first, count, bits);
    // The heads of a lane are numbered from those of the row and of the lanes before it on.
    Open here;
    Open earlier = earlier_subgroups(scan_open_subgroup(rows, bits, carried, heads), here);

    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        uint place = earlier.heads + heads[r];
        [[unroll]] for (uint c = 0; c < 4; ++c) {
            TERM through = combine(earlier.total, rows[r][c]);
            if ((bits[r] >> c & 1) != 0) {
                begins[place] = 4 * row_index(first, r) + c;
                closings[place] = c < carried[r] ? through : rows[r][c];
                ++place;
            }
        }
    }

#ifdef LOOKBACK
    if (gl_SubgroupID == 0) {
        if (subgroupElect() && tile > 0) publish(tile, STATE_OWN, here);
        Open earlier_tiles = look_back(tile);
        if (subgroupElect()) {
            publish(tile, STATE_PREFIX, combine(earlier_tiles, here));
            shared_before = earlier_tiles;
        }
    }
    barrier();
    Open before = shared_before;
#else
    barrier();
    Open before = from_words(before_tiles.at[tile]);
#endif

    for (uint i = thread_rank(); i < here.heads; i += gl_WorkGroupSize.x) {
        uint run = before.heads + i;
        store_key(run, begins[i]);
        TERM closing = closings[i];
        if (i == 0) closing = combine(before.total, closing);
        if (run > 0) store_term(run - 1, closing);
    }
    if (tile + 1 == tiles && thread_rank() == 0) {
        Open all = combine(before, here);
        found.count = all.heads;
        store_term(all.heads - 1, all.total);
    }
}
