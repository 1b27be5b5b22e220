// Declares the outputs of multisplit and sort kernels. A kernel is compiled with KEYS, PAIRS or PERMUTATION (which
// writes the destination of each element instead of moving it). NO_OFFSETS omits the bucket offsets, PACKING
// stores narrow keys.

#ifndef MOVE_GLSL
#define MOVE_GLSL

#include "multisplit.glsl"
#include "values.glsl"

#ifndef NO_OFFSETS
layout(set = 0, binding = 3, std430) writeonly buffer Offsets { uint at[]; } offsets;
#endif

#ifdef PERMUTATION
layout(set = 0, binding = 4, std430) writeonly buffer Permutation { uint at[]; } permutation;
#elif defined(PACKING)
#include "pack_keys.glsl"
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
void move_value(uint from, uint to) {
    if (VALUE_WORDS == 1) values_out.at[to] = COUNTED_VALUES != 0 ? from : values.at[from];
    if (VALUE_WORDS == 2) values_out_vec2.at[to] = values_vec2.at[from];
    if (VALUE_WORDS == 4) values_out_vec4.at[to] = values_vec4.at[from];
}
#endif

// Moves one element directly. With PACKING, the caller stores the key.
void move_element(KEY key, uint from, uint to) {
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
