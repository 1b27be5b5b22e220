// Keeps the next output position of each bucket in registers, distributed over the lanes of a subgroup: lane l
// holds the buckets l, l + SUBGROUP_SIZE, ...
//
// Needs: the buffers `scanned` (the scanned histograms) and `offsets`, declared before this file.
// Gives: next_places[], load_next_places(), next_place_of().

#ifndef NEXT_PLACES_GLSL
#define NEXT_PLACES_GLSL

#include "multisplit.glsl"
#include "voting.glsl"

uint next_places[BUCKETS_PER_LANE];

// Loads the output position of each bucket of a subproblem. The positions of the first subproblem are the bucket
// offsets, which it also writes. Called by whole subgroups.
void load_next_places(const uint subproblem) {
    [[unroll]] for (uint s = 0; s < BUCKETS_PER_LANE; ++s) {
        uint bucket = s * SUBGROUP_SIZE + gl_SubgroupInvocationID;
        next_places[s] = 0;
        if (bucket < push.buckets) {
            next_places[s] = scanned.at[bucket * subproblem_count() + subproblem];
            if (subproblem == 0) offsets.at[bucket] = next_places[s];
        }
    }
    if (subproblem == 0 && subgroupElect()) offsets.at[push.buckets] = element_count();
}

// Returns the next output position of `bucket`, which may differ between lanes. Called by whole subgroups.
uint next_place_of(const uint bucket) {
    uint lane = bucket & (SUBGROUP_SIZE - 1);
    uint found = 0;
    [[unroll]] for (uint s = 0; s < BUCKETS_PER_LANE; ++s) {
        uint held = subgroupShuffle(next_places[s], lane);
        if (bucket >> LANE_BITS == s) found = held;
    }
    return found;
}

#endif
