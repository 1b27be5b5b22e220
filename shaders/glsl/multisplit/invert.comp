#version 460
// Inverts a permutation: from the source of each output element to the destination of each input element. Each
// thread handles `EACH` elements.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require

#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

layout(set = 0, binding = 0, std430) readonly buffer Sources { uint at[]; } sources;
layout(set = 0, binding = 1, std430) writeonly buffer Permutation { uint at[]; } permutation;

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
        if (i < count) permutation.at[sources.at[i]] = i;
    }
}
