#version 460
// Scan in one pass over the data: each workgroup scans a tile and finds the total of the
// tiles before it by decoupled look-back.
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
    uint first_tile;  // number of the first tile of `src` in the whole array
} push;

#define TILE_STORES
#include "count.glsl"
#include "groups.glsl"
#include "term.glsl"
#include "subgroup_terms.glsl"
#include "tile_at_once.glsl"

#define LOOKBACK_BINDING 2
#include "lookback.glsl"

// A tile of an earlier dispatch was complete before this one began, so only tiles of `src` can
// be missing. They are full: the last, partial one has no successor.
TERM total_of_tile_again(uint tile) {
    uint first = (tile - push.first_tile) * TILE / ROW_TERMS;
    TERM total = IDENTITY;
    for (uint v = gl_SubgroupInvocationID; v < TILE / ROW_TERMS; v += gl_SubgroupSize)
        total = combine(total, total_of(load_row(first + v)));
    return last_lane(combine_lanes(total));
}

void main() {
    uint count = resolved_count(push.count);
    // Workgroups past the count (folding makes some) must not take a ticket.
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
