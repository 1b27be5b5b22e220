#version 460
// Last pass of a radix sort whose rounds may have had nothing to do: says which half of the buffers
// has the result, and where it has to be half A brings it there.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#include "key_width.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 16) const uint BRING_HOME = 1;

#define SORT
#include "multisplit.glsl"
layout(set = 0, binding = 2, std430) readonly buffer Histogram { uint at[]; } histogram;
layout(set = 0, binding = 3, std430) writeonly buffer Half { uint at[]; } half_of_result;

#include "groups.glsl"
#include "idle_rounds.glsl"

void bring_home(uint i) {
    keys_a.at[i] = keys_b.at[i];
#ifdef PAIRS
    if (VALUE_WORDS == 1) values_a.at[i] = values_b.at[i];
    else move_value(i, i);
#endif
}

void main() {
    busy_rounds = push.round - bitCount(find_idle_rounds(push.round));
    bool move = BRING_HOME != 0 && data_is_in_b();
#ifdef PAIRS
    bool count = values_are_counted();  // no round has written them
#else
    const bool count = false;
#endif
    if (group_index() == 0 && gl_LocalInvocationIndex == 0)
        half_of_result.at[0] = data_is_in_b() && !move ? 1 : 0;
    if (!move && !count) return;
    uint step = gl_NumWorkGroups.x * gl_NumWorkGroups.y * gl_WorkGroupSize.x;
    uint i = group_index() * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    for (; i < element_count(); i += step) {
        if (move) bring_home(i);
#ifdef PAIRS
        if (count) values_a.at[i] = i;
#endif
    }
}
