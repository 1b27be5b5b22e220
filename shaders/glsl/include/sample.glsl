// What is a sample, how is it read, and which number compares like it?

#ifndef SAMPLE_GLSL
#define SAMPLE_GLSL

#include "histogram.glsl"

const uint SAMPLE_UNSIGNED = 0;
const uint SAMPLE_SIGNED = 1;
const uint SAMPLE_FLOAT = 2;

#if SAMPLE_BITS == 64
#define SAMPLE uint64_t
SAMPLE sample_of(uint low, uint high) { return packUint2x32(uvec2(low, high)); }
#else
#define SAMPLE uint
SAMPLE sample_of(uint low, uint high) { return low; }
#endif

// The floating-point numbers that the kernel may compute with.
#ifdef DOUBLE
#define REAL double
REAL real_of(SAMPLE bits) { return packDouble2x32(unpackUint2x32(bits)); }
SAMPLE bits_of(REAL number) { return packUint2x32(unpackDouble2x32(number)); }
#elif SAMPLE_BITS == 32
#define REAL float
REAL real_of(SAMPLE bits) { return uintBitsToFloat(bits); }
SAMPLE bits_of(REAL number) { return floatBitsToUint(number); }
#endif

// Samples in 16 bytes.
const uint PER_VECTOR = 16 / SAMPLE_BYTES;

// Sample `index` of 16 bytes; a constant once loops are unrolled.
SAMPLE sample_in(uvec4 loaded, uint index) {
#if SAMPLE_BITS == 64
    return index == 0 ? sample_of(loaded.x, loaded.y) : sample_of(loaded.z, loaded.w);
#else
    if (SAMPLE_BYTES == 4) return loaded[index];
    const uint per_word = 4 / SAMPLE_BYTES;
    return bitfieldExtract(loaded[index / per_word], int(index % per_word * 8 * SAMPLE_BYTES), int(8 * SAMPLE_BYTES));
#endif
}

// The same where the index is no constant: nothing here is an array that would have to lie in memory.
SAMPLE picked_sample(uvec4 loaded, uint index) {
#if SAMPLE_BITS == 64
    return sample_in(loaded, index);
#else
    const uint per_word = 4 / SAMPLE_BYTES;
    uvec2 half_of = (index / per_word & 2) != 0 ? loaded.zw : loaded.xy;
    uint word = (index / per_word & 1) != 0 ? half_of.y : half_of.x;
    return bitfieldExtract(word, int(index % per_word * 8 * SAMPLE_BYTES), int(8 * SAMPLE_BYTES));
#endif
}

// The sample that begins at a byte, a multiple of its size (of 4, if that is 8).
SAMPLE sample_at(uint byte) {
    uint word = samples.at[byte / 4];
#if SAMPLE_BITS == 64
    return sample_of(word, samples.at[byte / 4 + 1]);
#else
    if (SAMPLE_BYTES == 4) return word;
    return bitfieldExtract(word, int(byte % 4 * 8), int(8 * SAMPLE_BYTES));
#endif
}

// The bits of a sample as an unsigned number that compares like it: NaN lies beyond the
// infinities on either side, and -0 right below 0.
SAMPLE ordered(SAMPLE bits) {
#if SAMPLE_BITS == 64
    const uint64_t top = uint64_t(1) << 63;
    if (SAMPLE_KIND == SAMPLE_FLOAT) return bits ^ (uint64_t(int64_t(bits) >> 63) | top);
#else
    const uint top = 0x80000000u;
    if (SAMPLE_KIND == SAMPLE_FLOAT) return bits ^ (uint(int(bits) >> 31) | top);
#endif
    if (SAMPLE_KIND == SAMPLE_SIGNED) return bits ^ top;
    return bits;
}

#endif
