// The digits of a key, as the rounds of a radix sort see them: `bit_count` bits from `first_bit` on of
// the image of the key that compares like the key, flipped where the order is descending; DIGIT_BITS
// bits per digit, the last digit taking what is left. For kernels with ALL_DIGITS.

#ifndef DIGITS_GLSL
#define DIGITS_GLSL

#include "multisplit.glsl"
#include "ordered.glsl"

const uint DIGIT_BITS = 8;

// The bits that are sorted by, moved down to bit 0.
KEY digits_of(KEY key) {
    KEY flip = push.descending != 0 ? ~KEY(0) : KEY(0);
#ifdef SEGMENTS
    // By no bits at all, segments are only numbered.
    if (push.bit_count == 0) return KEY(0);
#endif
    KEY kept = ~KEY(0) >> (KEY_BITS - push.bit_count);
    return ((ordered(key) ^ flip) >> push.first_bit) & kept;
}

uint digit(KEY image, uint round) {
    return uint(image >> (round * DIGIT_BITS)) & ((1u << DIGIT_BITS) - 1);
}

#endif
