#version 460
// Postscan of the direct multisplit. One subgroup handles one subproblem, a range of `parts` windows. It loads the
// output position of each bucket from `scanned`; then, window by window, it ranks the keys with ballots, writes
// each key directly to its position, and advances the positions.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "multisplit.glsl"
#include "bucket.glsl"
layout(set = 0, binding = 2, std430) readonly buffer Scanned { uint at[]; } scanned;
layout(set = 0, binding = 3, std430) writeonly buffer Offsets { uint at[]; } offsets;
#include "move.glsl"

#include "groups.glsl"
#include "voting.glsl"
#include "next_places.glsl"

void main() {
    stage_splitters();
    uint subproblem = group_index() * gl_NumSubgroups + gl_SubgroupID;
    if (subproblem >= subproblem_count()) return;

    load_next_places(subproblem);
    uint first = subproblem * push.parts * SUBGROUP_SIZE + gl_SubgroupInvocationID;
    for (uint w = 0; w < push.parts; ++w) {
        uint i = first + w * SUBGROUP_SIZE;
        bool takes_part = i < element_count();
        KEY key = takes_part ? keys.at[i] : KEY(0);
        uint bucket = takes_part ? bucket_at(key) : 0;
        vote(bucket, takes_part);
        uint to = next_place_of(bucket) + lanes_before(lanes_of_bucket(bucket));
        if (takes_part) move_element(key, i, to);
        uvec4 low = lanes_of_low_bits();
        [[unroll]] for (uint s = 0; s < BUCKETS_PER_LANE; ++s) next_places[s] += votes_for(low, s);
    }
}
