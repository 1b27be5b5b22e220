// Which bin holds the element wanted, counted from the highest bin down?
//
// The includer defines PICK_BINS: a power of two, and at least as many as a subgroup has lanes. Needs subgroup basic
// and arithmetic operations.

#ifndef TOPK_PICK_GLSL
#define TOPK_PICK_GLSL

shared uint bins[PICK_BINS];

// What was found: the bin, how many of its elements are wanted, how many it has.
shared uint picked_bin;
shared uint picked_left;
shared uint picked_count;

void clear_bins() {
    for (uint b = thread_rank(); b < PICK_BINS; b += gl_WorkGroupSize.x) bins[b] = 0;
    barrier();
}

// `wanted` is from 1 to the sum of all bins. Called by all threads, with the bins complete and a
// barrier() behind them; what is found can be read when it returns, and the bins are empty. One subgroup does it:
// the others would have to be waited for more than once.
void pick_bin(uint wanted) {
    if (gl_SubgroupID == 0) {
        uint own_bins = PICK_BINS / gl_SubgroupSize;
        uint first = gl_SubgroupInvocationID * own_bins;
        uint own = 0;
        // Lanes begin at different bins of theirs, which lie in different banks.
        for (uint j = 0; j < own_bins; ++j)
            own += bins[PICK_BINS - 1 - (first + (j + gl_SubgroupInvocationID) % own_bins)];
        uint through = subgroupInclusiveAdd(own);
        uint before = through - own;
        bool found = !(before < wanted && wanted <= through);
        for (uint j = 0; j < own_bins && !found; ++j) {
            uint bin = PICK_BINS - 1 - (first + j);
            found = wanted - before <= bins[bin];
            if (found) {
                picked_bin = bin;
                picked_left = wanted - before;
                picked_count = bins[bin];
            }
            before += bins[bin];
        }
        subgroupBarrier();
        for (uint b = gl_SubgroupInvocationID; b < PICK_BINS; b += gl_SubgroupSize) bins[b] = 0;
    }
    barrier();
}

#endif
