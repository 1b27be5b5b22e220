// Loads keys of a tile and evaluates the predicate of a selection.
//
// Tiles have rows of one element per lane (lane_rows.glsl). Each lane has a mask of its selected elements, with one bit
// per row. ITEMS is defined in kernels.txt, from which the host reads it too.

#ifndef SELECTED_GLSL
#define SELECTED_GLSL

#include "constant_ids.glsl"
#include "src_dst.glsl"
#include "lane_rows.glsl"

#if KEY_BITS == 64
#define KEY uint64_t
layout(set = 0, binding = 0, std430) readonly buffer SrcVec2 { uvec2 at[]; } src_vec2;
layout(set = 0, binding = 1, std430) writeonly buffer DstVec2 { uvec2 at[]; } dst_vec2;
#else
#define KEY uint
#endif

layout(constant_id = KEY_KIND_ID) const uint KEY_KIND = 0;
layout(constant_id = PREDICATE_ID) const uint PREDICATE = 0;

// Values of PREDICATE; must match operations/select.
const uint BY_FLAGS = 0;  // nonzero flag
const uint BY_RANGE = 1;  // key inside a range, or outside of it if inverted
const uint BY_HEADS = 2;  // key differs from the preceding one, or is the first

#ifdef USER_PREDICATE
// Buffer that the user's function may read.
layout(set = 0, binding = 3, std430) readonly buffer Table { uint at[]; } table;
#include "user_key.glsl"
#include "user_predicate.glsl"
#else
layout(set = 0, binding = 3, std430) readonly buffer Flags { uint at[]; } flags;
#endif

const uint TILE = gl_WorkGroupSize.x * ITEMS;

KEY load_key(uint i) {
#if KEY_BITS == 64
    return packUint2x32(src_vec2.at[i]);
#else
    return load_one(i);
#endif
}

void store_key(uint i, KEY key) {
#if KEY_BITS == 64
    dst_vec2.at[i] = unpackUint2x32(key);
#else
    store_one(i, key);
#endif
}

// Loads this lane's keys of the tile that starts at element `first`, with zero at and past the count.
void load_keys(uint first, uint count, out KEY keys[ITEMS]) {
    if (count - first >= TILE) {
        [[unroll]] for (uint r = 0; r < ITEMS; ++r) keys[r] = load_key(element_index(first, r));
    } else {
        [[unroll]] for (uint r = 0; r < ITEMS; ++r) {
            uint i = element_index(first, r);
            keys[r] = KEY(0);
            if (i < count) keys[r] = load_key(i);
        }
    }
}

KEY key_of_lane(KEY x, uint lane) {
#if KEY_BITS == 64
    return packUint2x32(subgroupShuffle(unpackUint2x32(x), lane));
#else
    return subgroupShuffle(x, lane);
#endif
}

// Maps the bits of a key to an unsigned number that compares like the key.
KEY ordered(KEY bits) {
    const KEY top = KEY(1) << (KEY_BITS - 1);
    if (KEY_KIND == 1) return bits ^ top;
    if (KEY_KIND == 2) return bits ^ ((bits & top) != 0 ? ~KEY(0) : top);
    return bits;
}

bool is_in_range(KEY bits, KEY low, KEY high) {
    KEY x = ordered(bits);
    return x >= low && x <= high;
}

// Returns whether x, the element at index i, is selected. `before` is the preceding element, used by BY_HEADS
// only.
bool is_selected_at(uint i, KEY x, KEY before) {
#ifdef USER_PREDICATE
    return is_selected(user_key(x, USER_KEY_TYPE(0)));
#else
    if (PREDICATE == BY_FLAGS) return flags.at[i] != 0;
    if (PREDICATE == BY_HEADS) return i == 0 || x != before;
#if KEY_BITS == 64
    KEY low = packUint2x32(push.low);
    KEY high = packUint2x32(push.high);
#else
    KEY low = push.low.x;
    KEY high = push.high.x;
#endif
    return is_in_range(x, low, high) == (push.inverted == 0);
#endif
}

bool compares_neighbours() {
#ifdef USER_PREDICATE
    return false;
#else
    return PREDICATE == BY_HEADS;
#endif
}

// Returns the element that precedes this lane's element of a row. For the first lane, that is the last element of
// the row before. Called by whole subgroups.
KEY before_lanes(KEY x, KEY row_before) {
    return key_of_lane(is_last_lane() ? row_before : x, lane_before());
}

// Returns whether the predicate may be evaluated at index i. Flags are not read, and users' functions are not called,
// at and past the count.
bool is_evaluated(uint i, uint count) {
#ifdef USER_PREDICATE
    return i < count;
#else
    return PREDICATE != BY_FLAGS || i < count;
#endif
}

// Returns one bit per row, set if this lane's element is selected. Called by whole subgroups.
uint selected_rows(uint first, uint count, KEY keys[ITEMS]) {
    uint rows = 0;
    [[unroll]] for (uint r = 0; r < ITEMS; ++r) {
        uint i = element_index(first, r);
        KEY before = KEY(0);
        if (compares_neighbours()) {
            before = before_lanes(keys[r], keys[max(r, 1) - 1]);
            if (r == 0 && gl_SubgroupInvocationID == 0 && i > 0 && i < count) before = load_key(i - 1);
        }
        if (is_evaluated(i, count) && is_selected_at(i, keys[r], before)) rows |= 1u << r;
    }
    return rows & rows_below(first, count);
}

#endif
