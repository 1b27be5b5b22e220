#version 460
// Select in one pass over the data: the selected elements of a tile go, in order, behind those of the tiles
// before it, whose count is found by decoupled look-back. They are gathered in shared memory first, so that
// whole rows are written.
//
//   REJECTED  the others go, in order, to an array of their own
//   RUNS      the first elements of runs of equal ones are selected, and the lengths of the runs written
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
    uint inverted;  // those that are not in the range
    uvec2 low;      // the first of the range, in the order of keys
    uvec2 high;     // the last
#ifdef USER_PREDICATE
    uint parameter_0;
    uint parameter_1;
    uint parameter_2;
#endif
} push;

#include "count.glsl"
#include "groups.glsl"
#include "count_term.glsl"
#include "selected.glsl"
#include "subgroup_sums.glsl"

#define LOOKBACK_BINDING 2
#include "lookback.glsl"

// The number of the last of these elements, plus one; 0 of none.
uint end_of(uint v, uint bits) {
    return bits == 0 ? 0 : 4 * v + uint(findMSB(bits)) + 1;
}

// Tiles that can be missing are full: the last, partial one has no successor.
TERM total_of_tile_again(uint tile) {
    uint count = resolved_count(push.count);
    uint first = tile * TILE / 4;
    TERM total = IDENTITY;
    for (uint step = 0; step < TILE / 4; step += gl_SubgroupSize) {
        uint v = first + step + gl_SubgroupInvocationID;
        uint bits = selected_of_row(v, load_keys(v, count), count);
#ifdef RUNS
        total = combine(total, TERM(bitCount(bits), end_of(v, bits)));
#else
        total += bitCount(bits);
#endif
    }
    return last_lane(combine_lanes(total));
}

shared uint shared_tile;
shared TERM shared_before;
shared KEY gathered[TILE];
#ifdef RUNS
shared uint begins[TILE];
#endif

void store_key(uint i, KEY key) {
#if KEY_BITS == 64
    uvec2 words = unpackUint2x32(key);
    store_one(2 * i, words.x);
    store_one(2 * i + 1, words.y);
#else
    store_one(i, key);
#endif
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

void main() {
    uint count = resolved_count(push.count);
    if (count == 0) {
        if (group_index() == 0 && thread_rank() == 0) selected.count = 0;
        return;
    }
    uint tiles = (count - 1) / TILE + 1;
    // Workgroups past the count (folding makes some) must not take a ticket.
    if (group_index() >= tiles) return;
    if (thread_rank() == 0) shared_tile = atomicAdd(status.ticket, 1);
    barrier();
    uint tile = shared_tile;
    uint first = tile * TILE;

    KEY4 rows[ROWS];
    uint bits[ROWS];
    uint places[ROWS];
    uint of_subgroup = 0;
    [[unroll]] for (uint r = 0; r < ROWS; ++r) rows[r] = load_keys(row_index(first, r), count);
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        bits[r] = selected_of_row(row_index(first, r), rows[r], count);
        uint own = bitCount(bits[r]);
        uint through = subgroupInclusiveAdd(own);
        places[r] = of_subgroup + through - own;
        of_subgroup += subgroupShuffle(through, gl_SubgroupSize - 1);
    }
    uint here;
    uint earlier = sum_of_earlier_subgroups(of_subgroup, here);

    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        uint at = 4 * row_index(0, r);
        uint place = earlier + places[r];
        [[unroll]] for (uint c = 0; c < 4; ++c) {
            bool is = (bits[r] >> c & 1) != 0;
            if (is) {
                gathered[place] = rows[r][c];
#ifdef RUNS
                begins[place] = first + at + c;
#endif
            }
#ifdef REJECTED
            // Before an element, at + c - place of its tile were not selected.
            else if (first + at + c < count) gathered[here + at + c - place] = rows[r][c];
#endif
            place += is ? 1 : 0;
        }
    }
#ifdef RUNS
    // The last run that begins here is known to all of the first subgroup once it is gathered.
    barrier();
#endif

    if (gl_SubgroupID == 0) {
#ifdef RUNS
        TERM own = TERM(here, here > 0 ? begins[here - 1] + 1 : 0);
#else
        TERM own = here;
#endif
        if (subgroupElect() && tile > 0) publish(tile, STATE_OWN, own);
        TERM before = look_back(tile);
        if (subgroupElect()) {
            publish(tile, STATE_PREFIX, combine(before, own));
            shared_before = before;
        }
    }
    barrier();

#ifdef RUNS
    uint base = shared_before.x;
#else
    uint base = shared_before;
#endif
    for (uint i = thread_rank(); i < here; i += gl_WorkGroupSize.x) {
        store_key(base + i, gathered[i]);
#ifdef RUNS
        // A run ends where the next one begins.
        uint begin = i > 0 ? begins[i - 1] : shared_before.y - 1;
        if (base + i > 0) lengths.at[base + i - 1] = begins[i] - begin;
#endif
    }
#ifdef REJECTED
    uint in_tile = min(TILE, count - first);
    for (uint i = here + thread_rank(); i < in_tile; i += gl_WorkGroupSize.x)
        store_rejected(first - base + i - here, gathered[i]);
#endif
    if (tile + 1 == tiles && thread_rank() == 0) {
        selected.count = base + here;
#ifdef RUNS
        lengths.at[base + here - 1] = count - (here > 0 ? begins[here - 1] : shared_before.y - 1);
#endif
    }
}
