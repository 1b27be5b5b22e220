#version 460
// Prepares the large segments of a segmented sort: writes the segment of each of their tiles to `tiles`, and
// clears their histograms. Workgroups take the large segments in turn.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require

#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "segments.glsl"

layout(set = 0, binding = 0, std430) readonly buffer FoundSegments { Found of; } found;
layout(set = 0, binding = 1, std430) readonly buffer Large { LargeSegment at[]; } large;
layout(set = 0, binding = 2, std430) writeonly buffer Tiles { LargeSegment at[]; } tiles;
layout(set = 0, binding = 3, std430) writeonly buffer Histogram { uint at[]; } histogram;

layout(push_constant) uniform Push {
    uint groups;           // workgroups that share the segments
    uint large_tile;       // elements per tile
    uint histogram_words;  // words of histograms per segment
} push;

#include "groups.glsl"

void main() {
    if (group_index() >= push.groups) return;
    for (uint slot = group_index(); slot < found.of.large; slot += push.groups) {
        LargeSegment segment = large.at[slot];
        uint count = (segment.end - segment.begin - 1) / push.large_tile + 1;
        for (uint tile = thread_rank(); tile < count; tile += gl_WorkGroupSize.x)
            tiles.at[segment.first_tile + tile] = segment;
        for (uint i = thread_rank(); i < push.histogram_words; i += gl_WorkGroupSize.x)
            histogram.at[slot * push.histogram_words + i] = 0;
    }
}
