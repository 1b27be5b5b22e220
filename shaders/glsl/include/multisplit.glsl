// Interface of the multisplit kernels: push constants, counts and input keys.
//
// Needs: KEY_BITS; USER_BUCKET, if the bucket function is a user's.
// Gives: push, element_count(), subproblem_count(), keys, keys_vec4, and what split_constants.glsl gives.

#ifndef MULTISPLIT_GLSL
#define MULTISPLIT_GLSL

#include "constant_ids.glsl"
#include "split_constants.glsl"

// The names must match operations/split/push.rs.
layout(push_constant) uniform Push {
    uint count;         // n: elements
    uint buckets;       // m: buckets
    uint ids;           // number of ids of the bucket function: m, unless a pass uses some bits of the id
    uint part_shift;    // lowest bit of the id that the pass uses
    uint subproblems;   // L: subproblem count; in kernels without subproblems, the tile count
    uint parts;         // windows, stretches or tiles per subproblem; in a scan-based split, bit of the id to split by
#ifdef USER_BUCKET
    uint parameter_0;   // parameters of the user's function
    uint parameter_1;
    uint parameter_2;
#else
    uint shift_or_min;  // shared by the bucket functions; see the table in bucket.glsl
    uint min_high;
    uint width_or_scale;
    uint mask_or_width_high;
    uint flip_or_reciprocal;
#endif
    uint round;         // always 0; count_tile() takes the round of a sort
} push;

#include "count.glsl"

uint element_count() {
    return resolved_count(push.count);
}

uint subproblem_count() {
    return resolved_count(push.subproblems);
}

layout(set = 0, binding = 0, std430) readonly buffer Keys { KEY at[]; } keys;
#if KEY_BITS == 32
layout(set = 0, binding = 0, std430) readonly buffer KeysVec4 { uvec4 at[]; } keys_vec4;
#endif

#endif
