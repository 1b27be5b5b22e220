// Provides other_key(): the key of the lane whose index differs from this lane's in the bits `lanes`. Needs KEY
// and KEY_BITS.

#ifndef OTHER_KEY_GLSL
#define OTHER_KEY_GLSL

#if KEY_BITS == 64
KEY other_key(KEY key, uint lanes) {
    uvec2 words = unpackUint2x32(key);
    return packUint2x32(uvec2(subgroupShuffleXor(words.x, lanes), subgroupShuffleXor(words.y, lanes)));
}
#else
KEY other_key(KEY key, uint lanes) { return subgroupShuffleXor(key, lanes); }
#endif

#endif
