// Finds the bin of the wanted element, counting from the highest bin down.
//
// Needs PICK_BINS: a power of two, at least the subgroup size. Needs subgroup basic and arithmetic operations.

#ifndef TOPK_PICK_GLSL
#define TOPK_PICK_GLSL

shared uint bins[PICK_BINS];

// Result: the bin, the number of its elements to select, and the number of elements in it.
shared uint picked_bin;
shared uint picked_left;
shared uint picked_count;

// Clears all bins. Called by all threads; ends with a barrier.
void clear_bins() {
    for (uint b = thread_rank(); b < PICK_BINS; b += gl_WorkGroupSize.x) bins[b] = 0;
    barrier();
}

// Finds the bin of element number `wanted`, which is between 1 and the sum of all bins. Called by all threads,
// after a barrier that completes the bins. On return, all threads may read the result, and the bins are cleared. A
// single subgroup does the work, because cooperation would need several barriers.
void pick_bin(uint wanted) {
    if (gl_SubgroupID == 0) {
        uint own_bins = PICK_BINS / gl_SubgroupSize;
        uint first = gl_SubgroupInvocationID * own_bins;
        uint own = 0;
        // Lanes start at different bins, to avoid bank conflicts.
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
