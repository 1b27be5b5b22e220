// A tile of terms in segments: what it comes to, and how a workgroup scans it in registers. tile.glsl has how
// it is read, and where segments begin in it is a bit for each element of a lane and row.

#ifndef OPEN_TILE_GLSL
#define OPEN_TILE_GLSL

#include "open_term.glsl"
#include "tile.glsl"

const uint ROW_BITS = (1u << ROW_TERMS) - 1;

// Of a row, the elements of this lane.
Open open_of(TERM_ROW x, uint bits) {
    TERM total = x.x;
    [[unroll]] for (uint c = 1; c < ROW_TERMS; ++c) {
        TERM through = combine(total, x[c]);
        total = (bits >> c & 1) != 0 ? x[c] : through;
    }
    return Open(bitCount(bits), total);
}

// The rows of this subgroup over its part of the tile.
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

// Scans a row, of which `before` is what comes before it.
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

// Scans the rows of this subgroup over its part of the tile, and gives what that part comes to. The first
// `carried` elements of a row still lack what comes before that part.
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
