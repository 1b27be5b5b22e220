#version 460
// First pass of the reduction of long segments. A worker is a subgroup or a workgroup. There is one worker per segment
// and, unless max_chunks is 0, one per chunk of the array. A segment's worker reduces the first `chunk` elements of its
// segment; the chunk workers reduce the remaining elements. No worker therefore handles more elements than a chunk has,
// regardless of the segment lengths. Totals of segments that fit a chunk are written to `dst`, all others to `chunks`,
// which reduce.long_join combines.
//
// Offsets beyond the elements are clamped. A segment that ends at or before its start is empty. If offsets
// decrease, totals of nonempty segments are unspecified; all accesses stay in bounds.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require

#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "src_dst.glsl"
layout(set = 0, binding = 2, std430) readonly buffer Offsets { uint at[]; } offsets;
layout(set = 0, binding = 3, std430) writeonly buffer Chunks { uvec2 at[]; } chunks;

layout(push_constant) uniform Push {
    uint segments;
    uint max_chunks;      // number of chunk workers, which precede the segment workers; 0 if all rows fit a chunk
    uint elements;        // element count of `src`, or its upper bound
    uint elements_index;  // index of the device count of elements
    uint chunk;           // elements per chunk, a multiple of four
    uint row_length;      // row length, if segments are rows of a matrix
} push;

#include "count.glsl"
#include "count_word.glsl"
#include "worker_total.glsl"
#include "two_words.glsl"
#include "segment_offsets.glsl"

void main() {
    uint segments = resolved_count(push.segments);
    elements = resolved_other(push.elements, push.elements_index);
    uint worker = BY_SUBGROUPS != 0 ? group_index() * gl_NumSubgroups + gl_SubgroupID : group_index();
    bool writes = BY_SUBGROUPS != 0 ? subgroupElect() : thread_rank() == 0;
    // Chunk workers have the lower indices, so that they usually start first: they must search for their segment
    // before they load.
    if (worker >= push.max_chunks) {
        uint segment = worker - push.max_chunks;
        if (segment >= segments) return;
        uint begin = offset_at(segment);
        uint end = max(offset_at(segment + 1), begin);
        bool is_whole_here = end - begin <= push.chunk;
        TERM total = total_of_worker(begin, is_whole_here ? end : begin + push.chunk);
        if (writes && is_whole_here) store_term(segment, total);
        if (writes && !is_whole_here) chunks.at[worker] = two_words(total);
        return;
    }
    // The array may have fewer chunks than max_chunks.
    uint chunk_count = elements / push.chunk + (elements % push.chunk != 0 ? 1 : 0);
    if (segments == 0 || worker >= chunk_count) return;
    uint first = worker * push.chunk;
    // One more than the index of the segment that contains the first element of the chunk, if there is one.
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
    TERM total = total_of_worker(begin, max(end, begin));
    if (writes) chunks.at[worker] = two_words(total);
}
