// How many are there? A host count, which is pushed, or a device count.
//
// Device counts are in records of four words, which count.prepare writes: workgroups in x, y and z,
// as an indirect dispatch reads them, and the count itself. What the host pushes is then which
// record to look at. Kernels with HOST_COUNT know only what is pushed.

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
