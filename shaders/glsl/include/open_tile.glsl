// Reduces and scans a tile of segmented terms in registers. tile.glsl loads and stores the tile. `bits` are the head
// bits of a lane's elements in a row: bit c is set if element c is a segment head.

#ifndef OPEN_TILE_GLSL
#define OPEN_TILE_GLSL

#include "open_term.glsl"
#include "tile.glsl"

const uint ROW_BITS = (1u << ROW_TERMS) - 1;

// Returns the aggregate of a vector.
Open open_of(TERM_ROW x, uint bits) {
    TERM total = x.x;
    [[unroll]] for (uint c = 1; c < ROW_TERMS; ++c) {
        TERM through = combine(total, x[c]);
        total = (bits >> c & 1) != 0 ? x[c] : through;
    }
    return Open(bitCount(bits), total);
}

// Returns the aggregate of the subgroup's part of the tile. Called by whole subgroups.
Open open_of_rows(TERM_ROW rows[TILE_ROWS], uint bits[TILE_ROWS]) {
    Open total = nothing_open();
    [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r) {
        Open row;
        open_lanes_before(open_of(rows[r], bits[r]), row);
        total = combine(total, row);
    }
    return total;
}

#ifdef TILE_STORES

// Scans the elements of a vector with the carry-in `before`, restarting at heads.
TERM_ROW scan_open_row(TERM_ROW x, uint bits, TERM before) {
    TERM_ROW scanned;
    [[unroll]] for (uint c = 0; c < ROW_TERMS; ++c) {
        if ((bits >> c & 1) != 0) before = IDENTITY;
        TERM through = combine(before, x[c]);
        scanned[c] = INCLUSIVE != 0 ? through : before;
        before = through;
    }
    return scanned;
}

// Scans the subgroup's part of the tile in place and returns its aggregate. The caller must still combine the carry-in
// of this part with the first `carried[r]` elements of this lane's vector in each row r. Called by whole subgroups.
Open scan_open_subgroup(inout TERM_ROW rows[TILE_ROWS], uint bits[TILE_ROWS], out uint carried[TILE_ROWS]) {
    Open so_far = nothing_open();
    [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r) {
        Open row;
        Open before = combine(so_far, open_lanes_before(open_of(rows[r], bits[r]), row));
        uint leading = bits[r] == 0 ? ROW_TERMS : uint(findLSB(bits[r]));
        carried[r] = before.heads > 0 ? 0 : leading;
        rows[r] = scan_open_row(rows[r], bits[r], before.total);
        so_far = combine(so_far, row);
    }
    return so_far;
}

#endif

#endif
