// Segmented aggregates. The aggregate of a part of a segmented array has two fields: the number of segment heads
// in it (without COUNT_HEADS, only zero or nonzero), and the total of its elements from the last head on (of all
// elements if there is no head). This last segment is "open", because the next part may continue it.
//
// Provides the combination of aggregates across lanes, subgroups and tiles.

#ifndef OPEN_TERM_GLSL
#define OPEN_TERM_GLSL

#include "term.glsl"
#include "lane_masks.glsl"
#include "lane_totals.glsl"

struct Open {
    uint heads;
    TERM total;
};

Open nothing_open() {
    return Open(0, IDENTITY);
}

// Combines the aggregates of two adjacent parts; `b` follows `a`.
Open combine(Open a, Open b) {
    TERM through = combine(a.total, b.total);
    return Open(a.heads + b.heads, b.heads > 0 ? b.total : through);
}

// Packs an aggregate into four words. The last word, and for 32-bit terms the third one, is unused.
uvec4 in_words(Open x) {
#if KEY_BITS == 64
    return uvec4(x.heads, to_words(x.total), 0);
#else
    return uvec4(x.heads, to_words(x.total), 0, 0);
#endif
}

Open from_words(uvec4 words) {
#if KEY_BITS == 64
    return Open(words.x, from_words(words.yz));
#else
    return Open(words.x, from_words(words.y));
#endif
}

// Packs an aggregate into four words of 30 bits. `heads` fits, because an array has fewer than 2^30 elements (byte
// offsets have 32 bits).
const uint LOW_30 = (1u << 30) - 1;

uvec4 in_30_bits(Open x) {
    uvec4 words = in_words(x);
    return uvec4(words.x, words.y & LOW_30, words.y >> 30 | (words.z << 2 & LOW_30), words.z >> 28);
}

Open from_30_bits(uvec4 x) {
    return from_words(uvec4(x.x, x.y | x.z << 30, x.z >> 2 | x.w << 28, 0));
}

// Inclusive segmented scan over the lanes: returns the combination of the terms from the nearest lane with a head at or
// before this one (or lane 0) up to this lane. `headed` is the mask of lanes with heads. Called by whole subgroups.
TERM combine_open_lanes(TERM x, uvec4 headed) {
    uint lane = gl_SubgroupInvocationID;
    uvec4 up_to_here = headed & gl_SubgroupLeMask;
    uint first = up_to_here == uvec4(0) ? 0 : last_lane_of(up_to_here);
    for (uint distance = 1; distance < gl_SubgroupSize; distance *= 2) {
        TERM other = from_lane(x, lane >= distance ? lane - distance : lane);
        if (lane >= first + distance) x = combine(other, x);
    }
    return x;
}

// Returns the aggregate of the lanes before this one, and in `all` that of all lanes. Called by whole subgroups.
Open open_lanes_before(Open own, out Open all) {
    uvec4 headed = subgroupBallot(own.heads > 0);
    TERM through = combine_open_lanes(own.total, headed);
    TERM before = from_lane(through, max(gl_SubgroupInvocationID, 1) - 1);
    if (gl_SubgroupInvocationID == 0) before = IDENTITY;
#ifdef COUNT_HEADS
    uint heads = subgroupInclusiveAdd(own.heads);
    all = Open(subgroupShuffle(heads, gl_SubgroupSize - 1), last_lane(through));
    return Open(heads - own.heads, before);
#else
    all = Open(headed == uvec4(0) ? 0 : 1, last_lane(through));
    return Open((headed & gl_SubgroupLtMask) == uvec4(0) ? 0 : 1, before);
#endif
}

// Like combine_tiles() of lookback.glsl, for aggregates: the lanes hold consecutive tiles, the nearest one in lane 0.
Open combine_tiles(Open x) {
    uvec4 headed = subgroupBallot(x.heads > 0);
    bool taken = headed == uvec4(0) || gl_SubgroupInvocationID <= subgroupBallotFindLSB(headed);
    TERM total = last_lane(combine_lanes(taken ? x.total : IDENTITY));
    return Open(sum_over_lanes(x.heads), total);
}

// Minimum subgroup size.
#define MIN_LANES 4

shared uint subgroup_heads[gl_WorkGroupSize.x / MIN_LANES];
shared TERM subgroup_terms[gl_WorkGroupSize.x / MIN_LANES];

// Returns the aggregate of the subgroups before this one, and in `all` that of the workgroup. `own` is the
// aggregate of this subgroup, the same in every lane. Called by all threads; a barrier() is required before the
// next call.
Open earlier_subgroups(Open own, out Open all) {
    if (subgroupElect()) {
        subgroup_heads[gl_SubgroupID] = own.heads;
        subgroup_terms[gl_SubgroupID] = own.total;
    }
    barrier();
    Open earlier = nothing_open();
    all = nothing_open();
    // Each iteration reads one aggregate per lane, because there may be more subgroups than lanes.
    for (uint first = 0; first < gl_NumSubgroups; first += gl_SubgroupSize) {
        uint other = first + gl_SubgroupInvocationID;
        Open held = nothing_open();
        if (other < gl_NumSubgroups) held = Open(subgroup_heads[other], subgroup_terms[other]);
        Open these;
        Open before = open_lanes_before(held, these);
        uint lane = gl_SubgroupID % gl_SubgroupSize;
        before = Open(subgroupShuffle(before.heads, lane), from_lane(before.total, lane));
        if (gl_SubgroupID / gl_SubgroupSize == first / gl_SubgroupSize) earlier = combine(all, before);
        all = combine(all, these);
    }
    return earlier;
}

#endif
