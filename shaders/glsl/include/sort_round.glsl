// Interface of a round of a one-sweep sort: push constants, and the bucket of a key, which is a digit.
//
// Rounds do not use bucket.glsl. It declares a table, and if kernels take buffers by address, the push constants have
// no room for its address.
//
// Needs: KEY_BITS.
// Gives: push, tile_count(), bucket_at(), missing_key(), keys, and what split_constants.glsl and key_order.glsl give.

#ifndef SORT_ROUND_GLSL
#define SORT_ROUND_GLSL

#include "constant_ids.glsl"
#include "split_constants.glsl"
#include "key_order.glsl"

// The names must match operations/split/push.rs. Rounds do not read the members without a comment.
layout(push_constant) uniform Push {
    uint count;               // n: elements; not read by rounds of a segmented sort
    uint buckets;             // m: number of digit values
    uint ids;
    uint part_shift;
    uint subproblems;         // number of tiles
    uint parts;               // number of rounds; read by rounds of a segmented sort only
    uint shift_or_min;        // lowest bit of the digit
    uint min_high;
    uint width_or_scale;
    uint mask_or_width_high;  // mask of the digit, shifted down to bit 0
    uint flip_or_reciprocal;  // 0, or ~0 in descending order
    uint round;               // number of this round
    uint round_pair;          // bits of this round and its partner; two no-ops move no data, except in small sorts
    uint noop_rounds;         // bit r: round r is known to be a no-op
} push;

#include "count.glsl"

uint tile_count() {
    return resolved_count(push.subproblems);
}

layout(set = 0, binding = 0, std430) readonly buffer Keys { KEY at[]; } keys;

// Returns the digit of a key in this round.
uint bucket_at(const KEY key) {
    if (BUCKET_KIND == BUCKET_ORDERED)
        return (uint(ordered(key) >> push.shift_or_min) ^ push.flip_or_reciprocal) & push.mask_or_width_high;
    return uint(key >> push.shift_or_min) & push.mask_or_width_high;
}

// Returns a key with the largest digit.
KEY missing_key() {
    return from_ordered(push.flip_or_reciprocal != 0 ? KEY(0) : ~KEY(0));
}

#endif
