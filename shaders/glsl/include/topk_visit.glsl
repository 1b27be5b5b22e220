// Loads the elements of a range in turns, in any order: up to LOADED elements per thread and turn, 16 of 32 bits or 8
// of 64 bits.
//
// Declares binding 0. Gives Turns, turns_of(), load_turn() and item_offset(). All threads of a workgroup have the same
// turns.

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

// The turns in which a workgroup loads the elements [begin, end) of the whole array.
struct Turns {
    uint begin;
    uint end;
    uvec2 vectors;      // whole vectors of the range
    uint vector_turns;  // turns for these
    uint count;         // all turns; the last ones are for the elements before and after the whole vectors
};

Turns turns_of(uint begin, uint end) {
    uvec2 vectors;
    vectors.x = begin / VECTOR + (begin % VECTOR != 0 ? 1 : 0);
    vectors.y = max(end / VECTOR, vectors.x);
    const uint width = gl_WorkGroupSize.x * VECTORS;
    const uint edge_turns = VECTOR == 1 ? 0 : (2 * VECTOR + gl_WorkGroupSize.x - 1) / gl_WorkGroupSize.x;
    uint turns = (vectors.y - vectors.x) / width + ((vectors.y - vectors.x) % width != 0 ? 1 : 0);
    return Turns(begin, end, vectors, turns, turns + edge_turns);
}

// Returns the distance of item i of a turn from the thread's first item.
uint item_offset(uint i) {
    return i / VECTOR * (gl_WorkGroupSize.x * VECTOR) + i % VECTOR;
}

KEY[VECTOR] load_vector(uint v) {
#if KEY_BITS == 32
    uvec4 four = keys_vec4.at[v];
    return KEY[VECTOR](four.x, four.y, four.z, four.w);
#else
    return KEY[VECTOR](keys.at[v]);
#endif
}

// Loads this thread's vectors, from vector `first` on, that are before vector `end`. Returns the bits of the items
// present.
uint load_vectors(uint first, uint end, out KEY loaded[LOADED]) {
    uint present = 0;
    [[unroll]] for (uint j = 0; j < VECTORS; ++j) {
        uint v = first + j * gl_WorkGroupSize.x;
        KEY keys_of_vector[VECTOR];
        [[unroll]] for (uint c = 0; c < VECTOR; ++c) keys_of_vector[c] = KEY(0);
        if (v < end) {
            keys_of_vector = load_vector(v);
            present |= ((1u << VECTOR) - 1) << (j * VECTOR);
        }
        [[unroll]] for (uint c = 0; c < VECTOR; ++c) loaded[j * VECTOR + c] = keys_of_vector[c];
    }
    return present;
}

// Loads one of the elements before the first or after the last whole vector. Returns the bits of the items present.
uint load_edge(uint at, const Turns turns, out KEY loaded[LOADED], out uint first) {
    bool before = at < VECTOR;
    first = before ? turns.begin + at : turns.vectors.y * VECTOR + (at - VECTOR);
    uint limit = before ? min(turns.end, turns.vectors.x * VECTOR) : turns.end;
    [[unroll]] for (uint i = 0; i < LOADED; ++i) loaded[i] = KEY(0);
    bool inside = at < 2 * VECTOR && first < limit;
    if (inside) loaded[0] = keys.at[first];
    return inside ? 1 : 0;
}

// Loads this thread's keys of a turn. For each bit i set in the result, loaded[i] is the key of element
// first + item_offset(i).
uint load_turn(const Turns turns, uint turn, out KEY loaded[LOADED], out uint first) {
    uint present;
    if (turn < turns.vector_turns) {
        uint begin = turns.vectors.x + turn * (gl_WorkGroupSize.x * VECTORS);
        uint v = begin + thread_rank();
        first = v * VECTOR;
        if (turns.vectors.y - begin >= gl_WorkGroupSize.x * VECTORS) {
            [[unroll]] for (uint j = 0; j < VECTORS; ++j) {
                KEY keys_of_vector[VECTOR] = load_vector(v + j * gl_WorkGroupSize.x);
                [[unroll]] for (uint c = 0; c < VECTOR; ++c) loaded[j * VECTOR + c] = keys_of_vector[c];
            }
            present = ALL_PRESENT;
        } else {
            present = load_vectors(v, turns.vectors.y, loaded);
        }
    } else {
        uint at = (turn - turns.vector_turns) * gl_WorkGroupSize.x + thread_rank();
        present = load_edge(at, turns, loaded, first);
    }
    return present;
}

#endif
