// Interface of multisplit and sort kernels: constants, push constants and keys.
//
// The middle of the push block depends on the kind of kernel: a user's bucket function (USER_BUCKET), all digits
// of a sort (ALL_DIGITS), or a built-in bucket function, which is a digit in the rounds of a sort (SORT). The
// names must match operations/split/push.rs.

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
    uint ids;           // number of ids of the bucket function: m, unless a pass uses some bits of the id
    uint part_shift;    // lowest bit of the id that the pass uses
    uint subproblems;   // L: subproblem count; in kernels without subproblems, the tile count
    uint parts;         // windows or tiles per subproblem; in a scan-based split, the bit of the id to split by; in a
                        // segmented sort, the number of rounds
#if defined(USER_BUCKET)
    uint parameter_0;   // parameters of the user's function
    uint parameter_1;
    uint parameter_2;
#elif defined(ALL_DIGITS)
    uint first_bit;     // lowest bit to sort by
    uint bit_count;     // number of bits to sort by
    uint descending;    // whether the order is descending
#else
    uint shift_or_min;  // shared by the bucket functions; see the table in bucket.glsl
    uint min_high;
    uint width_or_scale;
    uint mask_or_width_high;
    uint flip_or_reciprocal;
#endif
    uint round;         // round of a sort; in sort.small, the number of rounds; in sort.histogram, the size of the
                        // status in units of 16 bytes
#ifdef SORT
    uint round_pair;    // bits of this round and its partner; if both are no-ops, neither moves data
    uint idle_rounds;   // bit r: round r is known to be a no-op
#endif
} push;

#include "count.glsl"

#ifdef SEGMENTS
#include "segments.glsl"
// The segment of the current tile. Its end replaces the element count.
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
