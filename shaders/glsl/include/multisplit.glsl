// What the kernels of multisplit share: their constants, their push block, their keys and values.
//
// A kernel defines KEYS_ONLY, PAIRS or PERMUTATION (what it moves), and by KEY_BITS the width of
// a key. What kind of key it is, and how many words a value has, is a specialization constant.

layout(constant_id = 1) const uint SUBGROUP_SIZE = 32;
layout(constant_id = 2) const uint BUCKET_BITS = 8;  // ceil(log2 m), at least 1
layout(constant_id = 3) const uint BUCKET_KIND = 0;
layout(constant_id = 4) const uint KEY_KIND = 0;
layout(constant_id = 5) const uint VALUE_WORDS = 1;
layout(constant_id = 6) const uint ITEMS = 8;  // keys of one thread in a tile

layout(push_constant) uniform Push {
    uint count;              // n, the number of elements
    uint buckets;            // m, the number of buckets
    uint subproblems;        // L, the number of subproblems (or of tiles)
    uint tiles;              // tiles (or windows) of one subproblem
    uint bucket_parameter_0; // what these say depends on the kind of bucket function
    uint bucket_parameter_1;
    uint bucket_parameter_2;
} push;

#if KEY_BITS == 64
#define KEY uint64_t
#else
#define KEY uint
#endif

layout(set = 0, binding = 0, std430) readonly buffer Keys { KEY at[]; } keys;
