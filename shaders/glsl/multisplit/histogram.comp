#version 460
// Histogram pass of the one-sweep multisplit: counts the keys of each bucket. One workgroup counts a range of keys and
// adds the counts to `histogram`.
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
layout(set = 0, binding = 2, std430) buffer Histogram { uint at[]; } histogram;
#include "out_of_range.glsl"

#include "groups.glsl"
#include "voting.glsl"
#include "count_windows.glsl"

void main() {
    stage_splitters();
    if (group_index() >= subproblem_count()) return;
    // In reverse order, so that the next pass finds the beginning of the keys in the cache.
    uint part = group_index_from_end(subproblem_count());
    uint length = gl_WorkGroupSize.x * ITEMS * push.parts;
    count_windows(part * length, length);
    for (uint b = thread_rank(); b < push.buckets; b += gl_WorkGroupSize.x)
        if (bucket_totals[b] > 0) atomicAdd(histogram.at[b], bucket_totals[b]);
    report_out_of_range();
}
