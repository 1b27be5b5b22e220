#version 460
// Prescan of the direct and the warp-level multisplit. One subgroup handles one subproblem, a range of `parts`
// windows: it counts the keys with ballots, in registers, and writes one column of the histogram matrix (buckets x
// subproblems).
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "multisplit.glsl"
#include "bucket.glsl"
layout(set = 0, binding = 2, std430) writeonly buffer Histogram { uint at[]; } histogram;
#include "out_of_range.glsl"

#include "groups.glsl"
#include "voting.glsl"

void main() {
    stage_splitters();
    uint subproblem = group_index() * gl_NumSubgroups + gl_SubgroupID;
    if (subproblem >= subproblem_count()) return;

    uint counts[BUCKETS_PER_LANE];
    [[unroll]] for (uint s = 0; s < BUCKETS_PER_LANE; ++s) counts[s] = 0;
    uint first = subproblem * push.parts * SUBGROUP_SIZE + gl_SubgroupInvocationID;
    for (uint w = 0; w < push.parts; ++w) {
        uint i = first + w * SUBGROUP_SIZE;
        bool takes_part = i < element_count();
        uint bucket = takes_part ? counted_bucket(keys.at[i]) : 0;
        vote(bucket, takes_part);
        uvec4 low = lanes_of_low_bits();
        [[unroll]] for (uint s = 0; s < BUCKETS_PER_LANE; ++s) counts[s] += votes_for(low, s);
    }
    [[unroll]] for (uint s = 0; s < BUCKETS_PER_LANE; ++s) {
        uint bucket = s * SUBGROUP_SIZE + gl_SubgroupInvocationID;
        if (bucket < push.buckets) histogram.at[bucket * subproblem_count() + subproblem] = counts[s];
    }
    report_out_of_range();
}
