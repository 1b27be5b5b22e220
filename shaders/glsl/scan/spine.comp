#version 460
// Scans each row of `src` with one workgroup, tile after tile with a carry. A single row is the middle stage of
// reduce-then-scan, or a complete scan of a small array.
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
    uint count;       // elements of all rows
    uint row_length;  // elements per row; the last row may have fewer
    uint rows;
} push;

// Whether rows may begin between multiples of 16 bytes. Their elements are then loaded and stored one at a time.
layout(constant_id = UNALIGNED_ROWS_ID) const uint UNALIGNED_ROWS = 0;

#define TILE_STORES
#include "count.glsl"
#include "groups.glsl"
#include "term.glsl"
#include "subgroup_terms.glsl"
#include "tile.glsl"

// Loads this thread's vectors of the tile that starts at element `first` of the row [begin, end). A vector has the same
// elements of the row whether rows are aligned or not, so results have the same bits.
void load_tile_of_row(uint begin, uint first, uint end, out TERM_ROW rows[TILE_ROWS]) {
    if (UNALIGNED_ROWS == 0) {
        load_tile(begin + first, end, rows);
        return;
    }
    [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r) {
        uint i = begin + ROW_TERMS * row_index(first, r);
        rows[r] = TERM_ROW(IDENTITY);
        [[unroll]] for (uint c = 0; c < ROW_TERMS; ++c)
            if (i + c < end) rows[r][c] = load_term(i + c);
    }
}

// Combines all vectors of the tile with the carry-in `before` and writes the elements of the row.
void store_tile_of_row(uint begin, uint first, uint end, TERM_ROW rows[TILE_ROWS], TERM before) {
    if (UNALIGNED_ROWS == 0) {
        store_tile(begin + first, end, rows, before);
        return;
    }
    [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r) {
        uint i = begin + ROW_TERMS * row_index(first, r);
        TERM_ROW x = combine(before, rows[r]);
        [[unroll]] for (uint c = 0; c < ROW_TERMS; ++c)
            if (i + c < end) store_term(i + c, x[c]);
    }
}

void main() {
    uint count = resolved_count(push.count);
    uint begin = group_index() * push.row_length;
    if (group_index() >= push.rows || begin >= count) return;
    uint end = begin + min(push.row_length, count - begin);
    TERM carry = IDENTITY;
    for (uint first = 0; first < end - begin; first += TILE) {
        TERM_ROW rows[TILE_ROWS];
        load_tile_of_row(begin, first, end, rows);
        TERM total;
        TERM before = combine(carry, earlier_subgroups(scan_subgroup(rows), total));
        store_tile_of_row(begin, first, end, rows, before);
        carry = combine(carry, total);
        barrier();  // subgroup_terms is reused
    }
}
