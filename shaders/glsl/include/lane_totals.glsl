// How a subgroup adds up, or takes the least of, what its lanes hold, in code that may be part of a loop.
//
// Why not subgroupAdd() and subgroupMin(): an NVIDIA compiler (driver 580.159.04, compute capability
// 9.0) makes one instruction of a reduction of 32-bit integers, and was seen to put that instruction
// under a condition that has nothing to do with it, in a loop of a kernel with many live conditions.
// Where the condition did not hold, the result was whatever the register held before. Scans and
// shuffles are other instructions. A test of all modules (shaders/tests/reductions.rs) allows no
// such reduction in a loop, nor in a function that is called from one.
//
// Needs subgroup basic, arithmetic and shuffle operations. Called by whole subgroups: the last lane
// knows the result.

#ifndef LANE_TOTALS_GLSL
#define LANE_TOTALS_GLSL

uint sum_over_lanes(uint value) {
    return subgroupShuffle(subgroupInclusiveAdd(value), gl_SubgroupSize - 1);
}

uint min_over_lanes(uint value) {
    return subgroupShuffle(subgroupInclusiveMin(value), gl_SubgroupSize - 1);
}

#endif
