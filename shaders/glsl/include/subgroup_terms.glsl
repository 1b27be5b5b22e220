// Combines the terms of the subgroups of a workgroup, for subgroups of at least MIN_LANES lanes. subgroup_sums.glsl
// does the same for sums of 32-bit integers.
//
// Needs the file of the terms (term.glsl or count_term.glsl), included first.

#ifndef SUBGROUP_TERMS_GLSL
#define SUBGROUP_TERMS_GLSL

// Minimum subgroup size.
#define MIN_LANES 4

shared TERM subgroup_terms[gl_WorkGroupSize.x / MIN_LANES];

// Returns the combined term of the subgroups before this one, and in `total` that of the workgroup. `term` is the
// term of this subgroup, the same in every lane. Called by all threads; a barrier() is required before the next
// call.
TERM earlier_subgroups(TERM term, out TERM total) {
    if (subgroupElect()) subgroup_terms[gl_SubgroupID] = term;
    barrier();
    TERM earlier = IDENTITY;
    total = IDENTITY;
    // Each iteration reads one term per lane, because there may be more subgroups than lanes.
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
