#version 460
// Writes, for each element of a piece, its index in the whole array: `first`, `first + 1`, ... Each thread writes
// `EACH` elements.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require

#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

layout(set = 0, binding = 0, std430) writeonly buffer Numbers { uint at[]; } numbers;

layout(push_constant) uniform Push {
    uint first;
    uint count;  // elements
} push;

#include "groups.glsl"
#include "each.glsl"

void main() {
    [[unroll]] for (uint k = 0; k < EACH; ++k) {
        uint i = element_index(k);
        if (i < push.count) numbers.at[i] = push.first + i;
    }
}
