#version 460
// Postscan of the block-level multisplit: a workgroup ranks each tile of its subproblem, puts it
// in order in shared memory, and writes it out bucket by bucket.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "key_width.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;

#include "multisplit.glsl"
#include "bucket.glsl"
layout(set = 0, binding = 2, std430) readonly buffer Scanned { uint at[]; } scanned;
#include "move.glsl"

#include "groups.glsl"
#include "subgroup_sums.glsl"
#include "voting.glsl"
#include "rank_tile.glsl"
#include "scatter_tile.glsl"

// Where the next key of each bucket goes.
shared uint bucket_next[ROW];

void main() {
    stage_splitters();
    uint subproblem = group_index();
    if (subproblem >= subproblem_count()) return;
    for (uint b = thread_rank(); b < push.buckets; b += gl_WorkGroupSize.x) {
        bucket_next[b] = scanned.at[b * subproblem_count() + subproblem];
        if (subproblem == 0) offsets.at[b] = bucket_next[b];
    }
    if (subproblem == 0 && thread_rank() == 0) offsets.at[push.buckets] = element_count();

    for (uint t = 0; t < push.parts; ++t) {
        uint first = (subproblem * push.parts + t) * TILE;
        if (first >= element_count()) return;
        load_items(first);
        rank_in_subgroup();
        barrier();
        sum_over_subgroups();
        for (uint b = thread_rank(); b < push.buckets; b += gl_WorkGroupSize.x) {
            bucket_targets[b] = bucket_next[b] - bucket_begins[b];
            bucket_next[b] += bucket_counts[b];
        }
        place_items();
        scatter_tile(first);
        barrier();  // shared memory is written again
    }
}
