#version 460
// Selection in one pass over the data. One workgroup handles one tile: it loads the keys, evaluates the predicate,
// counts the selected elements, obtains the count of all earlier tiles by decoupled look-back (docs/kernels.md,
// "Look-back scan"), and writes the selected elements in order. Within a row of a subgroup, a ballot gives each lane
// its output position. The last tile writes the total.
//
//   REJECTED  also writes the other elements, in order, to another array
//   RUNS      selects the first element of each run of equal elements and writes the run lengths
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require

#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

layout(set = 0, binding = 4, std430) writeonly buffer Selected { uint count; } selected;
#ifdef REJECTED
layout(set = 0, binding = 5, std430) writeonly buffer Rejected { uint at[]; } rejected;
#endif
#ifdef RUNS
layout(set = 0, binding = 5, std430) writeonly buffer Lengths { uint at[]; } lengths;
#endif

layout(push_constant) uniform Push {
    uint count;     // elements in `src`
    uint inverted;  // whether elements outside of the range are selected
    uvec2 low;      // lower end of the range, converted by ordered()
    uvec2 high;     // upper end of the range, inclusive, converted by ordered()
#ifdef USER_PREDICATE
    uint parameter_0;
    uint parameter_1;
    uint parameter_2;
#endif
} push;

#include "count.glsl"
#include "groups.glsl"
#include "count_term.glsl"
#include "lane_masks.glsl"
#include "selected.glsl"
#include "subgroup_terms.glsl"
#include "each_item.glsl"

#define LOOKBACK_BINDING 2
#include "lookback.glsl"

// Returns the term of a selected element.
TERM term_of_element(uint i) {
#ifdef RUNS
    return TERM(1, i + 1);
#else
    return 1;
#endif
}

// Returns the term of this lane's selected elements; `rows` has one bit per selected row.
TERM term_of_rows(uint first, uint rows) {
    if (rows == 0) return IDENTITY;
#ifdef RUNS
    return TERM(bitCount(rows), element_index(first, findMSB(rows)) + 1);
#else
    return bitCount(rows);
#endif
}

// Recomputes the total of a tile. It is full: only the last tile can be partial, and no tile looks back at it.
TERM total_of_tile_again(uint tile) {
    TERM total = IDENTITY;
    for (uint step = 0; step < TILE; step += gl_SubgroupSize) {
        uint i = tile * TILE + step + gl_SubgroupInvocationID;
        KEY before = KEY(0);
        if (compares_neighbours() && i > 0) before = load_key(i - 1);
        if (is_selected_at(i, load_key(i), before)) total = combine(total, term_of_element(i));
    }
    return last_lane(combine_lanes(total));
}

#ifdef REJECTED
void store_rejected(uint i, KEY key) {
#if KEY_BITS == 64
    uvec2 words = unpackUint2x32(key);
    rejected.at[2 * i] = words.x;
    rejected.at[2 * i + 1] = words.y;
#else
    rejected.at[i] = key;
#endif
}
#endif

// Term of all elements before the next row to store.
TERM so_far;

// Stores the selected elements of a row. `key` is this lane's element i, `is` whether it is selected. Called by
// whole subgroups.
void store_row(uint i, KEY key, bool is, uint count) {
    uvec4 votes = subgroupBallot(is);
    uint place = selected_of(so_far) + subgroupBallotExclusiveBitCount(votes);
    if (is) store_key(place, key);
#ifdef REJECTED
    // i - place elements before this one are rejected.
    if (!is && i < count) store_rejected(i - place, key);
#endif
#ifdef RUNS
    // A run ends at the start of the next one.
    uint row = i - gl_SubgroupInvocationID;
    uvec4 earlier = votes & gl_SubgroupLtMask;
    uint begin = earlier == uvec4(0) ? so_far.y : row + last_lane_of(earlier) + 1;
    if (is && place > 0) lengths.at[place - 1] = i + 1 - begin;
    uint last = votes == uvec4(0) ? 0 : row + subgroupBallotFindMSB(votes) + 1;
    so_far = combine(so_far, TERM(subgroupBallotBitCount(votes), last));
#else
    so_far += subgroupBallotBitCount(votes);
#endif
}

void main() {
    uint count = resolved_count(push.count);
    if (count == 0) {
        if (group_index() == 0 && thread_rank() == 0) selected.count = 0;
        return;
    }
    uint tiles = (count - 1) / TILE + 1;
    // Surplus workgroups (from folding) must not take a ticket.
    if (group_index() >= tiles) return;
    Tile tile = take_tile(0, tiles);
    uint first = tile.index * TILE;

    KEY keys[ITEMS];
    load_keys(first, count, keys);
    uint rows = selected_rows(first, count, keys);
    TERM here;
    TERM earlier = earlier_subgroups(last_lane(combine_lanes(term_of_rows(first, rows))), here);
    announce(tile, here);
    TERM before = before_tile(tile, here);
    so_far = combine(before, earlier);
#define STORE(r) store_row(element_index(first, r), keys[r], (rows >> (r) & 1) != 0, count)
    EACH_ITEM(STORE)
#undef STORE

    if (tile.index + 1 == tiles && thread_rank() == 0) {
        TERM all = combine(before, here);
        selected.count = selected_of(all);
#ifdef RUNS
        lengths.at[selected_of(all) - 1] = count + 1 - all.y;
#endif
    }
}
