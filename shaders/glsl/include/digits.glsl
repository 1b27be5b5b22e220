// Interface of the sort kernels that use all digits of a key: push constants, counts and digits.
//
// A sort uses `bit_count` bits of the key's ordered() image, starting at `first_bit`, complemented for descending
// order. A digit has DIGIT_BITS of these bits; the last one may have fewer.
//
// Needs: KEY_BITS.
// Gives: push, element_count(), subproblem_count(), image_of(), digit(), and what split_constants.glsl and
// key_order.glsl give.

#ifndef DIGITS_GLSL
#define DIGITS_GLSL

#include "constant_ids.glsl"
#include "split_constants.glsl"
#include "key_order.glsl"

// The names must match operations/split/push.rs. These kernels do not read the members without a comment.
layout(push_constant) uniform Push {
    uint count;        // n: elements; not read in a segmented sort
    uint buckets;      // m: number of digit values
    uint ids;
    uint part_shift;
    uint subproblems;  // number of workgroups; in a segmented sort, number of tiles
    uint parts;        // tiles per workgroup
    uint first_bit;    // lowest bit to sort by
    uint bit_count;    // number of bits to sort by
    uint descending;   // whether the order is descending
    uint round;        // in sort.small, the number of rounds; in sort.histogram, the size of the status in units of
                       // 16 bytes
} push;

#include "count.glsl"

uint element_count() {
    return resolved_count(push.count);
}

uint subproblem_count() {
    return resolved_count(push.subproblems);
}

const uint DIGIT_BITS = 8;

// Returns the bits to sort by, shifted down to bit 0. There must be at least one.
KEY image_of(const KEY key) {
    KEY flip = push.descending != 0 ? ~KEY(0) : KEY(0);
    KEY kept = ~KEY(0) >> (KEY_BITS - push.bit_count);
    return ((ordered(key) ^ flip) >> push.first_bit) & kept;
}

// Returns digit number `round` (0 is the lowest) of `image`, a result of image_of().
uint digit(const KEY image, const uint round) {
    return uint(image >> (round * DIGIT_BITS)) & ((1u << DIGIT_BITS) - 1);
}

#endif
