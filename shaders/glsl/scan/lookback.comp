#version 460
// Scan in one pass over the data. One workgroup handles one tile: it loads the tile, publishes its total, scans it
// in registers, obtains the prefix of the tile by decoupled look-back, and writes the tile. Results do not depend on
// timing: terms that depend on the order of combination are combined in a fixed order. docs/kernels.md, "Look-back
// scan", has the data flow, invariants and barriers.
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
    uint first_tile;  // index of src's first tile in the whole array
} push;

#define TILE_STORES
#include "count.glsl"
#include "groups.glsl"
#include "term.glsl"
#include "subgroup_terms.glsl"
#include "tile_at_once.glsl"

#define LOOKBACK_BINDING 2
#if defined(FLOAT) || defined(USER_OPERATOR)
#include "ordered_lookback.glsl"
#else
#include "lookback.glsl"
#endif

// Recomputes the total of a tile, in the order of total_of_subgroup() and earlier_subgroups(). The tile belongs to this
// dispatch (`src`), because all tiles of earlier dispatches have been published. It is full, because only the last tile
// of the array can be partial, and no tile looks back at it.
TERM total_of_tile_again(uint tile) {
    uint v = (tile - push.first_tile) * TILE / ROW_TERMS + gl_SubgroupInvocationID;
    TERM total = IDENTITY;
    TERM held = IDENTITY;  // lane l: total of subgroup l of the current group of gl_SubgroupSize subgroups
    for (uint s = 0; s < gl_NumSubgroups; ++s) {
        TERM own = IDENTITY;
        for (uint r = 0; r < TILE_ROWS; ++r) {
            TERM of_row = total_of(load_row(v));
#ifdef USER_OPERATOR
            of_row = last_lane(combine_lanes(of_row));
#endif
            own = combine(own, of_row);
            v += gl_SubgroupSize;
        }
#ifndef USER_OPERATOR
        own = last_lane(combine_lanes(own));
#endif
        uint lane = s % gl_SubgroupSize;
        if (gl_SubgroupInvocationID == lane) held = own;
        if (lane == gl_SubgroupSize - 1 || s == gl_NumSubgroups - 1) {
            total = combine(total, last_lane(combine_lanes(held)));
            held = IDENTITY;
        }
    }
    return total;
}

void main() {
    uint count = resolved_count(push.count);
    uint tiles = (count - 1) / TILE + 1;
    // Surplus workgroups (from folding) must not take a ticket.
    if (group_index() >= tiles) return;
    Tile tile = take_tile(push.first_tile, tiles);
    uint first = (tile.index - push.first_tile) * TILE;

    TERM_ROW rows[TILE_ROWS];
    load_tile_at_once(first, count, rows);
    TERM total;
    TERM before = earlier_subgroups(total_of_subgroup(rows), total);
    announce(tile, total);
    scan_subgroup(rows);
    TERM earlier_tiles = before_tile(tile, total);
    store_tile_at_once(first, count, rows, combine(earlier_tiles, before));
}
