// Reduces a range of elements by one worker, which is a subgroup or a workgroup: the core of reductions of long
// segments.
//
// Needs `src` (src_dst.glsl).

#ifndef WORKER_TOTAL_GLSL
#define WORKER_TOTAL_GLSL

#include "constant_ids.glsl"
#include "groups.glsl"
#include "term.glsl"
#include "subgroup_terms.glsl"
#include "tile.glsl"

// Whether a worker is a subgroup; otherwise it is a workgroup.
layout(constant_id = BY_SUBGROUPS_ID) const uint BY_SUBGROUPS = 0;

// Vectors (tile.glsl) that a lane loads at a time.
layout(constant_id = LOADED_ROWS_ID) const uint LOADED_ROWS = 8;

// Returns vector v of the array, with the identity outside of [begin, end).
TERM_ROW load_between(uint v, uint begin, uint end) {
    if (ROW_TERMS * v >= begin && is_whole(v, end)) return load_row(v);
    TERM_ROW x = TERM_ROW(IDENTITY);
    for (uint c = 0; c < ROW_TERMS; ++c) {
        uint i = ROW_TERMS * v + c;
        if (i >= begin && i < end) x[c] = load_term(i);
    }
    return x;
}

// Loads LOADED_ROWS vectors per lane, starting with vector `first` of the array.
void load_rows(uint first, uint begin, uint end, out TERM_ROW rows[LOADED_ROWS]) {
    uint own = first + gl_SubgroupInvocationID;
    if (ROW_TERMS * first >= begin && end / ROW_TERMS >= first + LOADED_ROWS * gl_SubgroupSize) {
        [[unroll]] for (uint r = 0; r < LOADED_ROWS; ++r) rows[r] = load_row(own + r * gl_SubgroupSize);
    } else {
        [[unroll]] for (uint r = 0; r < LOADED_ROWS; ++r)
            rows[r] = load_between(own + r * gl_SubgroupSize, begin, end);
    }
}

// Reduces [begin, end) with one subgroup; returns the total in every lane. Called by whole subgroups.
TERM total_of_range(uint begin, uint end) {
    TERM total = IDENTITY;
    for (uint first = begin / ROW_TERMS; ROW_TERMS * first < end; first += LOADED_ROWS * gl_SubgroupSize) {
        TERM_ROW rows[LOADED_ROWS];
        load_rows(first, begin, end, rows);
        [[unroll]] for (uint r = 0; r < LOADED_ROWS; ++r) {
#ifdef USER_OPERATOR
            // A user's operator combines elements in order. The total is the same in every lane.
            total = combine(total, all_lanes(total_of(rows[r])));
#else
            total = combine(total, total_of(rows[r]));
#endif
        }
    }
#ifdef USER_OPERATOR
    return total;
#else
    return last_lane(combine_lanes(total));  // some kernels call this in loops (lane_totals.glsl)
#endif
}

// Returns the total of [begin, end), reduced by one worker, in every lane. Called by all threads of the worker.
TERM total_of_worker(uint begin, uint end) {
    if (BY_SUBGROUPS != 0) return total_of_range(begin, end);
    // Subgroups get equal numbers of vectors, except the last ones, which may get fewer.
    uint base = begin / ROW_TERMS;
    uint rows = (end - 1) / ROW_TERMS + 1 - base;
    uint share = ((rows - 1) / gl_NumSubgroups + 1) * ROW_TERMS;
    uint first = base * ROW_TERMS + gl_SubgroupID * share;
    TERM all;
    earlier_subgroups(total_of_range(max(first, begin), min(first + share, end)), all);
    return all;
}

#endif
