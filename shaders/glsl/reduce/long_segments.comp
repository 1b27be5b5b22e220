#version 460
// Reduces segments that are long on average: each has a taker, a subgroup or a workgroup. Takers leave all but
// the first chunk of their segment to others, one for each chunk of the array, so that a segment of any
// length keeps nobody busy for long; the next pass joins what becomes of one.
//
// An offset past the elements counts as their number. A segment that ends at or before its beginning is empty.
// Where offsets fall, totals of segments around them are of some elements, and nothing else is read or written.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require

#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

// Whether a taker is a subgroup.
layout(constant_id = BY_SUBGROUPS_ID) const uint BY_SUBGROUPS = 0;

#include "src_dst.glsl"
layout(set = 0, binding = 2, std430) readonly buffer Offsets { uint at[]; } offsets;
layout(set = 0, binding = 3, std430) writeonly buffer Chunks { uvec2 at[]; } chunks;

layout(push_constant) uniform Push {
    uint segments;
    uint max_segments;    // takers of segments; those of chunks follow
    uint elements;        // in `src`, or the most there can be
    uint elements_index;  // where the device count of these is
    uint chunk;           // elements of one: a multiple of four
} push;

#include "count.glsl"
#include "count_word.glsl"
#include "groups.glsl"
#include "term.glsl"
#include "subgroup_terms.glsl"
#include "tile.glsl"
#include "two_words.glsl"
#include "segment_offsets.glsl"

// Four elements from index 4 v on, of which those outside of the range change nothing.
TERM4 load_between(uint v, uint begin, uint end) {
    if (4 * v >= begin && 4 * v < end && end - 4 * v >= 4) return load_terms(v);
    TERM4 x = TERM4(IDENTITY);
    for (uint c = 0; c < 4; ++c)
        if (4 * v + c >= begin && 4 * v + c < end) x[c] = load_term(4 * v + c);
    return x;
}

// The elements from `begin` to `end`, combined by one subgroup.
TERM total_of_range(uint begin, uint end) {
    TERM total = IDENTITY;
    if (begin >= end) return total;
    uint last = (end - 1) / 4;
    for (uint first = begin / 4; first <= last; first += ROWS * gl_SubgroupSize) {
        TERM4 rows[ROWS];
        [[unroll]] for (uint r = 0; r < ROWS; ++r)
            rows[r] = load_between(first + r * gl_SubgroupSize + gl_SubgroupInvocationID, begin, end);
#ifdef USER_OPERATOR
        // In their order, and the same in every lane.
        total = combine(total, total_of_subgroup(rows));
#else
        total = combine(total, total_of_rows(rows));
#endif
    }
#ifdef USER_OPERATOR
    return total;
#else
    return all_lanes(total);
#endif
}

// The same by one taker.
TERM total_taken(uint begin, uint end) {
    if (BY_SUBGROUPS != 0) return total_of_range(begin, end);
    // A part for each subgroup, which begins where a vector does.
    uint base = begin / 4 * 4;
    uint share = ((end - base) / gl_NumSubgroups / 4 + 1) * 4;
    uint first = base + gl_SubgroupID * share;
    TERM all;
    earlier_subgroups(total_of_range(max(first, begin), min(first + share, end)), all);
    return all;
}

void main() {
    uint segments = resolved_count(push.segments);
    elements = resolved_other(push.elements, push.elements_index);
    uint taker = BY_SUBGROUPS != 0 ? group_index() * gl_NumSubgroups + gl_SubgroupID : group_index();
    bool writes = BY_SUBGROUPS != 0 ? subgroupElect() : thread_rank() == 0;
    if (taker < push.max_segments) {
        if (taker >= segments) return;
        uint begin = offset_at(taker);
        uint end = max(offset_at(taker + 1), begin);
        bool is_whole_here = end - begin <= push.chunk;
        TERM total = total_taken(begin, is_whole_here ? end : begin + push.chunk);
        if (writes && is_whole_here) store_term(taker, total);
        if (writes && !is_whole_here) chunks.at[taker] = two_words(total);
        return;
    }
    uint chunk = taker - push.max_segments;
    // Takers past the chunks (folding makes some), and those of nothing.
    uint chunk_count = elements / push.chunk + (elements % push.chunk != 0 ? 1 : 0);
    if (segments == 0 || chunk >= chunk_count) return;
    uint first = chunk * push.chunk;
    // The segment that has the first element, if any does.
    uint found = offsets_up_to(first, segments + 1);
    uint begin = first;
    uint end = first;
    if (found > 0 && found <= segments) {
        uint segment_begin = offset_at(found - 1);
        uint segment_end = max(offset_at(found), segment_begin);
        if (segment_end - segment_begin > push.chunk) {
            begin = max(first, segment_begin + push.chunk);
            end = min(segment_end, first + push.chunk);
        }
    }
    TERM total = total_taken(begin, max(end, begin));
    if (writes) chunks.at[taker] = two_words(total);
}
