#version 460
// Which elements do segments begin at, and which segments are larger than a tile? A bit for each element
// says the first; the large segments go to a list, each with a number of tiles of its own.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require

#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "segments.glsl"

// In ascending order.
layout(set = 0, binding = 0, std430) readonly buffer Begins { uint at[]; } begins;
// As they were given: only where the last segment ends is of interest.
layout(set = 0, binding = 1, std430) readonly buffer Offsets { uint at[]; } offsets;
layout(set = 0, binding = 2, std430) buffer Heads { uint at[]; } heads;
layout(set = 0, binding = 3, std430) buffer FoundSegments { Found of; } found;
layout(set = 0, binding = 4, std430) writeonly buffer Large { LargeSegment at[]; } large;

layout(push_constant) uniform Push {
    uint count;           // segments
    uint elements;        // elements, or the most there can be
    uint elements_index;  // where the device count of these is
    uint row_length;      // of segments of equal length; 0: `begins` has where they begin
    uint max_tile;        // elements of a segment that is not large
    uint large_tile;      // elements of a tile of a large one
} push;

#include "count.glsl"
#include "count_word.glsl"
#include "groups.glsl"

const uint EACH = 4;  // segments of a thread

void find(uint segment, uint segments, uint n) {
    uint begin;
    uint end;
    bool last = segment + 1 == segments;
    if (push.row_length != 0) {
        begin = segment * push.row_length;
        end = begin + push.row_length;
    } else {
        begin = min(begins.at[segment], n);
        end = last ? max(min(offsets.at[segments], n), begin) : min(begins.at[segment + 1], n);
    }
    if (last) found.of.end = end;
    if (begin == end) return;
    atomicOr(heads.at[begin / 32], 1u << (begin % 32));
    if (end - begin <= push.max_tile) return;
    uint slot = atomicAdd(found.of.large, 1);
    uint first_tile = atomicAdd(found.of.large_tiles, (end - begin - 1) / push.large_tile + 1);
    large.at[slot] = LargeSegment(begin, end, first_tile, slot);
}

void main() {
    uint segments = resolved_count(push.count);
    uint n = resolved_other(push.elements, push.elements_index);
    uint first = group_index() * gl_WorkGroupSize.x * EACH + thread_rank();
    for (uint k = 0; k < EACH; ++k) {
        uint segment = first + k * gl_WorkGroupSize.x;
        if (segment < segments) find(segment, segments, n);
    }
}
