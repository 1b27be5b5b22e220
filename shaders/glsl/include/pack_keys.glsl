// Stores 16-bit keys, two per word, in the last round of a sort.
//
// Two keys that are adjacent in the ordered tile are adjacent in the output if they have the same bucket. If they also
// share a word, one thread stores both. Otherwise the other half of the word belongs to another bucket or tile, or to
// no key, and must not change: two atomic operations then update only one half.

#ifndef PACK_KEYS_GLSL
#define PACK_KEYS_GLSL

#include "narrow_key.glsl"

layout(set = 0, binding = 4, std430) buffer KeysOut { uint at[]; } keys_out;

// Stores one key at `target`, and leaves the other half of its word unchanged.
void store_half(uint target, uint key) {
    uint shift = target % 2 * 16;
    atomicAnd(keys_out.at[target / 2], ~(0xFFFFu << shift));
    atomicOr(keys_out.at[target / 2], (keys_from_ordered(key) & 0xFFFFu) << shift);
}

// Stores two keys at `target` and `target + 1`. `target` must be even.
void store_both(uint target, uint key, uint next) {
    keys_out.at[target / 2] = keys_from_ordered(key | next << 16);
}

#endif
