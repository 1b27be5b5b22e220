// Provides resolved_count(), the number of elements: a host count from the push constants or a device count.
//
// count.prepare writes device counts as records of four words: workgroups in x, y and z for an indirect dispatch,
// and the count. The host then pushes the index of the record instead of a count. Kernels that define HOST_COUNT
// support only host counts and do not bind the records.

#ifndef COUNT_GLSL
#define COUNT_GLSL

#ifdef HOST_COUNT

uint resolved_count(uint pushed) {
    return pushed;
}

#else

#include "constant_ids.glsl"

layout(constant_id = COUNT_ON_DEVICE_ID) const uint COUNT_ON_DEVICE = 0;

layout(set = 0, binding = 8, std430) readonly buffer Counts { uint at[]; } counts;

uint resolved_count(uint pushed) {
    return COUNT_ON_DEVICE != 0 ? counts.at[4 * pushed + 3] : pushed;
}

#endif

#endif
