// Which bin holds the element wanted, counted from the highest bin down?
//
// The includer defines PICK_BINS. Needs subgroup basic, arithmetic and shuffle operations.

#ifndef TOPK_PICK_GLSL
#define TOPK_PICK_GLSL

#include "subgroup_sums.glsl"

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
// barrier() behind them; what is found can be read when it returns.
void pick_bin(uint wanted) {
    const uint own_bins = (PICK_BINS + gl_WorkGroupSize.x - 1) / gl_WorkGroupSize.x;
    uint first = thread_rank() * own_bins;
    uint own = 0;
    for (uint j = 0; j < own_bins; ++j)
        if (first + j < PICK_BINS) own += bins[PICK_BINS - 1 - (first + j)];
    uint through = subgroupInclusiveAdd(own);
    uint total;
    uint of_subgroup = subgroupShuffle(through, gl_SubgroupSize - 1);
    uint before = sum_of_earlier_subgroups(of_subgroup, total) + through - own;
    if (before < wanted && wanted - before <= own) {
        bool found = false;
        for (uint j = 0; j < own_bins; ++j) {
            uint bin = PICK_BINS - 1 - (first + j);
            uint count = first + j < PICK_BINS ? bins[bin] : 0;
            if (!found && wanted - before <= count) {
                picked_bin = bin;
                picked_left = wanted - before;
                picked_count = count;
                found = true;
            }
            if (!found) before += count;
        }
    }
    barrier();
}

#endif
