#version 460
// Prepares the split of the pile: copies an entry to `kept`, and its bucket id to `ids`, unless the entry is stale or
// was already expanded. Threads take entries in turn; each subgroup reserves output space with one atomic addition.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require

#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "lane_totals.glsl"
#include "sssp_state.glsl"
layout(set = 0, binding = 3, std430) readonly buffer Pile { uvec2 at[]; } pile;
layout(set = 0, binding = 4, std430) writeonly buffer Ids { uint at[]; } ids;
layout(set = 0, binding = 5, std430) writeonly buffer Kept { uvec2 at[]; } kept;
layout(set = 0, binding = 6, std430) readonly buffer Distances { uint at[]; } distances;

// Copies entry i of the pile, unless it is stale or was already expanded. Called by whole subgroups, with one entry per
// lane.
void look_at(uint i) {
    bool held = i < control.piled;
    uvec2 entry = held ? pile.at[i] : uvec2(0);
    bool keep = held && entry.y >= control.threshold && distances.at[entry.x] == entry.y;
    uvec4 keepers = subgroupBallot(keep);
    uint nearest = min_over_lanes(keep ? entry.y : UNREACHED);
    uint begin = 0;
    if (subgroupElect() && nearest < UNREACHED) {
        uint count = subgroupBallotBitCount(keepers);
        begin = atomicAdd(control.kept, count);
        atomicAdd(control.kept_words, 2 * count);
        atomicMin(control.nearest_rest, nearest);
    }
    begin = subgroupBroadcastFirst(begin) + subgroupBallotExclusiveBitCount(keepers);
    if (keep) {
        ids.at[begin] = min(widths_between(control.base, entry.y), push.last_id);
        kept.at[begin] = entry;
    }
}

void main() {
    uint first = gl_WorkGroupID.x * gl_WorkGroupSize.x;
    for (; first < control.piled; first += gl_NumWorkGroups.x * gl_WorkGroupSize.x)
        look_at(first + gl_LocalInvocationIndex);
}
