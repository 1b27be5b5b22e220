// Loads and stores the whole vectors of a tile with the same code in full and partial tiles.
//
// load_tile() and store_tile() of tile.glsl have separate code for full tiles, which is faster in other kernels. A scan
// with look-back is faster with common code (docs/performance-log.md, 69).

#ifndef TILE_AT_ONCE_GLSL
#define TILE_AT_ONCE_GLSL

#include "tile.glsl"

// Loads this thread's vectors of the tile that starts at element `first`, with the identity at and past `count`. For a
// vector that is not whole, the last whole vector is loaded first and then replaced.
void load_tile_at_once(uint first, uint count, out TERM_ROW rows[TILE_ROWS]) {
    uint whole_rows = count / ROW_TERMS;
    [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r) rows[r] = TERM_ROW(IDENTITY);
    if (whole_rows > 0) {
        [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r)
            rows[r] = load_row(min(row_index(first, r), whole_rows - 1));
    }
    if (count - first >= TILE) return;
    TERM_ROW last = load_partial(whole_rows, count);
    [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r) {
        uint v = row_index(first, r);
        TERM_ROW past = v == whole_rows ? last : TERM_ROW(IDENTITY);
        rows[r] = v < whole_rows ? rows[r] : past;
    }
}

// Combines all rows with the carry-in `before` and writes the elements below `count`.
void store_tile_at_once(uint first, uint count, TERM_ROW rows[TILE_ROWS], TERM before) {
    uint whole_rows = count / ROW_TERMS;
    if (count - first < TILE) {
        // At most one lane has the vector that contains the end of the array.
        TERM_ROW last = rows[0];
        bool has_last = false;
        [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r) {
            bool is_last = row_index(first, r) == whole_rows;
            last = is_last ? rows[r] : last;
            has_last = has_last || is_last;
        }
        if (has_last) store_partial(whole_rows, count, combine(before, last));
    }
    [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r) {
        uint v = row_index(first, r);
        if (v < whole_rows) store_row(v, combine(before, rows[r]));
    }
}

#endif
