// Provides the digits of a key for the rounds of a radix sort. The sort uses `bit_count` bits, starting at
// `first_bit`, of the key's ordered() image, complemented for descending order. A digit has DIGIT_BITS bits; the
// last one may have fewer. For kernels that define ALL_DIGITS.

#ifndef DIGITS_GLSL
#define DIGITS_GLSL

#include "multisplit.glsl"
#include "ordered.glsl"

const uint DIGIT_BITS = 8;

// Returns the bits to sort by, shifted down to bit 0.
KEY digits_of(KEY key) {
    KEY flip = push.descending != 0 ? ~KEY(0) : KEY(0);
#ifdef SEGMENTS
    // If there are no bits to sort by, all keys are equal, and elements keep their order.
    if (push.bit_count == 0) return KEY(0);
#endif
    KEY kept = ~KEY(0) >> (KEY_BITS - push.bit_count);
    return ((ordered(key) ^ flip) >> push.first_bit) & kept;
}

uint digit(KEY image, uint round) {
    return uint(image >> (round * DIGIT_BITS)) & ((1u << DIGIT_BITS) - 1);
}

#endif
