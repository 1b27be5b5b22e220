// The key type and the constants of the kernels that split or sort by buckets.
//
// Needs: KEY_BITS, which kernels.txt defines as 32 or 64.
// Gives: KEY, and the constants below.

#ifndef SPLIT_CONSTANTS_GLSL
#define SPLIT_CONSTANTS_GLSL

#include "constant_ids.glsl"

#if KEY_BITS == 64
#define KEY uint64_t
#else
#define KEY uint
#endif

layout(constant_id = SUBGROUP_SIZE_ID) const uint SUBGROUP_SIZE = 32;
#define MIN_LANES SUBGROUP_SIZE  // read by subgroup_sums.glsl
layout(constant_id = BUCKET_BITS_ID) const uint BUCKET_BITS = 8;  // ceil(log2 m) for m buckets, at least 1
layout(constant_id = KEY_KIND_ID) const uint KEY_KIND = 0;        // see key_order.glsl

// The built-in bucket functions.
layout(constant_id = BUCKET_KIND_ID) const uint BUCKET_KIND = 0;
const uint BUCKET_DIGIT = 0;       // (key >> shift) & mask
const uint BUCKET_DELTA = 1;       // (ordered(key) - min) / width
const uint BUCKET_EVEN = 2;        // 32-bit floats; bucket k begins at k * width + min, each operation rounded
const uint BUCKET_RANGE = 3;       // number of splitters at or below the key
const uint BUCKET_IDENTITY = 4;    // the key
const uint BUCKET_ORDERED = 5;     // ((ordered(key) >> shift) ^ flip) & mask
const uint BUCKET_EVEN_RANGE = 6;  // as BUCKET_RANGE, but all NaNs belong to the last bucket

#endif
