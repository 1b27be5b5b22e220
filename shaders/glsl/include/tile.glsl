// Loads a tile of terms into registers, reduces or scans it there, and writes a scanned tile to `dst`.
//
// A vector is 16 bytes, that is ROW_TERMS elements: four of 32 bits or two of 64 bits. Vector v holds the elements from
// ROW_TERMS * v on. Each subgroup owns a contiguous part of the tile and reads it row by row; a row is one vector per
// lane. All accesses are coalesced, and the element order is (subgroup, row, lane, component).
//
// ROWS is defined in kernels.txt; a thread has 4 * ROWS elements. Kernels that store tiles define TILE_STORES.

#ifndef TILE_GLSL
#define TILE_GLSL

#include "src_dst.glsl"
#include "term.glsl"

const uint TILE = gl_WorkGroupSize.x * ROWS * 4;
#define TILE_ROWS (ROWS * TERM_WORDS)

// Returns the index of this thread's vector in row `row` of the tile that starts at element `first`.
uint row_index(uint first, uint row) {
    return first / ROW_TERMS + (gl_SubgroupID * TILE_ROWS + row) * gl_SubgroupSize + gl_SubgroupInvocationID;
}

// Returns vector v of the array. All its elements must be below the count.
TERM_ROW load_row(uint v) {
    uvec4 x = load_vec4(v);
#if KEY_BITS == 64
    return TERM_ROW(term_of(x.xy), term_of(x.zw));
#else
    return TERM_ROW(term_of(x.x), term_of(x.y), term_of(x.z), term_of(x.w));
#endif
}

TERM load_term(uint i) {
#if KEY_BITS == 64
    return term_of(uvec2(load_one(2 * i), load_one(2 * i + 1)));
#else
    return term_of(load_one(i));
#endif
}

// Returns whether all elements of vector v are below the count.
bool is_whole(uint v, uint count) {
    return ROW_TERMS * v < count && count - ROW_TERMS * v >= ROW_TERMS;
}

// Returns vector v of the array, with the identity at and past `count`.
TERM_ROW load_partial(uint v, uint count) {
    if (is_whole(v, count)) return load_row(v);
    TERM_ROW x = TERM_ROW(IDENTITY);
    for (uint c = 0; c < ROW_TERMS; ++c)
        if (ROW_TERMS * v + c < count) x[c] = load_term(ROW_TERMS * v + c);
    return x;
}

// Loads this thread's vectors of the tile that starts at element `first`, with the identity at and past `count`.
void load_tile(uint first, uint count, out TERM_ROW rows[TILE_ROWS]) {
    if (count - first >= TILE) {
        [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r) rows[r] = load_row(row_index(first, r));
    } else {
        [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r) rows[r] = load_partial(row_index(first, r), count);
    }
}

// Returns the combination of this thread's terms, row by row.
TERM total_of_rows(TERM_ROW rows[TILE_ROWS]) {
    TERM total = IDENTITY;
    [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r) total = combine(total, total_of(rows[r]));
    return total;
}

// Returns the combination of the subgroup's part of the tile. Called by whole subgroups, outside of loops. A
// user's operator need not be commutative, so rows are then combined in element order.
TERM total_of_subgroup(TERM_ROW rows[TILE_ROWS]) {
#ifdef USER_OPERATOR
    TERM total = IDENTITY;
    [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r) total = combine(total, all_lanes(total_of(rows[r])));
    return total;
#else
    return all_lanes(total_of_rows(rows));
#endif
}

#ifndef NO_DST
#include "store_term.glsl"
#endif

#ifdef TILE_STORES
layout(constant_id = INCLUSIVE_ID) const uint INCLUSIVE = 0;

void store_row(uint v, TERM_ROW x) {
#if KEY_BITS == 64
    store_vec4(v, uvec4(element_of(x[0]), element_of(x[1])));
#else
    store_vec4(v, uvec4(element_of(x[0]), element_of(x[1]), element_of(x[2]), element_of(x[3])));
#endif
}

// Scans the elements of a vector with the carry-in `before`.
TERM_ROW scan_row(TERM_ROW x, TERM before) {
    [[unroll]] for (uint c = 0; c < ROW_TERMS; ++c) {
        TERM through = combine(before, x[c]);
        x[c] = INCLUSIVE != 0 ? through : before;
        before = through;
    }
    return x;
}

// Scans the subgroup's part of the tile in place and returns its total. Called by whole subgroups.
TERM scan_subgroup(inout TERM_ROW rows[TILE_ROWS]) {
    TERM carry = IDENTITY;
    [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r) {
        TERM own = total_of(rows[r]);
        TERM through = combine_lanes(own);
        rows[r] = scan_row(rows[r], combine(carry, lanes_before(through, own)));
        carry = combine(carry, last_lane(through));
    }
    return carry;
}

// Writes the elements of vector v that are below `count`.
void store_partial(uint v, uint count, TERM_ROW x) {
    if (is_whole(v, count)) {
        store_row(v, x);
    } else {
        for (uint c = 0; c < ROW_TERMS; ++c)
            if (ROW_TERMS * v + c < count) store_term(ROW_TERMS * v + c, x[c]);
    }
}

// Combines all rows with the carry-in `before` and writes the elements below `count`.
void store_tile(uint first, uint count, TERM_ROW rows[TILE_ROWS], TERM before) {
    if (count - first >= TILE) {
        [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r)
            store_row(row_index(first, r), combine(before, rows[r]));
    } else {
        [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r)
            store_partial(row_index(first, r), count, combine(before, rows[r]));
    }
}
#endif

#endif
