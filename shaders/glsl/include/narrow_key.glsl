// Extracts keys of 8 or 16 bits, several of which are packed into a word, and maps them to numbers that compare like
// the keys.
//
// Kernels read and write whole words, so devices do not need 8-bit or 16-bit storage. Bytes of the last word past
// the last key keep their values.

#ifndef NARROW_KEY_GLSL
#define NARROW_KEY_GLSL

#include "constant_ids.glsl"

// Bits per key: 8 or 16; 0 for wider keys, in kernels that support both.
#ifdef PACKING
const uint NARROW_BITS = 16;
#elif defined(PACKED_KEYS)
layout(constant_id = NARROW_BITS_ID) const uint NARROW_BITS = 0;
#else
layout(constant_id = NARROW_BITS_ID) const uint NARROW_BITS = 8;
#endif
layout(constant_id = NARROW_KIND_ID) const uint NARROW_KIND = 0;  // same values as KEY_KIND

const uint NARROW_SIGNED = 1;
const uint NARROW_FLOAT = 2;

const uint NARROW_MASK = NARROW_BITS == 8 ? 0xFFu : 0xFFFFu;
const uint KEYS_OF_WORD = NARROW_BITS == 8 ? 4 : 2;
// For all keys of a word: the mask of their lowest bits, the index of the top bit in a key, and the mask of their top
// bits.
const uint LOW_BITS = NARROW_BITS == 8 ? 0x01010101u : 0x00010001u;
const uint TOP_BIT = NARROW_BITS == 8 ? 7 : 15;
const uint TOP_BITS = NARROW_BITS == 8 ? 0x80808080u : 0x80008000u;

// Returns key `number` of a word.
uint narrow_key(uint word, uint number) {
    return (word >> (number * NARROW_BITS)) & NARROW_MASK;
}

// Returns the mask of the first `count` keys of a word.
uint bits_of_keys(uint count) {
    return count >= KEYS_OF_WORD ? ~0u : (1u << (count * NARROW_BITS)) - 1;
}

// Maps each key of a word to an unsigned number that compares like the key.
uint ordered_keys(uint word) {
    if (NARROW_KIND == NARROW_SIGNED) return word ^ TOP_BITS;
    if (NARROW_KIND == NARROW_FLOAT) return word ^ (((word & TOP_BITS) >> TOP_BIT) * NARROW_MASK | TOP_BITS);
    return word;
}

// Inverse of ordered_keys().
uint keys_from_ordered(uint word) {
    if (NARROW_KIND == NARROW_SIGNED) return word ^ TOP_BITS;
    if (NARROW_KIND == NARROW_FLOAT) return word ^ (((~word & TOP_BITS) >> TOP_BIT) * NARROW_MASK | TOP_BITS);
    return word;
}

#endif
