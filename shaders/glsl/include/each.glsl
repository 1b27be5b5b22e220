// Provides element_index() for kernels that process each element independently: `EACH` elements per thread, whose
// loads can overlap. Adjacent threads have adjacent elements.

#ifndef EACH_GLSL
#define EACH_GLSL

#include "groups.glsl"

const uint EACH = 4;

// Returns the index of this thread's k-th element.
uint element_index(uint k) {
    return (group_index() * EACH + k) * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
}

#endif
