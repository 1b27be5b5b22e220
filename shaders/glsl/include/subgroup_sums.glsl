// Adds up one number per subgroup of a workgroup, for subgroups of at least MIN_LANES lanes.
//
// Needs subgroup basic, arithmetic and shuffle operations, and a workgroup size that is a multiple of the subgroup
// size. The code may be called in loops, so it uses a scan instead of a reduction (lane_totals.glsl explains why).

#ifndef SUBGROUP_SUMS_GLSL
#define SUBGROUP_SUMS_GLSL

// Kernels with a known subgroup size define it as MIN_LANES to save shared memory.
#ifndef MIN_LANES
#define MIN_LANES 4
#endif

shared uint subgroup_sums[gl_WorkGroupSize.x / MIN_LANES];

// Returns the sum of the subgroups before this one, and in `total` the sum of the workgroup. `sum` is the sum of
// this subgroup, the same in every lane. Called by all threads; a barrier() is required before the next call.
uint sum_of_earlier_subgroups(uint sum, out uint total) {
    if (subgroupElect()) subgroup_sums[gl_SubgroupID] = sum;
    barrier();
    uint earlier = 0;
    total = 0;
    // Each iteration reads one sum per lane, because there may be more subgroups than lanes.
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
