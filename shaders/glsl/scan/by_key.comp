#version 460
// Last stage of a segmented reduce-then-scan or, with LOOKBACK, a segmented scan in one pass. One workgroup handles one
// tile: it loads the terms and segment heads, scans them in registers, obtains the carry-in of the tile and writes the
// tile. The carry-in comes from `before_tiles`, or from decoupled look-back. Look-back never passes a tile that
// contains a head, because that tile's own aggregate is final. docs/kernels.md, "Look-back scan", describes it.
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
#ifndef LOOKBACK
layout(set = 0, binding = 2, std430) readonly buffer Before { uvec4 at[]; } before_tiles;
#endif

#define TILE_STORES
#include "count.glsl"
#include "groups.glsl"
#include "heads.glsl"
#include "open_tile.glsl"

#ifdef LOOKBACK
#define LOOKBACK_BINDING 2
#define ENDS_AT_HEADS
#include "lookback.glsl"

// Recomputes the aggregate of a tile. It is full: only the last tile can be partial, and no tile looks back at it.
Open total_of_tile_again(uint tile) {
    uint count = resolved_count(push.count);
    Open total = nothing_open();
    for (uint step = 0; step < TILE / ROW_TERMS; step += gl_SubgroupSize) {
        uint v = tile * TILE / ROW_TERMS + step + gl_SubgroupInvocationID;
        Open row;
        open_lanes_before(open_of(load_row(v), head_bits(v, count)), row);
        total = combine(total, row);
    }
    return total;
}

#endif

void main() {
    uint count = resolved_count(push.count);
    uint tiles = count / TILE + (count % TILE != 0 ? 1 : 0);
    // Surplus workgroups (from folding) must not take a ticket.
    if (group_index() >= tiles) return;
#ifdef LOOKBACK
    Tile tile = take_tile(0, tiles);
    uint first = tile.index * TILE;
#else
    uint tile = group_index_from_end(tiles);
    uint first = tile * TILE;
#endif

    TERM_ROW rows[TILE_ROWS];
    uint bits[TILE_ROWS];
    uint carried[TILE_ROWS];
    load_tile(first, count, rows);
    load_heads(first, count, bits);
    Open here;
    Open before = earlier_subgroups(scan_open_subgroup(rows, bits, carried), here);

#ifdef LOOKBACK
    if (gl_SubgroupID == 0) {
        States states = states_of(tile);
        if (subgroupElect()) publish(tile.index, here.heads > 0 ? states.prefix : states.own, here);
        Open earlier_tiles = look_back(tile);
        if (subgroupElect()) {
            if (here.heads == 0) publish(tile.index, states.prefix, combine(earlier_tiles, here));
            shared_before = earlier_tiles;
        }
    }
    barrier();
    TERM total_before = shared_before.total;
#else
    TERM total_before = from_words(before_tiles.at[tile]).total;
#endif

    TERM carry = combine(Open(0, total_before), before).total;
    [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r) {
        [[unroll]] for (uint c = 0; c < ROW_TERMS; ++c) {
            TERM through = combine(carry, rows[r][c]);
            if (c < carried[r]) rows[r][c] = through;
        }
        store_partial(row_index(first, r), count, rows[r]);
    }
}
