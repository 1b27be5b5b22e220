// Loads segment heads: elements with a nonzero flag, elements whose key differs from the key before, the first element
// of each row, or elements whose bit is set. Element 0 is always a head.
//
// Also declares the push constants of the kernels that include this file.
//
// Head bits are a mask with one bit per element of a vector (tile.glsl): bit c is set if element c is a head.

#ifndef HEADS_GLSL
#define HEADS_GLSL

#include "constant_ids.glsl"
#include "tile.glsl"

// Must match SweepPush of operations/shared/segment_sweep.rs.
layout(push_constant) uniform Push {
    uint count;       // elements in `src`
    uint row_length;  // elements per row, if heads are given by EQUAL_ROWS
} push;

// The form in which segment heads are given. The values must match operations/shared/segment_sweep.rs.
layout(constant_id = HEADS_ID) const uint HEADS = 0;
const uint FLAGS = 0;       // nonzero words
const uint KEYS = 1;        // 32-bit keys
const uint WIDE_KEYS = 2;   // 64-bit keys
const uint EQUAL_ROWS = 3;  // rows of `row_length` elements; `keys` is not read
const uint BITS = 4;        // one bit per element

layout(set = 0, binding = 3, std430) readonly buffer Keys { uint at[]; } keys;
layout(set = 0, binding = 3, std430) readonly buffer KeysVec2 { uvec2 at[]; } keys_vec2;
layout(set = 0, binding = 3, std430) readonly buffer KeysVec4 { uvec4 at[]; } keys_vec4;

// Returns a flag or key as two words. The second word is 0 for flags and 32-bit keys.
uvec2 load_key(uint i) {
    if (HEADS == WIDE_KEYS) return keys_vec2.at[i];
    return uvec2(keys.at[i], 0);
}

// Loads the flags or keys of the elements of vector v. Elements at and past the count are zero.
void load_keys(uint v, uint count, out uvec2 x[ROW_TERMS]) {
    if (!is_whole(v, count)) {
        [[unroll]] for (uint c = 0; c < ROW_TERMS; ++c) {
            x[c] = uvec2(0);
            if (ROW_TERMS * v + c < count) x[c] = load_key(ROW_TERMS * v + c);
        }
    } else if (HEADS == WIDE_KEYS) {
        [[unroll]] for (uint c = 0; c < ROW_TERMS; c += 2) {
            uvec4 two = keys_vec4.at[(ROW_TERMS * v + c) / 2];
            x[c] = two.xy;
            x[c + 1] = two.zw;
        }
    } else {
#if TERM_WORDS == 2
        uvec2 words = keys_vec2.at[v];
#else
        uvec4 words = keys_vec4.at[v];
#endif
        [[unroll]] for (uint c = 0; c < ROW_TERMS; ++c) x[c] = uvec2(words[c], 0);
    }
}

// Returns the head bits of the vector that begins with element `first`, for EQUAL_ROWS and BITS.
uint head_bits_at(uint first, uint count) {
    if (first >= count) return 0;
    uint bits = first == 0 ? 1 : 0;
    if (HEADS == BITS) {
        bits |= keys.at[first / 32] >> (first % 32);
    } else {
        uint in_row = first % push.row_length;
        [[unroll]] for (uint c = 0; c < ROW_TERMS; ++c) {
            if (in_row == 0) bits |= 1u << c;
            in_row = in_row + 1 == push.row_length ? 0 : in_row + 1;
        }
    }
    return bits & ((1u << min(count - first, ROW_TERMS)) - 1);
}

// Returns the head bits of vector v; bits at and past the count are 0. Called by whole subgroups; adjacent lanes must
// have adjacent vectors.
uint head_bits(uint v, uint count) {
    if (HEADS == EQUAL_ROWS || HEADS == BITS) return head_bits_at(ROW_TERMS * v, count);
    uvec2 x[ROW_TERMS];
    load_keys(v, count, x);
    uvec2 last = x[ROW_TERMS - 1];
    uint before_lane = max(gl_SubgroupInvocationID, 1) - 1;
    uvec2 before = uvec2(0);
    if (HEADS != FLAGS) before.x = subgroupShuffle(last.x, before_lane);
    if (HEADS == WIDE_KEYS) before.y = subgroupShuffle(last.y, before_lane);
    bool from_memory = gl_SubgroupInvocationID == 0 && v > 0 && ROW_TERMS * v < count;
    if (HEADS != FLAGS && from_memory) before = load_key(ROW_TERMS * v - 1);
    uint bits = 0;
    [[unroll]] for (uint c = 0; c < ROW_TERMS; ++c) {
        bool is_head = x[c] != before || (v == 0 && c == 0);
        if (is_head && ROW_TERMS * v + c < count) bits |= 1u << c;
        // Keys are compared with the preceding key, flags with 0.
        if (HEADS != FLAGS) before = x[c];
    }
    return bits;
}

// Loads the head bits of this thread's vectors of the tile that starts at element `first`. Called by whole subgroups.
void load_heads(uint first, uint count, out uint bits[TILE_ROWS]) {
    [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r) bits[r] = head_bits(row_index(first, r), count);
}

#endif
