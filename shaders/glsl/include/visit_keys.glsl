// Visits a range of the input keys in any order. 32-bit keys are loaded with several loads in flight per thread.
//
// Needs: KEY and the buffers `keys` and, for 32-bit keys, `keys_vec4`, declared before this file; the functions
// visit_key() and, for 32-bit keys, visit_four().
// Gives: visit_keys().

#ifndef VISIT_KEYS_GLSL
#define VISIT_KEYS_GLSL

#include "key_at.glsl"

void visit_key(const KEY key);

#if KEY_BITS == 32
void visit_four(const uvec4 keys);

// Returns keys 4 v to 4 v + 3.
uvec4 four_keys_at(const uint v) {
#ifdef PACKED_KEYS
    if (NARROW_BITS != 0) {
        uvec2 words = uvec2(keys.at[NARROW_BITS == 8 ? v : 2 * v], 0);
        if (NARROW_BITS == 16) words.y = keys.at[2 * v + 1];
        words = uvec2(ordered_keys(words.x), ordered_keys(words.y));
        uvec4 four;
        [[unroll]] for (uint c = 0; c < 4; ++c)
            four[c] = narrow_key(words[c / KEYS_OF_WORD], c % KEYS_OF_WORD);
        return four;
    }
#endif
    return keys_vec4.at[v];
}
#endif

// Maximum number of loads of four keys that a thread has in flight.
const uint WIDE_LOADS = 4;

// Visits the keys [first, end), which `visitors` threads share; this thread has the number `visitor` among them. With
// 32-bit keys, `first` must be a multiple of four.
void visit_keys(const uint first, const uint end, const uint visitor, const uint visitors) {
    uint i = first;
#if KEY_BITS == 32
    const uint keys_per_load = 4 * visitors;
    while (end - i >= keys_per_load) {
        uint loads = min((end - i) / keys_per_load, WIDE_LOADS);
        uvec4 loaded[WIDE_LOADS];
        [[unroll]] for (uint k = 0; k < WIDE_LOADS; ++k)
            if (k < loads) loaded[k] = four_keys_at(i / 4 + k * visitors + visitor);
        [[unroll]] for (uint k = 0; k < WIDE_LOADS; ++k)
            if (k < loads) visit_four(loaded[k]);
        i += loads * keys_per_load;
    }
#endif
    for (i += visitor; i < end; i += visitors) visit_key(key_at(i));
}

#endif
