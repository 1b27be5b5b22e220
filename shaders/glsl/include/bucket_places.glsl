// Where does an element of a piece go that was split into buckets, when the buckets of all pieces are
// put next to each other?
//
// The table has m + 1 words that say where each bucket of the piece begins, and then for each bucket
// what is to be added to the number of an element in the piece, modulo 2^32. The kernel defines
// PLACE_TABLE_BINDING, and has m and the first step of the search among its push constants.

#ifndef BUCKET_PLACES_GLSL
#define BUCKET_PLACES_GLSL

layout(set = 0, binding = PLACE_TABLE_BINDING, std430) readonly buffer Table { uint at[]; } table;

// `first_step` is the largest power of two below m, or 0. Every thread takes as many rounds.
uint place_of(uint element, uint buckets, uint first_step) {
    uint bucket = 0;
    for (uint step = first_step; step > 0; step >>= 1) {
        uint next = bucket + step;
        if (next < buckets && table.at[next] <= element) bucket = next;
    }
    return element + table.at[buckets + 1 + bucket];
}

#endif
