#version 460
// Sets all words of `dst` to a value. A thread writes four words; one thread writes the remaining ones. COUNTED
// kernels support device counts.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require

#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

layout(set = 0, binding = 0, std430) writeonly buffer Dst { uint at[]; } dst;
layout(set = 0, binding = 0, std430) writeonly buffer DstVec4 { uvec4 at[]; } dst_vec4;

layout(push_constant) uniform Push {
    uint count;  // words
    uint value;
} push;

// Only COUNTED kernels declare the count records, because a declared binding, even an unused one, must be bound to a
// buffer that has been written before.
#ifdef COUNTED
#include "count.glsl"
#else
uint resolved_count(uint pushed) { return pushed; }
#endif
#include "groups.glsl"

void main() {
    uint count = resolved_count(push.count);
    uint v = group_index() * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (v < count / 4) {
        dst_vec4.at[v] = uvec4(push.value);
    } else if (v == count / 4) {
        for (uint i = 4 * v; i < count; ++i) dst.at[i] = push.value;
    }
}
