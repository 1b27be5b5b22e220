#version 460
// Reduce by key: of each run of elements with equal keys, the key and what the elements combine to, and how
// many runs there are. A run's total is known where the next one begins, and written by whoever has that. Of a row
// of a subgroup the runs lie side by side in the result, and a ballot tells each lane where.
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

#define COUNT_HEADS
#include "count.glsl"
#include "groups.glsl"
#include "heads.glsl"
#include "open_tile.glsl"
#include "each_item.glsl"

const uint ITEMS = 4 * ROWS;
#include "lane_rows.glsl"

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
#endif

// Of this lane's elements, a row each: the keys, of which the second word is that of wide ones; what the elements
// of the run come to up to and including this one, from where it begins in the subgroup's part of the tile
// on; and a bit for each row says whether a run begins.
uvec2 keys_of_rows[ITEMS];
TERM through[ITEMS];
uint begins;

uvec2 load_run_key(uint i) {
    if (HEADS == WIDE_KEYS) return uvec2(keys.at[2 * i], keys.at[2 * i + 1]);
    return uvec2(keys.at[i], 0);
}

void store_run_key(uint i, uvec2 key) {
    if (HEADS == WIDE_KEYS) {
        first_keys.at[2 * i] = key.x;
        first_keys.at[2 * i + 1] = key.y;
    } else {
        first_keys.at[i] = key.x;
    }
}

// Elements at and past the count change nothing and begin nothing.
void load_rows(uint first, uint count) {
    bool is_full = count - first >= TILE;
    [[unroll]] for (uint r = 0; r < ITEMS; ++r) {
        uint i = element_index(first, r);
        keys_of_rows[r] = uvec2(0);
        through[r] = IDENTITY;
        if (is_full || i < count) {
            keys_of_rows[r] = load_run_key(i);
            through[r] = load_term(i);
        }
    }
}

void find_begins(uint first, uint count) {
    begins = 0;
    [[unroll]] for (uint r = 0; r < ITEMS; ++r) {
        uint i = element_index(first, r);
        uvec2 key = keys_of_rows[r];
        uvec2 given = is_last_lane() ? keys_of_rows[max(r, 1) - 1] : key;
        uvec2 before = uvec2(subgroupShuffle(given.x, lane_before()), 0);
        if (HEADS == WIDE_KEYS) before.y = subgroupShuffle(given.y, lane_before());
        if (r == 0 && gl_SubgroupInvocationID == 0 && i > 0 && i < count) before = load_run_key(i - 1);
        if (i < count && (i == 0 || key != before)) begins |= 1u << r;
    }
}

bool begins_in(uint row) {
    return (begins >> row & 1) != 0;
}

// What the rows so far come to.
Open so_far;

// Combines the elements of a row with those before them.
void combine_row(uint row) {
    uvec4 headed = subgroupBallot(begins_in(row));
    TERM x = combine_open_lanes(through[row], headed);
    TERM joined = combine(so_far.total, x);
    through[row] = (headed & gl_SubgroupLeMask) == uvec4(0) ? joined : x;
    so_far = Open(so_far.heads + subgroupBallotBitCount(headed), last_lane(through[row]));
}

// Of each run that begins in a row, the key; and what the run before it comes to.
void store_row(uint row, uint part_heads, TERM part_before) {
    bool is = begins_in(row);
    uvec4 votes = subgroupBallot(is);
    uint earlier = subgroupBallotExclusiveBitCount(votes);
    TERM row_before = row == 0 ? IDENTITY : through[max(row, 1) - 1];
    TERM closing = from_lane(is_last_lane() ? row_before : through[row], lane_before());
    // The first that begins in the part closes a run that began before it.
    TERM joined = combine(part_before, closing);
    if (so_far.heads == part_heads && earlier == 0) closing = joined;
    uint run = so_far.heads + earlier;
    if (is) {
        store_run_key(run, keys_of_rows[row]);
        if (run > 0) store_term(run - 1, closing);
    }
    so_far.heads += subgroupBallotBitCount(votes);
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
    uint tile = take_tile(0);
#else
    uint tile = group_index_from_end(tiles);
#endif
    uint first = tile * TILE;

    load_rows(first, count);
    find_begins(first, count);
    so_far = nothing_open();
#define COMBINE(r) combine_row(r)
    EACH_ITEM(COMBINE)
#undef COMBINE
    Open here;
    Open earlier = earlier_subgroups(so_far, here);
#ifdef LOOKBACK
    Open before = before_tile(tile, here);
#else
    Open before = from_words(before_tiles.at[tile]);
#endif
    Open part_before = combine(before, earlier);
    so_far = part_before;
#define STORE(r) store_row(r, part_before.heads, part_before.total)
    EACH_ITEM(STORE)
#undef STORE

    if (tile + 1 == tiles && thread_rank() == 0) {
        Open all = combine(before, here);
        found.count = all.heads;
        store_term(all.heads - 1, all.total);
    }
}
