#version 460
// Converts the permutation of one piece to that of the whole array: replaces each element's position in its piece
// by its position in the output of all pieces, in place. Each thread converts `EACH` elements.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require

#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

layout(set = 0, binding = 0, std430) buffer Permutation { uint at[]; } permutation;

layout(push_constant) uniform Push {
    uint count;  // elements
    uint buckets;  // see bucket_places.glsl
    uint first_step;
} push;

#define PLACE_TABLE_BINDING 1
#include "bucket_places.glsl"
#include "groups.glsl"
#include "each.glsl"

void main() {
    [[unroll]] for (uint k = 0; k < EACH; ++k) {
        uint i = element_index(k);
        if (i < push.count) {
            permutation.at[i] = place_of(permutation.at[i], push.buckets, push.first_step);
        }
    }
}
