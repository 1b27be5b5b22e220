// A tile of terms: how a workgroup reads one into registers, scans it there and writes it back.
//
// Each subgroup owns a contiguous part of the tile and reads it row by row, a row being four elements
// per lane: every access is 16 bytes wide and coalesced, and the order of the elements is (subgroup,
// row, lane, component).
// ROWS, the rows of each thread, is defined in kernels.txt, where the host reads it too.

#ifndef TILE_GLSL
#define TILE_GLSL

#include "src_dst.glsl"
#include "term.glsl"

const uint TILE = gl_WorkGroupSize.x * ROWS * 4;

// Index, in units of four elements, of this thread's part of row `row` of the tile that starts at
// element `first`.
uint row_index(uint first, uint row) {
    return first / 4 + (gl_SubgroupID * ROWS + row) * gl_SubgroupSize + gl_SubgroupInvocationID;
}

// Four elements from index 4 v on, all below the count.
TERM4 load_terms(uint v) {
#if KEY_BITS == 64
    uvec4 low = load_vec4(2 * v);
    uvec4 high = load_vec4(2 * v + 1);
    return TERM4(term_of(low.xy), term_of(low.zw), term_of(high.xy), term_of(high.zw));
#else
    uvec4 x = load_vec4(v);
    return TERM4(term_of(x.x), term_of(x.y), term_of(x.z), term_of(x.w));
#endif
}

TERM load_term(uint i) {
#if KEY_BITS == 64
    return term_of(uvec2(load_one(2 * i), load_one(2 * i + 1)));
#else
    return term_of(load_one(i));
#endif
}

// Whether four elements from index 4 v on are below the count.
bool is_whole(uint v, uint count) {
    return 4 * v < count && count - 4 * v >= 4;
}

TERM4 load_partial(uint v, uint count) {
    if (is_whole(v, count)) return load_terms(v);
    TERM4 x = TERM4(IDENTITY);
    for (uint c = 0; c < 4; ++c)
        if (4 * v + c < count) x[c] = load_term(4 * v + c);
    return x;
}

// Elements at or past `count` read as the identity.
void load_tile(uint first, uint count, out TERM4 rows[ROWS]) {
    if (count - first >= TILE) {
        [[unroll]] for (uint r = 0; r < ROWS; ++r) rows[r] = load_terms(row_index(first, r));
    } else {
        [[unroll]] for (uint r = 0; r < ROWS; ++r) rows[r] = load_partial(row_index(first, r), count);
    }
}

// The terms of this thread, combined.
TERM total_of_rows(TERM4 rows[ROWS]) {
    TERM total = IDENTITY;
    [[unroll]] for (uint r = 0; r < ROWS; ++r) total = combine(total, total_of(rows[r]));
    return total;
}

// The terms of this subgroup over its part of the tile, combined.
TERM total_of_subgroup(TERM4 rows[ROWS]) {
#ifdef USER_OPERATOR
    TERM total = IDENTITY;
    [[unroll]] for (uint r = 0; r < ROWS; ++r) total = combine(total, all_lanes(total_of(rows[r])));
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

void store_terms(uint v, TERM4 x) {
#if KEY_BITS == 64
    store_vec4(2 * v, uvec4(element_of(x.x), element_of(x.y)));
    store_vec4(2 * v + 1, uvec4(element_of(x.z), element_of(x.w)));
#else
    store_vec4(v, uvec4(element_of(x.x), element_of(x.y), element_of(x.z), element_of(x.w)));
#endif
}

// Scans a row, of which `before` is what comes before it.
TERM4 scan_row(TERM4 x, TERM before) {
    TERM second = combine(before, x.x);
    TERM third = combine(second, x.y);
    TERM fourth = combine(third, x.z);
    if (INCLUSIVE != 0) return TERM4(second, third, fourth, combine(fourth, x.w));
    return TERM4(before, second, third, fourth);
}

// Scans the rows of this subgroup over its part of the tile, and gives the total of that part.
TERM scan_subgroup(inout TERM4 rows[ROWS]) {
    TERM carry = IDENTITY;
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        TERM own = total_of(rows[r]);
        TERM through = combine_lanes(own);
        rows[r] = scan_row(rows[r], combine(carry, lanes_before(through, own)));
        carry = combine(carry, last_lane(through));
    }
    return carry;
}

void store_partial(uint v, uint count, TERM4 x) {
    if (is_whole(v, count)) {
        store_terms(v, x);
    } else {
        for (uint c = 0; c < 4; ++c)
            if (4 * v + c < count) store_term(4 * v + c, x[c]);
    }
}

// Writes rows combined with `before`, leaving out what lies at or past `count`.
void store_tile(uint first, uint count, TERM4 rows[ROWS], TERM before) {
    if (count - first >= TILE) {
        [[unroll]] for (uint r = 0; r < ROWS; ++r)
            store_terms(row_index(first, r), combine(before, rows[r]));
    } else {
        [[unroll]] for (uint r = 0; r < ROWS; ++r)
            store_partial(row_index(first, r), count, combine(before, rows[r]));
    }
}
#endif

#endif
