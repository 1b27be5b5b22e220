#version 460
// Reduces the rows of a matrix. The row length is a power of two, and adjacent lanes of one subgroup hold one row.
// One workgroup handles one tile: it loads 16 bytes per lane at a time, reduces across the ROW_LANES lanes of each
// row by shuffles, and writes one term per row. Rows beyond the elements are empty; a row that is cut off by the
// end of the elements has only those before it.
//
// In tile.glsl, a "row" is a row of a tile: one vector of 16 bytes per lane. In this file, a row is one of the matrix.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require

#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

// Lanes per row: a power of two, at most the subgroup size.
layout(constant_id = ROW_LANES_ID) const uint ROW_LANES = 4;

#include "src_dst.glsl"

layout(push_constant) uniform Push {
    uint rows;
    uint elements;        // element count of `src`, or its upper bound
    uint elements_index;  // index of the device count of elements
    uint groups;          // required workgroups; folding may add more
} push;

#include "count.glsl"
#include "count_word.glsl"
#include "groups.glsl"
#include "term.glsl"
#include "tile.glsl"

// Combines, in order, the terms of all lanes that hold the same row of the matrix, and returns the result in each of
// these lanes. Called by whole subgroups.
TERM total_of_row(TERM total) {
    [[unroll]] for (uint apart = 1; apart < ROW_LANES; apart <<= 1) {
        TERM other = from_lane(total, gl_SubgroupInvocationID ^ apart);
        bool is_first = (gl_SubgroupInvocationID & apart) == 0;
        total = combine(is_first ? total : other, is_first ? other : total);
    }
    return total;
}

void main() {
    uint rows = resolved_count(push.rows);
    uint elements = resolved_other(push.elements, push.elements_index);
    if (group_index() >= push.groups) return;
    uint first = group_index() * TILE;

    TERM_ROW parts[TILE_ROWS];
    [[unroll]] for (uint p = 0; p < TILE_ROWS; ++p) parts[p] = TERM_ROW(IDENTITY);
    if (first < elements) load_tile(first, elements, parts);
    [[unroll]] for (uint p = 0; p < TILE_ROWS; ++p) {
        TERM total = total_of_row(total_of(parts[p]));
        uint row = row_index(first, p) / ROW_LANES;
        if (gl_SubgroupInvocationID % ROW_LANES == 0 && row < rows) store_term(row, total);
    }
}
