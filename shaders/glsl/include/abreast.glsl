// Histograms of two buckets, summed in part already when they are counted: a workgroup of the
// prescan counts ABREAST subproblems side by side, a block, and writes down
//     inside_block  of each subproblem the counts of those before it in the block;
//     and the histogram of the block, which is all that the scan sees.

layout(constant_id = 15) const uint ABREAST = 1;  // 1: the scan sees every subproblem

const bool BY_BLOCKS = ABREAST > 1 && BUCKET_BITS == 1;

uint block_count() {
    return (subproblem_count() + ABREAST - 1) / ABREAST;
}
