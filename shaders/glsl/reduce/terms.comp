#version 460
// Reduces an array to one term per workgroup. Runs as both stages of a reduction. First stage: each workgroup
// handles `tiles` tiles. Second stage: one workgroup reduces the terms of the first. Threads combine their
// elements in registers, then lanes and subgroups are combined. A user's operator is applied in element order,
// tile by tile.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require

#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "src_dst.glsl"

layout(push_constant) uniform Push {
    uint count;  // elements in `src`
    uint tiles;  // per workgroup
    uint first;  // first output index of this dispatch
} push;

#include "count.glsl"
#include "groups.glsl"
#include "term.glsl"
#include "subgroup_terms.glsl"
#include "tile.glsl"

void main() {
    uint count = resolved_count(push.count);
    uint tiles = count / TILE + (count % TILE != 0 ? 1 : 0);
    // Surplus workgroups (from folding) return. The first one always writes: the identity, for an empty array.
    uint group = group_index();
    if (group > 0 && (tiles == 0 || group > (tiles - 1) / push.tiles)) return;
    uint begin = group * push.tiles;
    uint end = begin + min(push.tiles, tiles - begin);
    TERM own = IDENTITY;
    for (uint tile = begin; tile < end; ++tile) {
        TERM_ROW rows[TILE_ROWS];
        load_tile(tile * TILE, count, rows);
#ifdef USER_OPERATOR
        TERM of_tile;
        earlier_subgroups(total_of_subgroup(rows), of_tile);
        own = combine(own, of_tile);
        barrier();  // subgroup_terms is reused
#else
        own = combine(own, total_of_rows(rows));
#endif
    }
#ifdef USER_OPERATOR
    TERM total = own;
#else
    TERM total;
    earlier_subgroups(all_lanes(own), total);
#endif
    if (thread_rank() == 0) store_term(push.first + group, total);
}
