// Defines the sample type, loads samples, and provides ordered().

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

// Floating-point type of the kernel's arithmetic, if any.
#ifdef DOUBLE
#define REAL double
REAL real_of(SAMPLE bits) { return packDouble2x32(unpackUint2x32(bits)); }
SAMPLE bits_of(REAL number) { return packUint2x32(unpackDouble2x32(number)); }
#elif SAMPLE_BITS == 32
#define REAL float
REAL real_of(SAMPLE bits) { return uintBitsToFloat(bits); }
SAMPLE bits_of(REAL number) { return floatBitsToUint(number); }
#endif

// Samples per 16 bytes.
const uint PER_VECTOR = 16 / SAMPLE_BYTES;

// Returns sample `index` of 16 loaded bytes. `index` must be a constant after loops are unrolled.
SAMPLE sample_in(uvec4 loaded, uint index) {
#if SAMPLE_BITS == 64
    return index == 0 ? sample_of(loaded.x, loaded.y) : sample_of(loaded.z, loaded.w);
#else
    if (SAMPLE_BYTES == 4) return loaded[index];
    const uint per_word = 4 / SAMPLE_BYTES;
    return bitfieldExtract(loaded[index / per_word], int(index % per_word * 8 * SAMPLE_BYTES), int(8 * SAMPLE_BYTES));
#endif
}

// Like sample_in(), for an index that is not a constant. Selects the word by conditions, because a variable array index
// would move `loaded` to local memory.
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

// Returns the sample at a byte offset, which is a multiple of its size (of 4 for 8-byte samples).
SAMPLE sample_at(uint byte) {
    uint word = samples.at[byte / 4];
#if SAMPLE_BITS == 64
    return sample_of(word, samples.at[byte / 4 + 1]);
#else
    if (SAMPLE_BYTES == 4) return word;
    return bitfieldExtract(word, int(byte % 4 * 8), int(8 * SAMPLE_BYTES));
#endif
}

// Maps the bits of a sample to an unsigned number that compares like the sample. NaNs are beyond the infinities on
// either side, and -0 is directly below 0.
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
