#version 460
// Joins the chunks of segments that are longer than one. Each thread looks after a segment; where it has many
// chunks, the subgroup helps.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require

#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#define NO_SRC
#include "src_dst.glsl"
layout(set = 0, binding = 2, std430) readonly buffer Offsets { uint at[]; } offsets;
layout(set = 0, binding = 3, std430) readonly buffer Chunks { uvec2 at[]; } chunks;

layout(push_constant) uniform Push {
    uint segments;
    uint max_segments;
    uint elements;
    uint elements_index;
    uint chunk;
} push;

#include "count.glsl"
#include "count_word.glsl"
#include "groups.glsl"
#include "term.glsl"
#include "two_words.glsl"
#include "segment_offsets.glsl"
#include "store_term.glsl"

// More than these are joined by the subgroup.
const uint FEW_CHUNKS = 8;

TERM chunk_at(uint chunk) {
    return from_two_words(chunks.at[push.max_segments + chunk]);
}

// The chunks from `begin` to `end`, in their order. Called by whole subgroups; the same in every lane.
TERM join_chunks(uint begin, uint end) {
    TERM total = IDENTITY;
    for (uint first = begin; first < end; first += gl_SubgroupSize) {
        uint chunk = first + gl_SubgroupInvocationID;
        TERM own = IDENTITY;
        if (chunk < end) own = chunk_at(chunk);
        total = combine(total, last_lane(combine_lanes(own)));
    }
    return total;
}

void main() {
    uint segments = resolved_count(push.segments);
    elements = resolved_other(push.elements, push.elements_index);
    uint segment = group_index() * gl_WorkGroupSize.x + thread_rank();
    // The chunks that lie past the segment's first one begin after it does, and before it ends.
    uint begin = 0;
    uint end = 0;
    if (segment < segments) {
        uint first = offset_at(segment);
        uint last = offset_at(segment + 1);
        if (last > first && last - first > push.chunk) {
            begin = first / push.chunk + 1;
            end = (last - 1) / push.chunk + 1;
        }
    }
    TERM total = IDENTITY;
    if (end > begin) total = from_two_words(chunks.at[segment]);
    bool is_many = end - begin > FEW_CHUNKS;
    for (uvec4 left = subgroupBallot(is_many); left != uvec4(0); left = subgroupBallot(is_many)) {
        uint lane = subgroupBallotFindLSB(left);
        TERM others = join_chunks(subgroupShuffle(begin, lane), subgroupShuffle(end, lane));
        if (gl_SubgroupInvocationID == lane) {
            total = combine(total, others);
            store_term(segment, total);
            is_many = false;
            end = begin;
        }
    }
    if (end <= begin) return;
    for (uint chunk = begin; chunk < end; ++chunk) total = combine(total, chunk_at(chunk));
    store_term(segment, total);
}
