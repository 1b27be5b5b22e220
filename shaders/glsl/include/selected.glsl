// Which elements of a tile are selected: how keys are read, and what is asked of each.
//
// A row is four elements per lane, as in tile.glsl, and what is selected of it four bits per lane.

#ifndef SELECTED_GLSL
#define SELECTED_GLSL

#include "constant_ids.glsl"
#include "src_dst.glsl"

#if KEY_BITS == 64
#define KEY uint64_t
#define KEY4 u64vec4
#else
#define KEY uint
#define KEY4 uvec4
#endif

layout(constant_id = KEY_KIND_ID) const uint KEY_KIND = 0;
layout(constant_id = PREDICATE_ID) const uint PREDICATE = 0;

// The host has the same in primitives/select.
const uint BY_FLAGS = 0;  // the element's flag is not zero
const uint BY_RANGE = 1;  // the element is in a range of the order of keys, or is not
const uint BY_HEADS = 2;  // the element before it is another one, or there is none

#ifdef USER_PREDICATE
// A function of the user's is asked, which may read this.
layout(set = 0, binding = 3, std430) readonly buffer Table { uint at[]; } table;
#include "user_key.glsl"
#include "user_predicate.glsl"
#else
layout(set = 0, binding = 3, std430) readonly buffer Flags { uint at[]; } flags;
layout(set = 0, binding = 3, std430) readonly buffer FlagsVec4 { uvec4 at[]; } flags_vec4;
#endif

const uint TILE = gl_WorkGroupSize.x * ROWS * 4;

// Index, in units of four elements, of this thread's part of a row.
uint row_index(uint first, uint row) {
    return first / 4 + (gl_SubgroupID * ROWS + row) * gl_SubgroupSize + gl_SubgroupInvocationID;
}

KEY load_key(uint i) {
#if KEY_BITS == 64
    return packUint2x32(uvec2(load_one(2 * i), load_one(2 * i + 1)));
#else
    return load_one(i);
#endif
}

bool is_whole(uint v, uint count) {
    return 4 * v < count && count - 4 * v >= 4;
}

// Four elements from index 4 v on; zero at and past the count.
KEY4 load_keys(uint v, uint count) {
    KEY4 x = KEY4(0);
    if (is_whole(v, count)) {
#if KEY_BITS == 64
        uvec4 low = load_vec4(2 * v);
        uvec4 high = load_vec4(2 * v + 1);
        x = KEY4(packUint2x32(low.xy), packUint2x32(low.zw), packUint2x32(high.xy), packUint2x32(high.zw));
#else
        x = load_vec4(v);
#endif
    } else {
        for (uint c = 0; c < 4; ++c)
            if (4 * v + c < count) x[c] = load_key(4 * v + c);
    }
    return x;
}

#ifndef USER_PREDICATE
uvec4 load_flags(uint v, uint count) {
    uvec4 x = uvec4(0);
    if (is_whole(v, count)) {
        x = flags_vec4.at[v];
    } else {
        for (uint c = 0; c < 4; ++c)
            if (4 * v + c < count) x[c] = flags.at[4 * v + c];
    }
    return x;
}
#endif

KEY from_lane(KEY x, uint lane) {
#if KEY_BITS == 64
    return packUint2x32(subgroupShuffle(unpackUint2x32(x), lane));
#else
    return subgroupShuffle(x, lane);
#endif
}

// The bits of a key as an unsigned number that compares like the key.
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

// Which of the four elements from 4 v on are selected, none at or past the count. Called by whole
// subgroups, whose lanes have rows side by side.
uint selected_of_row(uint v, KEY4 x, uint count) {
    bvec4 is;
#ifdef USER_PREDICATE
    for (uint c = 0; c < 4; ++c) is[c] = is_selected(user_key(x[c], USER_KEY_TYPE(0)));
#else
    if (PREDICATE == BY_FLAGS) {
        is = notEqual(load_flags(v, count), uvec4(0));
    } else if (PREDICATE == BY_RANGE) {
#if KEY_BITS == 64
        KEY low = packUint2x32(push.low);
        KEY high = packUint2x32(push.high);
#else
        KEY low = push.low.x;
        KEY high = push.high.x;
#endif
        bool inside = push.inverted == 0;
        for (uint c = 0; c < 4; ++c) is[c] = is_in_range(x[c], low, high) == inside;
    } else {
        uint lane = gl_SubgroupInvocationID;
        KEY before = from_lane(x.w, max(lane, 1) - 1);
        if (lane == 0 && v > 0 && 4 * v < count) before = load_key(4 * v - 1);
        is = bvec4(v == 0 || x.x != before, x.y != x.x, x.z != x.y, x.w != x.z);
    }
#endif
    uint bits = 0;
    for (uint c = 0; c < 4; ++c)
        if (is[c] && 4 * v + c < count) bits |= 1u << c;
    return bits;
}

#endif
