// Sum and minimum over the lanes of a subgroup, safe to use in loops.
//
// These replace subgroupAdd() and subgroupMin() because of a compiler bug (NVIDIA driver 580.159.04, compute
// capability 9.0): the driver compiles a reduction of 32-bit integers to one instruction and, in a loop of a
// kernel with many live conditions, predicated that instruction on an unrelated condition. If the condition was
// false, the result was the previous content of the register. Scans and shuffles compile to other instructions.
// The test shaders/tests/reductions.rs rejects such reductions in loops and in functions called from loops.
//
// Needs subgroup basic, arithmetic and shuffle operations. Called by whole subgroups; returns the result in every
// lane, read from the last lane of a scan.

#ifndef LANE_TOTALS_GLSL
#define LANE_TOTALS_GLSL

uint sum_over_lanes(uint value) {
    return subgroupShuffle(subgroupInclusiveAdd(value), gl_SubgroupSize - 1);
}

uint min_over_lanes(uint value) {
    return subgroupShuffle(subgroupInclusiveMin(value), gl_SubgroupSize - 1);
}

#endif
