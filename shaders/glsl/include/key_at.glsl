// Reads input keys. With PACKED_KEYS and KEY_BITS == 32, keys may also have 8 or 16 bits (NARROW_BITS), several per
// word. Such keys are returned as unsigned numbers that compare like the keys.
//
// Needs: KEY and the buffer `keys`, declared before this file.
// Gives: key_at().

#ifndef KEY_AT_GLSL
#define KEY_AT_GLSL

#if defined(PACKED_KEYS) && KEY_BITS == 32
#include "narrow_key.glsl"

uint key_at(const uint i) {
    if (NARROW_BITS == 0) return keys.at[i];
    return narrow_key(ordered_keys(keys.at[i / KEYS_OF_WORD]), i % KEYS_OF_WORD);
}
#else
KEY key_at(const uint i) { return keys.at[i]; }
#endif

#endif
