#version 460
// Reduce by key: writes the key and the total of each run of equal keys, and the number of runs. One workgroup
// handles one tile, in rows of one element per lane.
//
// Steps: load the keys and terms, find the run heads, compute the aggregate of the tile, and obtain the carry-in
// of the tile: the number of earlier runs and the total so far of the last one. The carry-in comes from `before_tiles`,
// or from decoupled look-back with LOOKBACK (docs/kernels.md, "Look-back scan"). Finally each run head writes its key
// and the total of the run before it. The index of a run is the number of earlier runs. The last tile also writes the
// total of the last run.
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

// Recomputes the aggregate of a tile. It is full: only the last tile can be partial, and no tile looks back at it.
Open total_of_tile_again(uint tile) {
    uint count = resolved_count(push.count);
    Open total = nothing_open();
    for (uint step = 0; step < TILE / ROW_TERMS; step += gl_SubgroupSize) {
        uint v = tile * TILE / ROW_TERMS + step + gl_SubgroupInvocationID;
        Open row;
        open_lanes_before(open_of(load_row(v), head_bits(v, count)), row);
        total = combine(total, row);
    }
    return total;
}
#endif

// This lane's elements, one per row: the keys (second word 0 for 32-bit keys), the terms, and one bit per row that
// is set for run heads.
uvec2 keys_of_rows[ITEMS];
TERM terms[ITEMS];
uint begins;

void store_key(uint i, uvec2 key) {
    if (HEADS == WIDE_KEYS) {
        first_keys.at[2 * i] = key.x;
        first_keys.at[2 * i + 1] = key.y;
    } else {
        first_keys.at[i] = key.x;
    }
}

// Loads this lane's elements. Terms at and past the count are the identity. All loads are unconditional: the last
// element is loaded instead of a missing one.
void load_rows(uint first, uint count) {
    if (count - first >= TILE) {
        [[unroll]] for (uint r = 0; r < ITEMS; ++r) {
            uint i = element_index(first, r);
            keys_of_rows[r] = load_key(i);
            terms[r] = load_term(i);
        }
    } else {
        [[unroll]] for (uint r = 0; r < ITEMS; ++r) {
            uint i = element_index(first, r);
            keys_of_rows[r] = load_key(min(i, count - 1));
            terms[r] = load_term(min(i, count - 1));
            terms[r] = i < count ? terms[r] : IDENTITY;
        }
    }
}

// Sets `begins`: an element is a head if it is the first one, or if its key differs from the key before. Elements at
// and past the count are not heads. Called by whole subgroups.
void find_begins(uint first, uint count) {
    begins = 0;
    [[unroll]] for (uint r = 0; r < ITEMS; ++r) {
        uvec2 key = keys_of_rows[r];
        uvec2 given = is_last_lane() ? keys_of_rows[max(r, 1) - 1] : key;
        uvec2 before = uvec2(subgroupShuffle(given.x, lane_before()), 0);
        if (HEADS == WIDE_KEYS) before.y = subgroupShuffle(given.y, lane_before());
        if (r == 0 && gl_SubgroupInvocationID == 0 && first_of_part(first) > 0)
            before = load_key(min(first_of_part(first), count) - 1);
        if (key != before || element_index(first, r) == 0) begins |= 1u << r;
    }
    begins &= rows_below(first, count);
}

bool begins_in(uint row) {
    return (begins >> row & 1) != 0;
}

// Aggregate of the rows so far, including the carry-in, if it is known.
Open so_far;

// Inclusive segmented scan of a row, with `so_far` as carry-in. `headed` receives the lanes with a run head. Called
// by whole subgroups.
TERM combine_row(uint row, out uvec4 headed) {
    headed = subgroupBallot(begins_in(row));
    TERM x = combine_open_lanes(terms[row], headed);
    TERM joined = combine(so_far.total, x);
    if ((headed & gl_SubgroupLeMask) == uvec4(0)) x = joined;
    return x;
}

// Adds a row to `so_far`, given the results of combine_row().
void pass_row(uvec4 headed, TERM x) {
    so_far = Open(so_far.heads + subgroupBallotBitCount(headed), last_lane(x));
}

// Adds a row to `so_far`. Called by whole subgroups.
void count_row(uint row) {
    uvec4 headed;
    TERM x = combine_row(row, headed);
    pass_row(headed, x);
}

// Returns the aggregate of the subgroup's part of the tile. Called by whole subgroups.
Open total_of_part() {
#ifdef USER_OPERATOR
    // Combine the terms in element order.
    so_far = nothing_open();
#define COUNT(r) count_row(r)
    EACH_ITEM(COUNT)
#undef COUNT
    return so_far;
#else
    // Only elements from the last head on contribute. Each lane first combines its own elements; then the lanes are
    // combined.
    uint own = begins == 0 ? 0 : uint(findMSB(begins)) * gl_SubgroupSize + gl_SubgroupInvocationID + 1;
    uint last = subgroupShuffle(subgroupInclusiveMax(own), gl_SubgroupSize - 1);
    TERM total = IDENTITY;
    [[unroll]] for (uint r = 0; r < ITEMS; ++r) {
        TERM through = combine(total, terms[r]);
        if (r * gl_SubgroupSize + gl_SubgroupInvocationID + 1 >= last) total = through;
    }
    return Open(sum_over_lanes(bitCount(begins)), last_lane(combine_lanes(total)));
#endif
}

// For each run head in a row, writes the key of its run and the total of the preceding run. Adds the row to `so_far`.
// Called by whole subgroups.
void store_row(uint row) {
    uvec4 headed;
    TERM x = combine_row(row, headed);
    TERM closing = from_lane(x, max(gl_SubgroupInvocationID, 1) - 1);
    if (gl_SubgroupInvocationID == 0) closing = so_far.total;
    uint run = so_far.heads + subgroupBallotExclusiveBitCount(headed);
    if (begins_in(row)) {
        store_key(run, keys_of_rows[row]);
        if (run > 0) store_term(run - 1, closing);
    }
    pass_row(headed, x);
}

void main() {
    uint count = resolved_count(push.count);
    if (count == 0) {
        if (group_index() == 0 && thread_rank() == 0) found.count = 0;
        return;
    }
    uint tiles = (count - 1) / TILE + 1;
    // Surplus workgroups (from folding) must not take a ticket.
    if (group_index() >= tiles) return;
#ifdef LOOKBACK
    Tile taken = take_tile(0, tiles);
    uint tile = taken.index;
#else
    uint tile = group_index_from_end(tiles);
#endif
    uint first = tile * TILE;

    load_rows(first, count);
    find_begins(first, count);
    Open here;
    Open earlier = earlier_subgroups(total_of_part(), here);
#ifdef LOOKBACK
    announce(taken, here);
    Open before = before_tile(taken, here);
#else
    Open before = from_words(before_tiles.at[tile]);
#endif
    so_far = combine(before, earlier);
#define STORE(r) store_row(r)
    EACH_ITEM(STORE)
#undef STORE

    bool is_last_part = tile + 1 == tiles && gl_SubgroupID == gl_NumSubgroups - 1;
    if (is_last_part && subgroupElect()) {
        found.count = so_far.heads;
        store_term(so_far.heads - 1, so_far.total);
    }
}
