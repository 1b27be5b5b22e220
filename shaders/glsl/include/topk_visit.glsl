// Provides visit_elements(), which processes the elements of a range in any order: 16 elements per thread at a
// time, or 8 of 64 bits.
//
// Needs VISIT(first, present): `loaded` holds the keys of elements first + item_offset(i), for each bit i set in
// `present`. VISIT is called by whole workgroups.

#ifndef TOPK_VISIT_GLSL
#define TOPK_VISIT_GLSL

#include "topk.glsl"

layout(set = 0, binding = 0, std430) readonly buffer Keys { KEY at[]; } keys;
#if KEY_BITS == 32
layout(set = 0, binding = 0, std430) readonly buffer KeysVec4 { uvec4 at[]; } keys_vec4;
const uint VECTOR = 4;
const uint VECTORS = 4;
#else
const uint VECTOR = 1;
const uint VECTORS = 8;
#endif
const uint LOADED = VECTOR * VECTORS;
const uint VISIT_TILE = gl_WorkGroupSize.x * LOADED;
const uint ALL_PRESENT = (1u << LOADED) - 1;

KEY loaded[LOADED];

// Returns the distance of item i from the thread's first item.
uint item_offset(uint i) {
    return i / VECTOR * (gl_WorkGroupSize.x * VECTOR) + i % VECTOR;
}

void load_vector(uint j, uint v) {
#if KEY_BITS == 32
    uvec4 four = keys_vec4.at[v];
    [[unroll]] for (uint c = 0; c < VECTOR; ++c) loaded[j * VECTOR + c] = four[c];
#else
    loaded[j] = keys.at[v];
#endif
}

void clear_loaded() {
    [[unroll]] for (uint i = 0; i < LOADED; ++i) loaded[i] = KEY(0);
}

// Loads this thread's vectors below `end`, and returns the bits of the items present.
uint load_vectors(uint first, uint end) {
    uint present = 0;
    clear_loaded();
    [[unroll]] for (uint j = 0; j < VECTORS; ++j) {
        uint v = first + j * gl_WorkGroupSize.x;
        if (v < end) {
            load_vector(j, v);
            present |= ((1u << VECTOR) - 1) << (j * VECTOR);
        }
    }
    return present;
}

// Loads one of the elements before the first or after the last whole vector of [begin, end). Returns the bits of
// the items present.
uint load_edge(uint at, uint begin, uint end, uvec2 vectors, out uint first) {
    bool before = at < VECTOR;
    first = before ? begin + at : vectors.y * VECTOR + (at - VECTOR);
    clear_loaded();
    uint limit = before ? min(end, vectors.x * VECTOR) : end;
    if (at >= 2 * VECTOR || first >= limit) return 0;
    loaded[0] = keys.at[first];
    return 1;
}

// Visits the elements [begin, end) of the whole array. Called by all threads.
void visit_elements(uint begin, uint end) {
    uvec2 vectors;
    vectors.x = begin / VECTOR + (begin % VECTOR != 0 ? 1 : 0);
    vectors.y = max(end / VECTOR, vectors.x);
    const uint width = gl_WorkGroupSize.x * VECTORS;
    const uint edge_turns = VECTOR == 1 ? 0 : (2 * VECTOR + gl_WorkGroupSize.x - 1) / gl_WorkGroupSize.x;
    uint turns = (vectors.y - vectors.x) / width + ((vectors.y - vectors.x) % width != 0 ? 1 : 0);
    for (uint turn = 0; turn < turns + edge_turns; ++turn) {
        uint first;
        uint present;
        if (turn < turns) {
            uint v = vectors.x + turn * width + thread_rank();
            first = v * VECTOR;
            if (vectors.y - vectors.x - turn * width >= width) {
                [[unroll]] for (uint j = 0; j < VECTORS; ++j) load_vector(j, v + j * gl_WorkGroupSize.x);
                present = ALL_PRESENT;
            } else {
                present = load_vectors(v, vectors.y);
            }
        } else {
            uint at = (turn - turns) * gl_WorkGroupSize.x + thread_rank();
            present = load_edge(at, begin, end, vectors, first);
        }
        VISIT(first, present)
    }
}

#endif
