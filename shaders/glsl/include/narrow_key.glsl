// Keys of 8 or 16 bits: how they lie in words, several in each, and what they are in a word of their own.
//
// Kernels read and write whole words, so that no device has to have storage of 8 or 16 bits. Bytes of the
// last word that are past the last key keep what they hold.

#ifndef NARROW_KEY_GLSL
#define NARROW_KEY_GLSL

#include "constant_ids.glsl"

// 8 or 16; in kernels that read keys of other widths too, 0 for those.
#ifdef PACKING
const uint NARROW_BITS = 16;
#elif defined(PACKED_KEYS)
layout(constant_id = NARROW_BITS_ID) const uint NARROW_BITS = 0;
#else
layout(constant_id = NARROW_BITS_ID) const uint NARROW_BITS = 8;
#endif
layout(constant_id = NARROW_KIND_ID) const uint NARROW_KIND = 0;  // as KEY_KIND

const uint NARROW_SIGNED = 1;
const uint NARROW_FLOAT = 2;

const uint NARROW_MASK = NARROW_BITS == 8 ? 0xFFu : 0xFFFFu;
const uint KEYS_OF_WORD = NARROW_BITS == 8 ? 4 : 2;
// A one, and the top bit, of each key of a word.
const uint LOW_BITS = NARROW_BITS == 8 ? 0x01010101u : 0x00010001u;
const uint TOP_BIT = NARROW_BITS == 8 ? 7 : 15;
const uint TOP_BITS = NARROW_BITS == 8 ? 0x80808080u : 0x80008000u;

uint narrow_key(uint word, uint number) {
    return (word >> (number * NARROW_BITS)) & NARROW_MASK;
}

// The bits of a word's first keys.
uint bits_of_keys(uint count) {
    return count >= KEYS_OF_WORD ? ~0u : (1u << (count * NARROW_BITS)) - 1;
}

// Each key of a word as an unsigned number that compares like it.
uint ordered_keys(uint word) {
    if (NARROW_KIND == NARROW_SIGNED) return word ^ TOP_BITS;
    if (NARROW_KIND == NARROW_FLOAT) return word ^ (((word & TOP_BITS) >> TOP_BIT) * NARROW_MASK | TOP_BITS);
    return word;
}

// The keys of which ordered_keys() makes these.
uint keys_from_ordered(uint word) {
    if (NARROW_KIND == NARROW_SIGNED) return word ^ TOP_BITS;
    if (NARROW_KIND == NARROW_FLOAT) return word ^ (((~word & TOP_BITS) >> TOP_BIT) * NARROW_MASK | TOP_BITS);
    return word;
}

#endif
