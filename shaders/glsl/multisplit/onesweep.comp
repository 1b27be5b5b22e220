#version 460
// Second pass of the one-sweep multisplit: each workgroup ranks a tile, learns by decoupled
// look-back where the buckets of all tiles before it end, and writes the tile.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "key_width.glsl"

layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 7) const uint SPIN_LIMIT = 1024;

#include "multisplit.glsl"
#include "bucket.glsl"
layout(set = 0, binding = 2, std430) readonly buffer Histogram { uint at[]; } histogram;
#include "move.glsl"

#include "groups.glsl"
#include "subgroup_sums.glsl"
#include "voting.glsl"
#include "rank_tile.glsl"
#include "scatter_tile.glsl"
#include "bucket_lookback.glsl"

void main() {
    if (group_index() >= subproblem_count()) return;
    if (thread_rank() == 0) tile_ticket = atomicAdd(status.ticket, 1);
    stage_splitters();
    barrier();
    uint tile = tile_ticket;
    uint first = tile * TILE;
    load_items(first);
    rank_in_subgroup();
    barrier();
    sum_over_subgroups();
    if (tile > 0) publish_counts(tile);
    place_items();
    find_targets(tile);
    scatter_tile(first);
}
