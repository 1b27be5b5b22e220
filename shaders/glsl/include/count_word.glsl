// Provides resolved_other(), the size of a second array, from the host or from the device.
//
// A kernel reads one count from its record (count.glsl). The device count of a second array is a plain word: the
// host pushes its index in `other_count` and its upper bound.

#ifndef COUNT_WORD_GLSL
#define COUNT_WORD_GLSL

#include "constant_ids.glsl"

layout(constant_id = OTHER_ON_DEVICE_ID) const uint OTHER_ON_DEVICE = 0;

layout(set = 0, binding = 9, std430) readonly buffer OtherCount { uint at[]; } other_count;

uint resolved_other(uint max_count, uint index) {
    return OTHER_ON_DEVICE != 0 ? min(other_count.at[index], max_count) : max_count;
}

#endif
