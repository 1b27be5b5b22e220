#version 460
// Reduces rows of equal length, whose elements are a power of two, and so few that neighbouring lanes of one
// subgroup hold a row. Rows past the elements are empty.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require

#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

// Lanes that hold a row: a power of two, at most those of a subgroup.
layout(constant_id = ROW_LANES_ID) const uint ROW_LANES = 4;

#include "src_dst.glsl"

layout(push_constant) uniform Push {
    uint rows;
    uint elements;        // in `src`, or the most there can be
    uint elements_index;  // where the device count of these is
    uint groups;          // workgroups that are wanted; folding makes more
} push;

#include "count.glsl"
#include "count_word.glsl"
#include "groups.glsl"
#include "term.glsl"
#include "tile.glsl"

// The terms of the lanes that hold a row with this one, in their order; the same in each of them.
TERM total_of_row(TERM total) {
    [[unroll]] for (uint apart = 1; apart < ROW_LANES; apart <<= 1) {
        TERM other = from_lane(total, gl_SubgroupInvocationID ^ apart);
        bool is_first = (gl_SubgroupInvocationID & apart) == 0;
        total = combine(is_first ? total : other, is_first ? other : total);
    }
    return total;
}

void main() {
    uint rows_wanted = resolved_count(push.rows);
    uint elements = resolved_other(push.elements, push.elements_index);
    if (group_index() >= push.groups) return;
    uint first = group_index() * TILE;

    TERM_ROW loaded[TILE_ROWS];
    [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r) loaded[r] = TERM_ROW(IDENTITY);
    if (first < elements) load_tile(first, elements, loaded);
    [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r) {
        TERM total = total_of_row(total_of(loaded[r]));
        uint row = row_index(first, r) / ROW_LANES;
        if (gl_SubgroupInvocationID % ROW_LANES == 0 && row < rows_wanted) store_term(row, total);
    }
}
