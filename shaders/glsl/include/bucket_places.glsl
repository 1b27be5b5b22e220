// Provides place_of(): the position of an element of a split piece in the output of all pieces, where the buckets
// of all pieces are adjacent.
//
// The table has m + 1 words with the start of each bucket in the piece, then one word per bucket that is added to
// an element's index in the piece, modulo 2^32.
//
// Needs PLACE_TABLE_BINDING. Kernels have m and the first step of the search among their push constants.

#ifndef BUCKET_PLACES_GLSL
#define BUCKET_PLACES_GLSL

layout(set = 0, binding = PLACE_TABLE_BINDING, std430) readonly buffer Table { uint at[]; } table;

// Returns the output position of an element of the piece. Finds its bucket by binary search. `first_step` is the
// largest power of two below `buckets`, or 0. All threads do the same number of iterations.
uint place_of(uint element, uint buckets, uint first_step) {
    uint bucket = 0;
    for (uint step = first_step; step > 0; step >>= 1) {
        uint next = bucket + step;
        if (next < buckets && table.at[next] <= element) bucket = next;
    }
    return element + table.at[buckets + 1 + bucket];
}

#endif
