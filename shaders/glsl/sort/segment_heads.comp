#version 460
// Finds the segments of a segmented sort: sets one bit in `heads` for the first element of each nonempty segment,
// and lists the segments that exceed a tile in `large`, with their ranges of tiles. Also records the end of the last
// segment. Each thread handles `EACH` segments.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require

#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "segments.glsl"

// Starts of all segments, in ascending order. Not read if segments have equal lengths.
layout(set = 0, binding = 0, std430) readonly buffer Begins { uint at[]; } begins;
// Offsets as given by the caller. At most the end of the last segment is read.
layout(set = 0, binding = 1, std430) readonly buffer Offsets { uint at[]; } offsets;
layout(set = 0, binding = 2, std430) buffer Heads { uint at[]; } heads;
layout(set = 0, binding = 3, std430) buffer FoundSegments { Found of; } found;
layout(set = 0, binding = 4, std430) writeonly buffer Large { LargeSegment at[]; } large;

layout(push_constant) uniform Push {
    uint count;           // segments
    uint elements;        // element count, or its upper bound
    uint elements_index;  // index of the device count of elements
    uint row_length;      // length of equal segments; 0: the starts are in `begins`
    uint max_tile;        // maximum length of a segment that is not large
    uint large_tile;      // elements per tile of a large segment
} push;

#include "count.glsl"
#include "count_word.glsl"
#include "groups.glsl"

const uint EACH = 4;  // segments per thread

// Handles one segment. `n` is the number of elements.
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
