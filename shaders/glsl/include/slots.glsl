// One number for each bucket, spread over the lanes of a subgroup: lane l holds those of buckets
// l, l + width, ... in its slots.

uint slots[SLOTS];

// Where each bucket of this subproblem begins in the output. The first subproblem also writes the
// offsets of the buckets, which are where it begins them.
void load_slots(uint subproblem) {
    [[unroll]] for (uint s = 0; s < SLOTS; ++s) {
        uint bucket = s * SUBGROUP_SIZE + gl_SubgroupInvocationID;
        slots[s] = 0;
        if (bucket < push.buckets) {
            slots[s] = scanned.at[bucket * subproblem_count() + subproblem];
            if (subproblem == 0) offsets.at[bucket] = slots[s];
        }
    }
    if (subproblem == 0 && subgroupElect()) offsets.at[push.buckets] = element_count();
}

// The number of `bucket`, which may differ from lane to lane. Called by the whole subgroup.
uint slot_of(uint bucket) {
    uint lane = bucket & (SUBGROUP_SIZE - 1);
    uint found = 0;
    [[unroll]] for (uint s = 0; s < SLOTS; ++s) {
        uint held = subgroupShuffle(slots[s], lane);
        if (bucket >> LANE_BITS == s) found = held;
    }
    return found;
}
