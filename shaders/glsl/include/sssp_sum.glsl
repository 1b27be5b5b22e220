// Distances as 32-bit words that compare like them: integers, or the bits of nonnegative floats (FLOATS).

#ifndef SSSP_SUM_GLSL
#define SSSP_SUM_GLSL

#include "constant_ids.glsl"

layout(constant_id = FLOATS_ID) const uint FLOATS = 0;  // whether weights are floats

const uint UNREACHED = 0xFFFFFFFFu;
const uint INFINITE = 0x7F800000u;  // bits of the float infinity

// Returns the sum of a distance and a weight, or UNREACHED if it exceeds the largest distance.
uint sum_of(uint distance, uint weight) {
    if (FLOATS != 0) {
        precise float sum = uintBitsToFloat(distance) + uintBitsToFloat(weight);
        uint bits = floatBitsToUint(sum);
        return bits < INFINITE ? bits : UNREACHED;
    }
    return weight < UNREACHED - distance ? distance + weight : UNREACHED;
}

#endif
