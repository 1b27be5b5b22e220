#version 460
// Sorting many segments in one go, where some are larger than a tile. LABELS: the segment that each
// element comes from. NUMBERS: the numbers of the elements, counted from where their segment begins.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require

#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

layout(set = 0, binding = 0, std430) readonly buffer Sources { uint at[]; } sources;
layout(set = 0, binding = 1, std430) readonly buffer Begins { uint at[]; } begins;
#ifdef LABELS
layout(set = 0, binding = 2, std430) writeonly buffer Labels { uint at[]; } labels;
#else
layout(set = 0, binding = 2, std430) readonly buffer Labels { uint at[]; } labels;
layout(set = 0, binding = 3, std430) writeonly buffer Numbers { uint at[]; } numbers;
#endif

layout(push_constant) uniform Push {
    uint count;     // elements
    uint segments;  // at least one
    uint top_step;  // the largest power of two that is no larger
} push;

#include "groups.glsl"
#include "each.glsl"

#ifdef LABELS
// The last segment that does not begin after the element: the only one that is not empty, of those
// that begin where it begins.
uint segment_of(uint element) {
    uint found = 0;
    for (uint step = push.top_step; step > 0; step >>= 1) {
        uint probe = found + step;
        if (probe < push.segments && begins.at[probe] <= element) found = probe;
    }
    return found;
}
#endif

void main() {
    [[unroll]] for (uint k = 0; k < EACH; ++k) {
        uint i = element_index(k);
        if (i < push.count) {
            uint element = sources.at[i];
#ifdef LABELS
            labels.at[i] = segment_of(element);
#else
            numbers.at[i] = element - begins.at[labels.at[i]];
#endif
        }
    }
}
