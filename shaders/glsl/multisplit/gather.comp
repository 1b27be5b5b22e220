#version 460
// Last pass of a reduced-bit sort of indices: copies each pair from the source index that was sorted with its
// label. Each thread copies `EACH` pairs.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "multisplit.glsl"
layout(set = 0, binding = 2, std430) readonly buffer Sources { uint at[]; } sources;
#include "move.glsl"

#include "groups.glsl"
#include "each.glsl"

void main() {
    uint count = element_count();
    [[unroll]] for (uint k = 0; k < EACH; ++k) {
        uint i = element_index(k);
        if (i < count) {
            uint from = sources.at[i];
            move_element(keys.at[from], from, i);
        }
    }
}
