// Two-level histograms for splits into two buckets. A workgroup of the prescan handles a block of SIDE_BY_SIDE
// adjacent subproblems and writes
//     inside_block: for each subproblem, the counts of the earlier subproblems in its block;
//     the histogram of the block, which is the only input of the scan.
//
// Needs: subproblem_count() (multisplit.glsl).
// Gives: SIDE_BY_SIDE, BY_BLOCKS, block_count().

#ifndef SIDE_BY_SIDE_GLSL
#define SIDE_BY_SIDE_GLSL

#include "multisplit.glsl"

layout(constant_id = SIDE_BY_SIDE_ID) const uint SIDE_BY_SIDE = 1;  // 1: no blocks

const bool BY_BLOCKS = SIDE_BY_SIDE > 1 && BUCKET_BITS == 1;

uint block_count() {
    return (subproblem_count() + SIDE_BY_SIDE - 1) / SIDE_BY_SIDE;
}

#endif
