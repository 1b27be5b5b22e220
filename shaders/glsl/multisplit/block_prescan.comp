#version 460
// Prescan of the block-level multisplit. One workgroup handles one subproblem, a range of `parts` tiles: it counts
// the keys by bucket and writes one column of the histogram matrix (buckets x subproblems).
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;
layout(constant_id = ITEMS_ID) const uint ITEMS = 8;

#include "multisplit.glsl"
#include "bucket.glsl"
layout(set = 0, binding = 2, std430) writeonly buffer Histogram { uint at[]; } histogram;
#include "out_of_range.glsl"

#include "groups.glsl"
#include "voting.glsl"
#include "count_windows.glsl"

void main() {
    stage_splitters();
    uint subproblem = group_index();
    if (subproblem >= subproblem_count()) return;
    const uint tile = gl_WorkGroupSize.x * ITEMS;
    count_windows(subproblem * push.parts * tile, push.parts * tile);
    for (uint b = thread_rank(); b < push.buckets; b += gl_WorkGroupSize.x)
        histogram.at[b * subproblem_count() + subproblem] = bucket_totals[b];
    report_out_of_range();
}
