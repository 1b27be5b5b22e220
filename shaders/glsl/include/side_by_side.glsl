// Histograms of two buckets, summed in part already when they are counted: a workgroup of the
// prescan counts SIDE_BY_SIDE subproblems side by side, a block, and writes down
//     inside_block  of each subproblem the counts of those before it in the block;
//     and the histogram of the block, which is all that the scan sees.

#ifndef SIDE_BY_SIDE_GLSL
#define SIDE_BY_SIDE_GLSL

#include "multisplit.glsl"

layout(constant_id = SIDE_BY_SIDE_ID) const uint SIDE_BY_SIDE = 1;  // 1: the scan sees every subproblem

const bool BY_BLOCKS = SIDE_BY_SIDE > 1 && BUCKET_BITS == 1;

uint block_count() {
    return (subproblem_count() + SIDE_BY_SIDE - 1) / SIDE_BY_SIDE;
}

#endif
