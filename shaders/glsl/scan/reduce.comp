#version 460
// First stage of reduce-then-scan. One workgroup loads one tile of `src`, reduces it in registers and across
// subgroups, and writes the tile's total to `sums`.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require

#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#define NO_DST
#include "src_dst.glsl"
#include "term.glsl"
layout(set = 0, binding = 1, std430) writeonly buffer Sums { WORDS at[]; } sums;

layout(push_constant) uniform Push {
    uint count;       // elements in `src`
    uint first_tile;  // index of this dispatch's first tile in `sums`
} push;

#include "count.glsl"
#include "groups.glsl"
#include "term.glsl"
#include "subgroup_terms.glsl"
#include "tile.glsl"

void main() {
    uint count = resolved_count(push.count);
    uint tile = group_index();
    // Surplus workgroups (from folding) return.
    if (tile >= (count - 1) / TILE + 1) return;
    TERM_ROW rows[TILE_ROWS];
    load_tile(tile * TILE, count, rows);
    TERM total;
    earlier_subgroups(total_of_subgroup(rows), total);
    if (thread_rank() == 0) sums.at[push.first_tile + tile] = to_words(total);
}
