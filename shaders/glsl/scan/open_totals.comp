#version 460
// First stage of segmented reduce-then-scan. One workgroup loads one tile with its segment heads and writes the
// tile's aggregate.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require

#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#define NO_DST
#include "src_dst.glsl"
layout(set = 0, binding = 2, std430) writeonly buffer Totals { uvec4 at[]; } totals;

#define COUNT_HEADS
#include "count.glsl"
#include "groups.glsl"
#include "heads.glsl"
#include "open_tile.glsl"

void main() {
    uint count = resolved_count(push.count);
    uint tile = group_index();
    // Surplus workgroups (from folding) return. An empty array has no tiles.
    if (count == 0 || tile >= (count - 1) / TILE + 1) return;
    TERM_ROW rows[TILE_ROWS];
    uint bits[TILE_ROWS];
    load_tile(tile * TILE, count, rows);
    load_heads(tile * TILE, count, bits);
    Open total;
    earlier_subgroups(open_of_rows(rows, bits), total);
    if (thread_rank() == 0) totals.at[tile] = in_words(total);
}
