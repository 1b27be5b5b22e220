// The last round of a sort of 16-bit keys stores them as they were, two in a word.
//
// Two keys that follow each other in a tile in order are stored by one of their threads, if they share a word and
// a bucket: then they also follow each other in the output. The other half of any other key's word belongs to
// another bucket, to another tile or to nobody. It is left as it is: two atomics change one half alone.

#ifndef PACK_KEYS_GLSL
#define PACK_KEYS_GLSL

#include "narrow_key.glsl"

layout(set = 0, binding = 4, std430) buffer KeysOut { uint at[]; } keys_out;

void store_half(uint target, uint key) {
    uint shift = target % 2 * 16;
    atomicAnd(keys_out.at[target / 2], ~(0xFFFFu << shift));
    atomicOr(keys_out.at[target / 2], (keys_from_ordered(key) & 0xFFFFu) << shift);
}

// Two keys, of which the first goes to `target`, which is even.
void store_both(uint target, uint key, uint next) {
    keys_out.at[target / 2] = keys_from_ordered(key | next << 16);
}

#endif
