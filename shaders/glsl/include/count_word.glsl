// How many are there in a second array, whose count is a host count, or a word on the device?
//
// Kernels know one number by its record (count.glsl). Of another array they read the word itself: the
// host pushes where it is among the words that are bound, and the most that it can say.

#ifndef COUNT_WORD_GLSL
#define COUNT_WORD_GLSL

#include "constant_ids.glsl"

layout(constant_id = OTHER_ON_DEVICE_ID) const uint OTHER_ON_DEVICE = 0;

layout(set = 0, binding = 9, std430) readonly buffer OtherCount { uint at[]; } other_count;

uint resolved_other(uint max_count, uint index) {
    return OTHER_ON_DEVICE != 0 ? min(other_count.at[index], max_count) : max_count;
}

#endif
