// Distances as 32-bit words that compare like them: whole numbers, or the bits of floats that are
// not negative. FLOATS says which.

#ifndef SSSP_SUM_GLSL
#define SSSP_SUM_GLSL

#include "constant_ids.glsl"

layout(constant_id = FLOATS_ID) const uint FLOATS = 0;  // whether weights are floats

const uint UNREACHED = 0xFFFFFFFFu;
const uint INFINITE = 0x7F800000u;  // of floats, as bits

// A distance and a weight. What is past the largest distance is UNREACHED.
uint sum_of(uint distance, uint weight) {
    if (FLOATS != 0) {
        precise float sum = uintBitsToFloat(distance) + uintBitsToFloat(weight);
        uint bits = floatBitsToUint(sum);
        return bits < INFINITE ? bits : UNREACHED;
    }
    return weight < UNREACHED - distance ? distance + weight : UNREACHED;
}

#endif
