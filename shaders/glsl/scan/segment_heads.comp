#version 460
// Finds the heads of a segmented scan whose segments are given by offsets: sets one bit in `heads`, which is clear
// before, for each element whose index is an offset. Offsets may have any value; those past the elements set no bit.
// Each thread handles `EACH` offsets.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require

#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

layout(set = 0, binding = 0, std430) readonly buffer Offsets { uint at[]; } offsets;
layout(set = 0, binding = 1, std430) buffer Heads { uint at[]; } heads;

layout(push_constant) uniform Push {
    uint count;     // offsets
    uint elements;  // element count, or its upper bound
} push;

#include "count.glsl"
#include "each.glsl"

void main() {
    uint count = resolved_count(push.count);
    for (uint k = 0; k < EACH; ++k) {
        uint i = element_index(k);
        uint at = i < count ? offsets.at[i] : push.elements;
        if (at < push.elements) atomicOr(heads.at[at / 32], 1u << (at % 32));
    }
}
