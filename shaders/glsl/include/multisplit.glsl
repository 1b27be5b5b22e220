// What the kernels of splits and sorts share: their constants, their push block and their keys.
//
// What a kernel goes by differs, and with it the middle of the block: a function of the user's
// (USER_BUCKET), all digits of a sort (ALL_DIGITS), or a built-in bucket function, which in a round of
// a sort (SORT) is a digit. The host has the same names in multisplit/push.rs.

#ifndef MULTISPLIT_GLSL
#define MULTISPLIT_GLSL

#include "constant_ids.glsl"

layout(constant_id = SUBGROUP_SIZE_ID) const uint SUBGROUP_SIZE = 32;
#define MIN_LANES SUBGROUP_SIZE
layout(constant_id = BUCKET_BITS_ID) const uint BUCKET_BITS = 8;  // ceil(log2 m), at least 1
layout(constant_id = BUCKET_KIND_ID) const uint BUCKET_KIND = 0;
layout(constant_id = KEY_KIND_ID) const uint KEY_KIND = 0;

layout(push_constant) uniform Push {
    uint count;         // n: elements
    uint buckets;       // m: buckets
    uint ids;           // ids of the bucket function: m, unless this splits by a part of the id
    uint part_shift;    // where that part begins
    uint subproblems;   // L: subproblems (tiles, where there are none)
    uint parts;         // windows or tiles of one subproblem; the bit that a scan-based split goes by; of
                        // segments, the rounds
#if defined(USER_BUCKET)
    uint parameter_0;   // what the user's function reads, as it was given
    uint parameter_1;
    uint parameter_2;
#elif defined(ALL_DIGITS)
    uint first_bit;     // the bits that are sorted by
    uint bit_count;
    uint descending;    // whether the order is
#else
    uint shift_or_min;  // bucket functions share these five: the table is in bucket.glsl
    uint min_high;
    uint width_or_scale;
    uint mask_or_width_high;
    uint flip_or_reciprocal;
#endif
    uint round;         // of a sort: which row of the histogram counts these buckets, or how many rounds
#ifdef SORT
    uint round_pair;    // the bits of this round and of the one that moves the data back
    uint idle_rounds;   // the bits of rounds that are idle by definition
#endif
} push;

#include "count.glsl"

#ifdef SEGMENTS
#include "segments.glsl"
// The segment that the tile at hand is part of; elements end where it does.
LargeSegment segment;
#define FIRST_ELEMENT segment.begin
#define FIRST_OF(tile) (segment.begin + (tile) * TILE)

uint element_count() {
    return segment.end;
}
#else
#define FIRST_ELEMENT 0
#define FIRST_OF(tile) tile * TILE

uint element_count() {
    return resolved_count(push.count);
}
#endif

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
