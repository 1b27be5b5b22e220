// Provides key_at() and four_keys_at(), which read the input keys of multisplit and sort kernels. With
// PACKED_KEYS, keys may be narrow (NARROW_BITS is 8 or 16), several per word. Narrow keys are returned as unsigned
// numbers that compare like the keys.

#ifndef KEY_AT_GLSL
#define KEY_AT_GLSL

#include "multisplit.glsl"

#if defined(PACKED_KEYS) && KEY_BITS == 32
#include "narrow_key.glsl"

uint key_at(uint i) {
    if (NARROW_BITS == 0) return keys.at[i];
    return narrow_key(ordered_keys(keys.at[i / KEYS_OF_WORD]), i % KEYS_OF_WORD);
}

// Returns keys 4 v to 4 v + 3.
uvec4 four_keys_at(uint v) {
    if (NARROW_BITS == 0) return keys_vec4.at[v];
    uvec2 words = uvec2(keys.at[NARROW_BITS == 8 ? v : 2 * v], 0);
    if (NARROW_BITS == 16) words.y = keys.at[2 * v + 1];
    words = uvec2(ordered_keys(words.x), ordered_keys(words.y));
    uvec4 four;
    [[unroll]] for (uint c = 0; c < 4; ++c)
        four[c] = narrow_key(words[c / KEYS_OF_WORD], c % KEYS_OF_WORD);
    return four;
}
#else
#define key_at(i) keys.at[i]
#define four_keys_at(v) keys_vec4.at[v]
#endif

#endif
