#version 460
// Scan in one pass over the data. One workgroup handles one tile: it loads the tile, publishes its total, scans it
// in registers, obtains the prefix of the tile by decoupled look-back, and writes the tile.
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

layout(push_constant) uniform Push {
    uint count;       // elements in `src`
    uint first_tile;  // number of src's first tile in the whole array
} push;

#define TILE_STORES
#include "count.glsl"
#include "groups.glsl"
#include "term.glsl"
#include "subgroup_terms.glsl"
#include "tile_at_once.glsl"

#define LOOKBACK_BINDING 2
#include "lookback.glsl"

// Recomputes the total of a tile. Only tiles of `src` can be missing, because earlier dispatches are complete.
// They are full, because the last, partial tile has no successor.
TERM total_of_tile_again(uint tile) {
    uint first = (tile - push.first_tile) * TILE / ROW_TERMS;
    TERM total = IDENTITY;
    for (uint v = gl_SubgroupInvocationID; v < TILE / ROW_TERMS; v += gl_SubgroupSize)
        total = combine(total, total_of(load_row(first + v)));
    return last_lane(combine_lanes(total));
}

void main() {
    uint count = resolved_count(push.count);
    // Surplus workgroups (from folding) must not take a ticket.
    if (group_index() >= (count - 1) / TILE + 1) return;
    uint tile = take_tile(push.first_tile);
    uint first = (tile - push.first_tile) * TILE;

    TERM_ROW rows[TILE_ROWS];
    load_tile_at_once(first, count, rows);
    TERM total;
    TERM before = earlier_subgroups(total_of_subgroup(rows), total);
    announce(tile, total);
    scan_subgroup(rows);
    TERM earlier_tiles = before_tile(tile, total);
    store_tile_at_once(first, count, rows, combine(earlier_tiles, before));
}
