// What is a narrow key in a word of its own? The host has the same numbers in narrow.rs. Numbers become
// others of their kind; floats by their bits, so that those below the normal ones and NaNs come back as
// they were.

#ifndef NARROW_FORMS_GLSL
#define NARROW_FORMS_GLSL

#include "narrow_key.glsl"

layout(constant_id = FORM_ID) const uint FORM = 0;

const uint FORM_BITS = 0;     // the same bits, and zeros
const uint FORM_ORDERED = 1;  // the number that compares like the key
const uint FORM_SIGNED = 2;   // an int
const uint FORM_HALF = 3;     // a float, of IEEE's 16 bits
const uint FORM_BRAIN = 4;    // a float, of which the key is the upper half

// 10 bits of fraction become 23, and the exponent's bias 127 instead of 15.
uint float_of_half(uint bits) {
    uint sign = (bits & 0x8000u) << 16;
    uint exponent = (bits >> 10) & 31;
    uint fraction = bits & 0x3FFu;
    if (exponent == 31) return sign | 0x7F800000u | fraction << 13;
    if (exponent != 0) return sign | (exponent + 112) << 23 | fraction << 13;
    if (fraction == 0) return sign;
    // Below the normal ones: fraction * 2^-24.
    uint first = findMSB(fraction);
    return sign | (103 + first) << 23 | ((fraction << (23 - first)) & 0x7FFFFFu);
}

// The bits of which float_of_half() makes these.
uint half_of_float(uint bits) {
    uint sign = (bits >> 16) & 0x8000u;
    uint exponent = (bits >> 23) & 255;
    uint fraction = bits & 0x7FFFFFu;
    if (exponent == 255) return sign | 0x7C00u | fraction >> 13;
    if (exponent >= 113) return sign | (exponent - 112) << 10 | fraction >> 13;
    if (exponent < 103) return sign;
    uint first = exponent - 103;
    return sign | 1u << first | fraction >> (23 - first);
}

uint widened(uint bits) {
    if (FORM == FORM_ORDERED) return ordered_keys(bits) & NARROW_MASK;
    if (FORM == FORM_SIGNED) return uint(int(bits << (32 - NARROW_BITS)) >> (32 - NARROW_BITS));
    if (FORM == FORM_HALF) return float_of_half(bits);
    if (FORM == FORM_BRAIN) return bits << 16;
    return bits;
}

uint narrowed(uint word) {
    if (FORM == FORM_ORDERED) return keys_from_ordered(word) & NARROW_MASK;
    if (FORM == FORM_HALF) return half_of_float(word);
    if (FORM == FORM_BRAIN) return word >> 16;
    return word & NARROW_MASK;
}

#endif
