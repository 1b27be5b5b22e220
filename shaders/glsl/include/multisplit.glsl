// What the kernels of multisplit share: their constants, their push block and their keys.

#ifndef MULTISPLIT_GLSL
#define MULTISPLIT_GLSL

#include "constant_ids.glsl"

layout(constant_id = SUBGROUP_SIZE_ID) const uint SUBGROUP_SIZE = 32;
#define MIN_LANES SUBGROUP_SIZE
layout(constant_id = BUCKET_BITS_ID) const uint BUCKET_BITS = 8;  // ceil(log2 m), at least 1
layout(constant_id = BUCKET_KIND_ID) const uint BUCKET_KIND = 0;
layout(constant_id = KEY_KIND_ID) const uint KEY_KIND = 0;

layout(push_constant) uniform Push {
    uint count;         // n, the number of elements
    uint buckets;       // m, the number of buckets
    uint ids;           // ids of the bucket function: m, unless this splits by a part of the id
    uint part_shift;    // where that part begins
    uint subproblems;   // L, the number of subproblems (of tiles, where there are none)
    uint parts;         // windows or tiles of one subproblem; the bit that a scan-based split goes by
    uint parameter_a;   // what these say depends on the kind of bucket function
    uint parameter_b;
    uint parameter_c;
    uint parameter_d;
    uint parameter_e;
    uint round;         // which row of the histogram counts these buckets; 0 unless this is a sort
} push;

#include "count.glsl"

uint element_count() {
    return resolved_count(push.count);
}

uint subproblem_count() {
    return resolved_count(push.subproblems);
}

#if KEY_BITS == 64
#define KEY uint64_t
#else
#define KEY uint
#endif

#ifndef IN_PLACE
layout(set = 0, binding = 0, std430) readonly buffer Keys { KEY at[]; } keys;
#if KEY_BITS == 32
layout(set = 0, binding = 0, std430) readonly buffer KeysVec4 { uvec4 at[]; } keys_vec4;
#endif
#endif

#endif
