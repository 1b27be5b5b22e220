// How a subgroup collects what it finds, and hands it on to queues in large pieces: one atomic
// addition for many entries.

layout(constant_id = 6) const uint STAGE = 4;  // entries a lane
const uint STAGE_ENTRIES = STAGE * SUBGROUP_SIZE;
const uint QUEUE_BITS = BUCKETS < 2 ? 1 : BUCKETS < 4 ? 2 : BUCKETS < 8 ? 3 : BUCKETS < 16 ? 4 :
                        BUCKETS < 32 ? 5 : BUCKETS < 64 ? 6 : BUCKETS < 128 ? 7 : 8;

layout(set = 0, binding = 3, std430) volatile buffer Queues { uvec2 at[]; } queues;
#ifdef PILE
// In place of the queues of the rest: a buffer of its own, which other passes split.
layout(set = 0, binding = 7, std430) volatile buffer Pile { uvec2 at[]; } pile;
#endif

// Near entries and later ones, of each subgroup.
shared uvec2 staged[gl_WorkGroupSize.x * STAGE * 2];

// The same in all lanes.
uint near_staged;
uint later_staged;
uint near_queue;
uint rest_queue;
uint round_threshold;
uint round_base;
uint round_bucket;

void subgroup_sync() {
    subgroupMemoryBarrierShared();
    subgroupBarrier();
}

uint near_area() { return gl_SubgroupID * (2 * STAGE_ENTRIES); }
uint later_area() { return near_area() + STAGE_ENTRIES; }

void put_entry(uint queue, uint place, uvec2 entry) {
    if (place >= push.capacity) {
        control.lost = 1;
        return;
    }
#ifdef PILE
    if (queue == REST) {
        pile.at[place] = entry;
        return;
    }
#endif
    queues.at[queue * push.capacity + place] = entry;
}

uvec2 entry_at(uint queue, uint place) {
#ifdef PILE
    if (queue == REST) return pile.at[place];
#endif
    return queues.at[queue * push.capacity + place];
}

// Hands the near entries on.
void flush_near() {
    subgroup_sync();
    uint begin = 0;
    if (subgroupElect()) begin = atomicAdd(control.counts[near_queue], near_staged);
    begin = subgroupBroadcastFirst(begin);
    for (uint i = gl_SubgroupInvocationID; i < near_staged; i += SUBGROUP_SIZE)
        put_entry(near_queue, begin + i, staged[near_area() + i]);
    near_staged = 0;
    subgroup_sync();
}

// A window of later entries, a lane each: split by ballot-based voting, one addition a queue.
void split_later(bool held, uvec2 entry) {
    uint bucket = held ? bucket_of(entry.y, round_base, round_bucket) : BUCKETS;
    bool to_rest = held && bucket >= BUCKETS;
    uint id = min(bucket, BUCKETS);
    uvec4 same = subgroupBallot(held);
    [[unroll]] for (uint k = 0; k < QUEUE_BITS; ++k) {
        uint bit = (id >> k) & 1;
        same &= subgroupBallot(bit != 0) ^ (bit - 1);
    }
    uint queue = to_rest ? rest_queue : BUCKET + id;
    uint before = subgroupBallotExclusiveBitCount(same);
    uint begin = 0;
    if (held && before == 0)
        begin = atomicAdd(control.counts[queue], subgroupBallotBitCount(same));
    begin = subgroupShuffle(begin, held ? subgroupBallotFindLSB(same) : 0);
    if (held) put_entry(queue, begin + before, entry);
    uint least = subgroupMin(to_rest ? entry.y : UNREACHED);
    if (least < UNREACHED && subgroupElect()) atomicMin(control.least, least);
}

// The later entries, where there are no buckets: all to the rest.
void flush_to_rest() {
    uint begin = 0;
    if (subgroupElect()) begin = atomicAdd(control.counts[rest_queue], later_staged);
    begin = subgroupBroadcastFirst(begin);
    uint least = UNREACHED;
    for (uint i = gl_SubgroupInvocationID; i < later_staged; i += SUBGROUP_SIZE) {
        uvec2 entry = staged[later_area() + i];
        least = min(least, entry.y);
        put_entry(rest_queue, begin + i, entry);
    }
    least = subgroupMin(least);
    if (subgroupElect()) atomicMin(control.least, least);
}

// Hands the later entries on.
void flush_later() {
    subgroup_sync();
    if (BUCKETS > 1) {
        for (uint first = 0; first < later_staged; first += SUBGROUP_SIZE) {
            uint i = first + gl_SubgroupInvocationID;
            bool held = i < later_staged;
            split_later(held, held ? staged[later_area() + i] : uvec2(0));
        }
    } else {
        flush_to_rest();
    }
    later_staged = 0;
    subgroup_sync();
}

// Takes entries from the lanes that have one; called by the whole subgroup.
void stage_entry(bool found, uvec2 entry) {
    bool near = found && entry.y < round_threshold;
    uvec4 near_votes = subgroupBallot(near);
    uvec4 later_votes = subgroupBallot(found && !near);
    if (near) staged[near_area() + near_staged + subgroupBallotExclusiveBitCount(near_votes)] = entry;
    if (found && !near)
        staged[later_area() + later_staged + subgroupBallotExclusiveBitCount(later_votes)] = entry;
    near_staged += subgroupBallotBitCount(near_votes);
    later_staged += subgroupBallotBitCount(later_votes);
    // Room for another entry a lane, always.
    if (near_staged > STAGE_ENTRIES - SUBGROUP_SIZE) flush_near();
    if (later_staged > STAGE_ENTRIES - SUBGROUP_SIZE) flush_later();
}
