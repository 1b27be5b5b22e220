// Where segments begin: at elements that are flagged, or whose key is another one than that of the element
// before. The first element begins one in any case.
//
// A row is four elements per lane, as in tile.glsl, and the beginnings of it four bits per lane.

#ifndef HEADS_GLSL
#define HEADS_GLSL

#include "constant_ids.glsl"
#include "tile.glsl"

layout(constant_id = HEADS_ID) const uint HEADS = 0;

// The host has the same in primitives/open.rs.
const uint FLAGS = 0;      // words that are not zero
const uint KEYS = 1;       // of 32 bits
const uint WIDE_KEYS = 2;  // of 64 bits

layout(set = 0, binding = 3, std430) readonly buffer Keys { uint at[]; } keys;
layout(set = 0, binding = 3, std430) readonly buffer KeysVec4 { uvec4 at[]; } keys_vec4;

// Four words, or keys of one word, from index 4 v on; zero at and past the count.
uvec4 load_keys(uint v, uint count) {
    uvec4 x = uvec4(0);
    if (is_whole(v, count)) {
        x = keys_vec4.at[v];
    } else {
        for (uint c = 0; c < 4; ++c)
            if (4 * v + c < count) x[c] = keys.at[4 * v + c];
    }
    return x;
}

// Four keys of two words.
void load_wide_keys(uint v, uint count, out uvec2 x[4]) {
    if (is_whole(v, count)) {
        uvec4 low = keys_vec4.at[2 * v];
        uvec4 high = keys_vec4.at[2 * v + 1];
        x = uvec2[4](low.xy, low.zw, high.xy, high.zw);
    } else {
        x = uvec2[4](uvec2(0), uvec2(0), uvec2(0), uvec2(0));
        for (uint c = 0; c < 4; ++c)
            if (4 * v + c < count) x[c] = uvec2(keys.at[8 * v + 2 * c], keys.at[8 * v + 2 * c + 1]);
    }
}

// Which of the four elements from 4 v on begin a segment, none at or past the count. Called by whole
// subgroups, whose lanes have rows side by side.
uint head_bits(uint v, uint count) {
    bvec4 is;
    uint before_lane = max(gl_SubgroupInvocationID, 1) - 1;
    bool from_memory = gl_SubgroupInvocationID == 0 && v > 0 && 4 * v < count;
    if (HEADS == FLAGS) {
        is = notEqual(load_keys(v, count), uvec4(0));
    } else if (HEADS == KEYS) {
        uvec4 x = load_keys(v, count);
        uint before = subgroupShuffle(x.w, before_lane);
        if (from_memory) before = keys.at[4 * v - 1];
        is = notEqual(x, uvec4(before, x.xyz));
    } else {
        uvec2 x[4];
        load_wide_keys(v, count, x);
        uvec2 before = subgroupShuffle(x[3], before_lane);
        if (from_memory) before = uvec2(keys.at[8 * v - 2], keys.at[8 * v - 1]);
        is = bvec4(x[0] != before, x[1] != x[0], x[2] != x[1], x[3] != x[2]);
    }
    if (v == 0) is.x = true;
    uint bits = 0;
    for (uint c = 0; c < 4; ++c)
        if (is[c] && 4 * v + c < count) bits |= 1u << c;
    return bits;
}

void load_heads(uint first, uint count, out uint bits[ROWS]) {
    [[unroll]] for (uint r = 0; r < ROWS; ++r) bits[r] = head_bits(row_index(first, r), count);
}

#endif
