// The digits of a key, as the rounds of a radix sort see them: bits [a, a + b) of the image of the
// key that compares like the key, flipped by e where the order is descending; DIGIT_BITS bits a
// digit, the last digit taking what is left.

#ifndef DIGITS_GLSL
#define DIGITS_GLSL

#include "multisplit.glsl"
#include "ordered.glsl"

const uint DIGIT_BITS = 8;

// The bits that are sorted by, moved down to bit 0.
KEY digits_of(KEY key) {
    KEY flip = push.parameter_e != 0 ? ~KEY(0) : KEY(0);
    KEY kept = ~KEY(0) >> (KEY_BITS - push.parameter_b);
    return ((ordered(key) ^ flip) >> push.parameter_a) & kept;
}

uint digit(KEY image, uint round) {
    return uint(image >> (round * DIGIT_BITS)) & ((1u << DIGIT_BITS) - 1);
}

#endif
