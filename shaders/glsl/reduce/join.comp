#version 460
// Second pass of a segmented reduction: completes segments that span several tiles. One thread handles one tile:
// if a segment from an earlier tile ends in it, the thread combines the parts that all tiles of the segment left
// in `parts` and writes the total. Steps: load the parts, scan them across the workgroup, combine parts of tiles
// before the workgroup's first one, write the totals.
//
// If offsets decrease, the first workgroups also write the identity for nonempty segments that no tile found.
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
layout(set = 0, binding = 3, std430) readonly buffer Parts { uvec4 at[]; } parts;
layout(set = 0, binding = 4, std430) readonly buffer Falls { uint at[]; } falls;

layout(push_constant) uniform Push {
    uint segments;
    uint groups;          // workgroups of the previous pass
    uint tile;            // elements per tile
    uint elements;        // element count, or its upper bound
    uint elements_index;  // index of the device count of elements
    uint row_length;      // row length, if segments are rows of a matrix
} push;

#include "count.glsl"
#include "count_word.glsl"
#include "groups.glsl"
#include "open_term.glsl"
#include "segment_parts.glsl"
#include "segment_offsets.glsl"
#include "store_term.glsl"

// Maximum number of workgroups that look for segments not found by any tile.
const uint MAX_FINDERS = 64;

shared uint shared_closed;
shared uint shared_falls;

// Returns the total of a tile's elements from its last segment start on (segment_parts.glsl).
TERM open_total(uint tile) {
    return from_two_words(parts.at[2 * tile + 1].xy);
}

// Returns the combination of the open totals of tiles [begin, end), in order. Each thread combines a contiguous range.
// Called by all threads; contains a barrier.
TERM join(uint begin, uint end) {
    uint share = (end - begin - 1) / gl_WorkGroupSize.x + 1;
    uint first = begin + min(share * thread_rank(), end - begin);
    uint last = min(first + share, end);
    TERM own = IDENTITY;
    for (uint tile = first; tile < last; ++tile) own = combine(own, open_total(tile));
    Open all;
    earlier_subgroups(Open(0, last_lane(combine_lanes(own))), all);
    return all.total;
}

// Returns whether any of the flags that this thread reads reports a decreasing offset.
bool has_fall() {
    uint fell = 0;
    for (uint k = thread_rank(); k < push.groups; k += gl_WorkGroupSize.x) fell |= falls.at[k];
    return fell != 0;
}

// Returns whether the tile of the segment's last element found the segment; must match mark_offsets() of the
// previous pass.
bool is_found(uint segment, uint end) {
    uvec2 range = parts.at[2 * ((end - 1) / push.tile) + 1].zw;
    if (range.x >= range.y) return false;
    if (range.y - range.x <= MAX_WALK * push.tile) return segment + 1 >= range.x && segment + 1 < range.y;
    return first_above(end - 1, range.x, range.y) == segment + 1;
}

// Writes the identity for nonempty segments that were not found by any tile.
void reduce_missed_segments(uint segments, uint finders) {
    for (uint k = group_index() * gl_WorkGroupSize.x + thread_rank(); k < segments; k += finders * gl_WorkGroupSize.x) {
        uint end = offset_at(k + 1);
        if (end > offset_at(k) && !is_found(k, end)) store_term(k, IDENTITY);
    }
}

void main() {
    uint segments = resolved_count(push.segments);
    if (segments == 0) return;
    elements = resolved_other(push.elements, push.elements_index);
    uint tiles = elements / push.tile + (elements % push.tile != 0 ? 1 : 0);
    uint group_first = group_index() * gl_WorkGroupSize.x;
    // Offsets of rows of a matrix never decrease.
    uint finders = OF_ROWS != 0 ? 0 : min(gl_NumWorkGroups.x * gl_NumWorkGroups.y, MAX_FINDERS);
    bool finds = group_index() < finders;
    if (group_first >= tiles && !finds) return;
    bool fell = finds && has_fall();
    uint tile = group_first + thread_rank();
    uint closed = NO_SEGMENT;
    TERM closing = IDENTITY;
    Open own = nothing_open();
    if (tile < tiles) {
        uvec4 part = parts.at[2 * tile];
        closed = part.x;
        closing = from_two_words(part.zw);
        own = Open(part.y, open_total(tile));
    }
    if (thread_rank() == 0) {
        shared_closed = NO_SEGMENT;
        shared_falls = 0;
    }
    Open of_subgroup;
    Open before = open_lanes_before(own, of_subgroup);
    Open all;
    before = combine(earlier_subgroups(of_subgroup, all), before);
    // At most one segment began before the tiles of this workgroup and ends in one of them.
    bool goes_on = closed != NO_SEGMENT && before.heads == 0;
    if (goes_on) shared_closed = closed;
    if (fell) atomicOr(shared_falls, 1);
    barrier();
    if (shared_falls != 0) reduce_missed_segments(segments, finders);
    uint joined = shared_closed;
    TERM earlier = IDENTITY;
    if (joined != NO_SEGMENT) {
        uint begin = min(offset_at(joined) / push.tile, group_first);
        if (begin < group_first) earlier = join(begin, group_first);
    }
    if (closed == NO_SEGMENT) return;
    TERM total = combine(before.total, closing);
    if (goes_on) total = combine(earlier, total);
    store_term(closed, total);
}
