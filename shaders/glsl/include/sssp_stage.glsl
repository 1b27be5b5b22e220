// Collects the entries that a subgroup finds, in shared memory, and moves them to the queues in large batches,
// with one atomic addition for many entries.
//
// Gives the description of a round and the state of a subgroup, stage_near() and stage_later(), and access to the
// queues.

#ifndef SSSP_STAGE_GLSL
#define SSSP_STAGE_GLSL

#include "lane_masks.glsl"
#include "sssp_state.glsl"

layout(constant_id = SPREAD_ID) const uint SPREAD = 0;  // whether arcs are distributed over whole workgroups
layout(constant_id = STAGE_ID) const uint STAGE = 4;    // entries per lane
const uint STAGE_ENTRIES = STAGE * SUBGROUP_SIZE;
const uint QUEUE_BITS = BUCKETS < 2 ? 1 : BUCKETS < 4 ? 2 : BUCKETS < 8 ? 3 : BUCKETS < 16 ? 4 :
                        BUCKETS < 32 ? 5 : BUCKETS < 64 ? 6 : BUCKETS < 128 ? 7 : 8;

layout(set = 0, binding = 3, std430) volatile buffer Queues { uvec2 at[]; } queues;
#ifdef PILE
// Entries beyond the window go to the pile instead of the two REST queues. The pile is a separate buffer. Between
// rounds, other passes split it into buckets: sssp.filter, a multisplit or sort, and sssp.take.
layout(set = 0, binding = 7, std430) volatile buffer Pile { uvec2 at[]; } pile;
#endif

// Staged entries: for each subgroup, an area for near entries and one for later entries.
shared uvec2 staged[gl_WorkGroupSize.x * STAGE * 2];

// Number of vertices deferred to the whole workgroup.
shared uint wide_count;

// Description of a round; the same in all threads (sssp_flush.glsl).
//
// Conditions use copies of members. The GLSL compiler emits a branch for `a && b` and `a || b` if b contains a member
// of a struct, but none if b compares variables. Such branches made a search a fifth slower (docs/performance-log.md,
// 61).
struct Round {
    uint taken_queue;  // control.taken
    uint entries;      // control.count
    uint pieces;
    uint chunk;
    uint near_queue;   // queues to write
    uint rest_queue;
    uint piece_queue;
    uint threshold;
    uint base;
    uint bucket;
    uint more_first;
    uint more_last;
    bool dense;        // the round processes every reached vertex
    bool small;        // the round has few entries and no pieces, and subgroups take them (not with SPREAD)
};

// State of a subgroup in a round; the same in all lanes.
struct Subgroup {
    uint near;         // staged near entries
    uint later;        // staged later entries
    uint expansions;   // work done
    uint relaxations;
};

// Distance of the nearest entry that the workgroup puts into the rest, published at the end of the round.
shared uint workgroup_nearest;

// Returns the queue of a destination: 0 is the near queue, BUCKETS the rest, and others are buckets of the window.
uint queue_of_destination(const Round round, uint destination) {
    return destination == 0 ? round.near_queue
                            : destination == BUCKETS ? round.rest_queue : BUCKET + destination;
}

// Returns the destination of an entry that is not near.
uint destination_of(const Round round, uvec2 entry) {
    return BUCKETS > 1 ? min(bucket_of(entry.y, round.base, round.bucket), BUCKETS) : BUCKETS;
}

// Returns the lanes whose entries have the same destination (algorithm warp_offset in the paper). Called by whole
// subgroups.
uvec4 lanes_of_destination(bool held, uint destination) {
    uvec4 same = subgroupBallot(held);
    if (BUCKETS > 1) {
        [[unroll]] for (uint k = 0; k < QUEUE_BITS; ++k) {
            uint bit = (destination >> k) & 1;
            same &= subgroupBallot(bit != 0) ^ (bit - 1);
        }
    }
    return same;
}

// Orders accesses to shared memory within the subgroup.
void subgroup_sync() {
    subgroupMemoryBarrierShared();
    subgroupBarrier();
}

uint near_area() { return gl_SubgroupID * (2 * STAGE_ENTRIES); }
uint later_area() { return near_area() + STAGE_ENTRIES; }

// Writes an entry to a queue, or sets control.lost if the queue is full.
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

// Moves the staged near entries to their queue. Called by whole subgroups.
void flush_near(const Round round, inout Subgroup own) {
    subgroup_sync();
    uint begin = 0;
    if (subgroupElect()) begin = atomicAdd(COUNT(round.near_queue), own.near);
    begin = subgroupBroadcastFirst(begin);
    for (uint i = gl_SubgroupInvocationID; i < own.near; i += SUBGROUP_SIZE)
        put_entry(round.near_queue, begin + i, staged[near_area() + i]);
    own.near = 0;
    subgroup_sync();
}

// Moves the staged later entries to their queues, one window (one entry per lane) at a time: a warp-level
// multisplit with an atomic addition per queue instead of the scan. Called by whole subgroups.
void flush_later(const Round round, inout Subgroup own) {
    subgroup_sync();
    for (uint first = 0; first < own.later; first += SUBGROUP_SIZE) {
        uint i = first + gl_SubgroupInvocationID;
        bool held = i < own.later;
        uvec2 entry = held ? staged[later_area() + i] : uvec2(0, UNREACHED);
        uint destination = destination_of(round, entry);
        uvec4 same = lanes_of_destination(held, destination);
        uint before = subgroupBallotExclusiveBitCount(same);
        uint begin = 0;
        if (held && before == 0)
            begin = atomicAdd(COUNT(queue_of_destination(round, destination)), subgroupBallotBitCount(same));
        begin = subgroupShuffle(begin, held ? first_lane_of(same) : 0);
        if (held) put_entry(queue_of_destination(round, destination), begin + before, entry);
        if (held && destination == BUCKETS) atomicMin(workgroup_nearest, entry.y);
    }
    own.later = 0;
    subgroup_sync();
}

// stage_later() and stage_near() stage the entries of the lanes in which `found` is set. Called by whole subgroups.
// Before and after each call, there is room for one more entry per lane.
void stage_later(const Round round, inout Subgroup own, bool found, uvec2 entry) {
    uvec4 finders = subgroupBallot(found);
    if (found)
        staged[later_area() + own.later + subgroupBallotExclusiveBitCount(finders)] = entry;
    own.later += subgroupBallotBitCount(finders);
    if (own.later > STAGE_ENTRIES - SUBGROUP_SIZE) flush_later(round, own);
}

void stage_near(const Round round, inout Subgroup own, bool found, uvec2 entry) {
    uvec4 finders = subgroupBallot(found);
    if (found) staged[near_area() + own.near + subgroupBallotExclusiveBitCount(finders)] = entry;
    own.near += subgroupBallotBitCount(finders);
    if (own.near > STAGE_ENTRIES - SUBGROUP_SIZE) flush_near(round, own);
}

#endif
