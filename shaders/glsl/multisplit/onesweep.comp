#version 460
// Second pass of the one-sweep multisplit: each workgroup counts a strip of tiles, learns by
// decoupled look-back where the buckets of all strips before it end, and splits the strip. With
// SORT it is a round of a radix sort.
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
#ifndef SORT
#include "move.glsl"
#endif

#include "groups.glsl"
#include "subgroup_sums.glsl"
#include "voting.glsl"
#include "rank_tile.glsl"
#include "load_tile.glsl"
#include "scatter_tile.glsl"
#include "strip.glsl"
#include "strip_lookback.glsl"
#ifdef SORT
#include "idle_rounds.glsl"
#endif

#ifndef SORT
// bucket_next of the first strip is where the buckets begin.
void write_offsets() {
    [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k)
        if (own_bucket(k) < push.buckets) offsets.at[own_bucket(k)] = bucket_next[k];
    if (thread_rank() == 0) offsets.at[push.buckets] = element_count();
}
#endif

void main() {
    if (group_index() >= subproblem_count()) return;
#ifdef SORT
    if (!begin_round()) return;
#endif
    if (thread_rank() == 0) strip_ticket = atomicAdd(status.ticket, 1);
    stage_splitters();
    barrier();
    uint strip = strip_ticket;
    uint counts[OWN_BUCKETS];
    count_strip(strip, counts);
    load_keys(strip_first(strip));
    find_places(strip, counts);
#ifndef SORT
    if (strip == 0) write_offsets();
#endif
    split_strip(strip_first(strip), strip_end(strip));
}
