// Declares the buffers to which multisplit and sort kernels move elements: the output of the keys; with PAIRS, also the
// input and output of the values; with PERMUTATION, only the output position of each element. With PACKING, the output
// has two 16-bit keys per word.
//
// Needs: KEY (split_constants.glsl); one of KEYS, PAIRS and PERMUTATION.
// Gives: keys_out, values and values_out, or permutation; move_element().

#ifndef MOVE_GLSL
#define MOVE_GLSL

#include "split_constants.glsl"
#include "values.glsl"

#ifdef PERMUTATION
layout(set = 0, binding = 4, std430) writeonly buffer Permutation { uint at[]; } permutation;
#elif defined(PACKING)
layout(set = 0, binding = 4, std430) buffer KeysOut { uint at[]; } keys_out;
#else
layout(set = 0, binding = 4, std430) writeonly buffer KeysOut { KEY at[]; } keys_out;
#endif

#ifdef PAIRS
layout(set = 0, binding = 5, std430) readonly buffer Values { uint at[]; } values;
layout(set = 0, binding = 5, std430) readonly buffer Values2 { uvec2 at[]; } values_vec2;
layout(set = 0, binding = 5, std430) readonly buffer Values4 { uvec4 at[]; } values_vec4;
layout(set = 0, binding = 6, std430) writeonly buffer ValuesOut { uint at[]; } values_out;
layout(set = 0, binding = 6, std430) writeonly buffer ValuesOut2 { uvec2 at[]; } values_out_vec2;
layout(set = 0, binding = 6, std430) writeonly buffer ValuesOut4 { uvec4 at[]; } values_out_vec4;

// Copies the value of element `from` to position `to`. With COUNTED_VALUES, the value is `from` itself.
void move_value(const uint from, const uint to) {
    if (VALUE_WORDS == 1) values_out.at[to] = COUNTED_VALUES != 0 ? from : values.at[from];
    if (VALUE_WORDS == 2) values_out_vec2.at[to] = values_vec2.at[from];
    if (VALUE_WORDS == 4) values_out_vec4.at[to] = values_vec4.at[from];
}
#endif

// Moves one element directly. With PACKING, the caller stores the key.
void move_element(const KEY key, const uint from, const uint to) {
#ifdef PERMUTATION
    permutation.at[from] = to;
#elif !defined(PACKING)
    keys_out.at[to] = key;
#endif
#ifdef PAIRS
    move_value(from, to);
#endif
}

#endif
