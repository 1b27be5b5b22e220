// Where does the next key of each bucket go? One place per bucket, spread over the lanes of a subgroup:
// lane l holds those of buckets l, l + width, ...

#ifndef NEXT_PLACES_GLSL
#define NEXT_PLACES_GLSL

#include "multisplit.glsl"
#include "voting.glsl"
#include "move.glsl"

uint next_places[BUCKETS_PER_LANE];

// Where each bucket of this subproblem begins in the output. The first subproblem also writes the
// offsets of the buckets, which are where it begins them.
void load_next_places(uint subproblem) {
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

// The place of `bucket`, which may differ from lane to lane. Called by the whole subgroup.
uint next_place_of(uint bucket) {
    uint lane = bucket & (SUBGROUP_SIZE - 1);
    uint found = 0;
    [[unroll]] for (uint s = 0; s < BUCKETS_PER_LANE; ++s) {
        uint held = subgroupShuffle(next_places[s], lane);
        if (bucket >> LANE_BITS == s) found = held;
    }
    return found;
}

#endif
