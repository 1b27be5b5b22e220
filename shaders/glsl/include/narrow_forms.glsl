// Conversion of a narrow key to a 32-bit word and back, in one of several forms. The values of FORM must match
// operations/shared/widening.rs. Floats are converted by their bits, so subnormals and NaNs are restored exactly.

#ifndef NARROW_FORMS_GLSL
#define NARROW_FORMS_GLSL

#include "narrow_key.glsl"

layout(constant_id = FORM_ID) const uint FORM = 0;

const uint FORM_BITS = 0;     // zero-extended bits
const uint FORM_ORDERED = 1;  // unsigned number that compares like the key
const uint FORM_SIGNED = 2;   // sign-extended int
const uint FORM_HALF = 3;     // 32-bit float; the key is an IEEE half
const uint FORM_BRAIN = 4;    // 32-bit float; the key is its upper half (bfloat16)

// Converts the bits of a half to those of a float: fraction of 23 instead of 10 bits, exponent bias 127 instead of
// 15.
uint float_of_half(uint bits) {
    uint sign = (bits & 0x8000u) << 16;
    uint exponent = (bits >> 10) & 31;
    uint fraction = bits & 0x3FFu;
    if (exponent == 31) return sign | 0x7F800000u | fraction << 13;
    if (exponent != 0) return sign | (exponent + 112) << 23 | fraction << 13;
    if (fraction == 0) return sign;
    // Subnormal: fraction * 2^-24.
    uint first = findMSB(fraction);
    return sign | (103 + first) << 23 | ((fraction << (23 - first)) & 0x7FFFFFu);
}

// Inverse of float_of_half().
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
