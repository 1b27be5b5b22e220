// How subgroups of one workgroup combine the terms that each of them holds, for any subgroup size.
//
// As subgroup_sums.glsl, which adds up u32 in kernels that have no other terms. The including kernel includes
// the file of its terms first (term.glsl or count_term.glsl).

#ifndef SUBGROUP_TERMS_GLSL
#define SUBGROUP_TERMS_GLSL

// No subgroup has fewer lanes.
#define MIN_LANES 4

shared TERM subgroup_terms[gl_WorkGroupSize.x / MIN_LANES];

// `term` is that of this subgroup, the same in every lane. Gives the terms of the subgroups before this
// one, combined, and in `total` those of the workgroup. Called by all threads; a barrier() must come
// before the next call.
TERM earlier_subgroups(TERM term, out TERM total) {
    if (subgroupElect()) subgroup_terms[gl_SubgroupID] = term;
    barrier();
    TERM earlier = IDENTITY;
    total = IDENTITY;
    // One term per lane at a time: there may be more subgroups than lanes.
    for (uint first = 0; first < gl_NumSubgroups; first += gl_SubgroupSize) {
        uint other = first + gl_SubgroupInvocationID;
        TERM held = other < gl_NumSubgroups ? subgroup_terms[other] : IDENTITY;
        TERM through = combine_lanes(held);
        TERM before = from_lane(lanes_before(through, held), gl_SubgroupID % gl_SubgroupSize);
        if (gl_SubgroupID / gl_SubgroupSize == first / gl_SubgroupSize) earlier = combine(total, before);
        total = combine(total, last_lane(through));
    }
    return earlier;
}

#endif
