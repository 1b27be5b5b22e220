#version 460
// Copies words from `src` to `dst`. A thread copies four words; one thread copies the remaining ones. On some GPUs this
// is several times as fast as vkCmdCopyBuffer.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require

#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "src_dst.glsl"

layout(push_constant) uniform Push {
    uint count;  // words
} push;

#include "count.glsl"
#include "groups.glsl"

void main() {
    uint count = resolved_count(push.count);
    uint v = group_index() * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (v < count / 4) {
        store_vec4(v, load_vec4(v));
    } else if (v == count / 4) {
        for (uint i = 4 * v; i < count; ++i) store_one(i, load_one(i));
    }
}
