// Provides place_of(), for inputs that are split in pieces: maps an element's position in the output of its piece to
// its position in the output of all pieces, where the elements of each bucket are adjacent.
//
// The table starts with m + 1 words, the starts of the m buckets in the output of the piece, and its end. One word per
// bucket follows, which is added, modulo 2^32, to an element's position in the output of the piece.
//
// Needs PLACE_TABLE_BINDING. Kernels have m and the first step of the search among their push constants.

#ifndef BUCKET_PLACES_GLSL
#define BUCKET_PLACES_GLSL

layout(set = 0, binding = PLACE_TABLE_BINDING, std430) readonly buffer Table { uint at[]; } table;

// Returns the position of `element` in the output of all pieces. Finds its bucket by binary search. `first_step` is
// the largest power of two below `buckets`, or 0. All threads do the same number of iterations.
uint place_of(uint element, uint buckets, uint first_step) {
    uint bucket = 0;
    for (uint step = first_step; step > 0; step >>= 1) {
        uint next = bucket + step;
        if (next < buckets && table.at[next] <= element) bucket = next;
    }
    return element + table.at[buckets + 1 + bucket];
}

#endif
