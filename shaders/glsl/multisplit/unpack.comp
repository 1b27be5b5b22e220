#version 460
// Last pass of a reduced-bit sort of packed pairs: splits each pair into key and value. Each thread handles `EACH`
// pairs.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require

#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

layout(set = 0, binding = 0, std430) readonly buffer Packed { uvec2 at[]; } packed;
layout(set = 0, binding = 1, std430) writeonly buffer KeysOut { uint at[]; } keys_out;
layout(set = 0, binding = 2, std430) writeonly buffer ValuesOut { uint at[]; } values_out;

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
        if (i < count) {
            uvec2 pair = packed.at[i];
            keys_out.at[i] = pair.x;
            values_out.at[i] = pair.y;
        }
    }
}
