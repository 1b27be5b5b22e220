// Which elements are mine, in kernels that do something to each element on its own? Neighbouring
// threads have neighbouring elements, and every thread several that are on their way at a time.

#ifndef EACH_GLSL
#define EACH_GLSL

#include "groups.glsl"

const uint EACH = 4;

uint element_index(uint k) {
    return (group_index() * EACH + k) * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
}

#endif
