// How subgroups of one workgroup add up what each of them holds, for any subgroup size.
//
// Needs subgroup basic, arithmetic and shuffle operations; the workgroup size is a multiple of the
// subgroup size. It is called in loops, hence one scan for both sums and no reductions
// (lane_totals.glsl says why).

#ifndef SUBGROUP_SUMS_GLSL
#define SUBGROUP_SUMS_GLSL

// Kernels that know their subgroup size say so, and need less shared memory.
#ifndef MIN_LANES
#define MIN_LANES 4
#endif

shared uint subgroup_sums[gl_WorkGroupSize.x / MIN_LANES];

// `sum` is the sum over this subgroup, the same in every lane. Gives the sum over the subgroups
// before this one, and in `total` the sum over the workgroup. Called by all threads; a
// barrier() must come before the next call.
uint sum_of_earlier_subgroups(uint sum, out uint total) {
    if (subgroupElect()) subgroup_sums[gl_SubgroupID] = sum;
    barrier();
    uint earlier = 0;
    total = 0;
    // One sum per lane at a time: there may be more subgroups than lanes.
    for (uint first = 0; first < gl_NumSubgroups; first += gl_SubgroupSize) {
        uint other = first + gl_SubgroupInvocationID;
        uint held = other < gl_NumSubgroups ? subgroup_sums[other] : 0;
        uint through = subgroupInclusiveAdd(held);
        uint before = subgroupShuffle(through - held, gl_SubgroupID % gl_SubgroupSize);
        if (gl_SubgroupID / gl_SubgroupSize == first / gl_SubgroupSize) earlier = total + before;
        total += subgroupShuffle(through, gl_SubgroupSize - 1);
    }
    return earlier;
}

#endif
