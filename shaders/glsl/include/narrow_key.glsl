// Keys of 8 or 16 bits: how they lie in words, several in each, and what they are in a word of their own.
//
// Kernels read and write whole words, so that no device has to have storage of 8 or 16 bits. Bytes of the
// last word that are past the last key keep what they hold.

#ifndef NARROW_KEY_GLSL
#define NARROW_KEY_GLSL

#include "constant_ids.glsl"

layout(constant_id = NARROW_BITS_ID) const uint NARROW_BITS = 8;  // 8 or 16
layout(constant_id = KEY_KIND_ID) const uint KEY_KIND = 0;

const uint NARROW_SIGNED = 1;
const uint NARROW_FLOAT = 2;

const uint NARROW_MASK = (1u << NARROW_BITS) - 1;
const uint KEYS_OF_WORD = 32 / NARROW_BITS;
// A one, and the top bit, of each key of a word.
const uint LOW_BITS = NARROW_BITS == 8 ? 0x01010101u : 0x00010001u;
const uint TOP_BITS = LOW_BITS << (NARROW_BITS - 1);

uint narrow_key(uint word, uint number) {
    return (word >> (number * NARROW_BITS)) & NARROW_MASK;
}

// The bits of a word's first keys.
uint bits_of_keys(uint count) {
    return count >= KEYS_OF_WORD ? ~0u : (1u << (count * NARROW_BITS)) - 1;
}

// Each key of a word as an unsigned number that compares like it.
uint ordered_keys(uint word) {
    if (KEY_KIND == NARROW_SIGNED) return word ^ TOP_BITS;
    if (KEY_KIND == NARROW_FLOAT) return word ^ (((word & TOP_BITS) >> (NARROW_BITS - 1)) * NARROW_MASK | TOP_BITS);
    return word;
}

// The keys of which ordered_keys() makes these.
uint keys_from_ordered(uint word) {
    if (KEY_KIND == NARROW_SIGNED) return word ^ TOP_BITS;
    if (KEY_KIND == NARROW_FLOAT) return word ^ (((~word & TOP_BITS) >> (NARROW_BITS - 1)) * NARROW_MASK | TOP_BITS);
    return word;
}

#endif
