// Finds the bin of the wanted element, counting from the highest bin down.
//
// Needs in shared memory: `bins`, an array whose length is a power of two and at least the subgroup size, and a
// PickedBin (topk.glsl) with the name `picked`. Needs subgroup basic and arithmetic operations. Gives clear_bins() and
// pick_bin().

#ifndef TOPK_PICK_GLSL
#define TOPK_PICK_GLSL

#include "groups.glsl"

const uint BINS = bins.length();

// Clears all bins. Called by all threads; ends with a barrier.
void clear_bins() {
    for (uint b = thread_rank(); b < BINS; b += gl_WorkGroupSize.x) bins[b] = 0;
    barrier();
}

// Returns the bin of element number `wanted`, which is between 1 and the sum of all bins, and clears the bins. Called
// by all threads, after a barrier that completes the bins; ends with a barrier. Another barrier is required before the
// next call. A single subgroup does the work, because cooperation would need several barriers.
PickedBin pick_bin(uint wanted) {
    if (gl_SubgroupID == 0) {
        uint own_bins = BINS / gl_SubgroupSize;
        uint first = gl_SubgroupInvocationID * own_bins;
        uint own = 0;
        // Lanes start at different bins, to avoid bank conflicts.
        for (uint j = 0; j < own_bins; ++j)
            own += bins[BINS - 1 - (first + (j + gl_SubgroupInvocationID) % own_bins)];
        uint through = subgroupInclusiveAdd(own);
        uint before = through - own;
        bool found = !(before < wanted && wanted <= through);
        for (uint j = 0; j < own_bins && !found; ++j) {
            uint bin = BINS - 1 - (first + j);
            found = wanted - before <= bins[bin];
            if (found) picked = PickedBin(bin, wanted - before, bins[bin]);
            before += bins[bin];
        }
        // Bins are cleared after all lanes have read theirs.
        subgroupBarrier();
        for (uint b = gl_SubgroupInvocationID; b < BINS; b += gl_SubgroupSize) bins[b] = 0;
    }
    barrier();
    return picked;
}

#endif
