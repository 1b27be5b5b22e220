#version 460
// Writes 0, 1, 2, ..., the initial indices of splits and sorts that return a permutation or indices. Each thread
// writes `EACH` elements.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require

#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

layout(set = 0, binding = 0, std430) writeonly buffer Sources { uint at[]; } sources;

layout(push_constant) uniform Push {
    uint count;  // elements
} push;

#include "count.glsl"
#include "groups.glsl"
#include "each.glsl"

void main() {
    uint count = resolved_count(push.count);
    [[unroll]] for (uint k = 0; k < EACH; ++k) {
        uint i = element_index(k);
        if (i < count) sources.at[i] = i;
    }
}
