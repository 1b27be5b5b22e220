#version 460
// Second pass of the reduction of long segments: combines the chunk totals of each segment that exceeds a chunk. One
// thread handles one segment. If a segment has many chunks, the thread's whole subgroup combines them. With
// BY_SUBGROUPS, which suits few segments, one subgroup handles one segment. Reads the totals in `chunks` and writes the
// totals of these segments to `dst`.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require

#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

// Whether one subgroup handles one segment.
layout(constant_id = BY_SUBGROUPS_ID) const uint BY_SUBGROUPS = 0;

#define NO_SRC
#include "src_dst.glsl"
layout(set = 0, binding = 2, std430) readonly buffer Offsets { uint at[]; } offsets;
layout(set = 0, binding = 3, std430) readonly buffer Chunks { uvec2 at[]; } chunks;

layout(push_constant) uniform Push {
    uint segments;        // all members as in reduce.long_segments
    uint max_chunks;
    uint elements;
    uint elements_index;
    uint chunk;
    uint row_length;
} push;

#include "count.glsl"
#include "count_word.glsl"
#include "groups.glsl"
#include "term.glsl"
#include "two_words.glsl"
#include "segment_offsets.glsl"
#include "store_term.glsl"

// If more chunks than this have elements of a segment past its first push.chunk ones, the whole subgroup combines them.
const uint FEW_CHUNKS = 8;

TERM chunk_at(uint chunk) {
    return from_two_words(chunks.at[chunk]);
}

// Combines the totals of chunks [begin, end) in order and returns the result in every lane. Called by whole
// subgroups.
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

// Returns the range [x, y) of array chunks with elements of the segment past its first push.chunk elements. The range
// is empty if the segment has at most that many elements.
uvec2 other_chunks(uint segment, uint segments) {
    if (segment >= segments) return uvec2(0);
    uint first = offset_at(segment);
    uint last = offset_at(segment + 1);
    if (last <= first || last - first <= push.chunk) return uvec2(0);
    return uvec2(first / push.chunk + 1, (last - 1) / push.chunk + 1);
}

// Returns the total of the first push.chunk elements of a segment.
TERM first_chunk(uint segment) {
    return from_two_words(chunks.at[push.max_chunks + segment]);
}

// Writes the total of a segment. Called by whole subgroups.
void join_segment(uint segment, uvec2 others) {
    TERM first = first_chunk(segment);
    TERM joined = join_chunks(others.x, others.y);
    if (subgroupElect()) store_term(segment, combine(first, joined));
}

void main() {
    uint segments = resolved_count(push.segments);
    elements = resolved_other(push.elements, push.elements_index);
    if (BY_SUBGROUPS != 0) {
        uint segment = group_index() * gl_NumSubgroups + gl_SubgroupID;
        uvec2 others = other_chunks(segment, segments);
        if (others.y > others.x) join_segment(segment, others);
        return;
    }
    uint segment = group_index() * gl_WorkGroupSize.x + thread_rank();
    uvec2 others = other_chunks(segment, segments);
    bool is_many = others.y - others.x > FEW_CHUNKS;
    bool is_few = others.y > others.x && !is_many;
    for (uvec4 left = subgroupBallot(is_many); left != uvec4(0); left = subgroupBallot(is_many)) {
        uint lane = subgroupBallotFindLSB(left);
        join_segment(subgroupShuffle(segment, lane), subgroupShuffle(others, lane));
        if (gl_SubgroupInvocationID == lane) is_many = false;
    }
    if (!is_few) return;
    TERM total = first_chunk(segment);
    for (uint chunk = others.x; chunk < others.y; ++chunk) total = combine(total, chunk_at(chunk));
    store_term(segment, total);
}
