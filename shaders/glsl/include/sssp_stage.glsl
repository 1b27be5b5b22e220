// How a subgroup collects what it finds, and hands it on to queues in large pieces: one atomic
// addition for many entries.

#ifndef SSSP_STAGE_GLSL
#define SSSP_STAGE_GLSL

#include "sssp_state.glsl"

layout(constant_id = STAGE_ID) const uint STAGE = 4;  // entries per lane
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

// Vertices that were put aside for the whole workgroup.
shared uint wide_count;

// What the round is to do, as begin_round() found it in `control`; the same in all threads. (Variables, and
// no struct of them: compilers make branches of conditions with members, and a search takes a fifth longer.)
uint round_taken_queue;
uint round_entries;
uint round_pieces;
uint round_chunk;
uint round_near_queue;  // queues that are written
uint round_rest_queue;
uint round_piece_queue;
uint round_threshold;
uint round_base;
uint round_bucket;
uint round_more_first;
uint round_more_last;
bool round_dense;  // every vertex that has been reached is taken
bool round_small;  // there is little to do

// Entries that are staged; the same in all lanes of a subgroup.
uint near_staged;
uint later_staged;

// The nearest entry that the workgroup puts into the rest, handed on when all subgroups are through.
shared uint workgroup_nearest;

// A destination is a queue that a round writes: the near one, those of buckets by their numbers, the rest.
uint queue_of_destination(uint destination) {
    return destination == 0 ? round_near_queue
                            : destination == BUCKETS ? round_rest_queue : BUCKET + destination;
}

// Of an entry that is not near.
uint destination_of(uvec2 entry) {
    return BUCKETS > 1 ? min(bucket_of(entry.y, round_base, round_bucket), BUCKETS) : BUCKETS;
}

// The lanes whose entries have the same destination: paper, algorithm warp_offset.
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
    if (subgroupElect()) begin = atomicAdd(COUNT(round_near_queue), near_staged);
    begin = subgroupBroadcastFirst(begin);
    for (uint i = gl_SubgroupInvocationID; i < near_staged; i += SUBGROUP_SIZE)
        put_entry(round_near_queue, begin + i, staged[near_area() + i]);
    near_staged = 0;
    subgroup_sync();
}

// Hands the later entries on, a window (one entry per lane) at a time: a warp-level multisplit,
// with one addition per queue in place of the scan.
void flush_later() {
    subgroup_sync();
    for (uint first = 0; first < later_staged; first += SUBGROUP_SIZE) {
        uint i = first + gl_SubgroupInvocationID;
        bool held = i < later_staged;
        uvec2 entry = held ? staged[later_area() + i] : uvec2(0, UNREACHED);
        uint destination = destination_of(entry);
        uvec4 same = lanes_of_destination(held, destination);
        uint before = subgroupBallotExclusiveBitCount(same);
        uint begin = 0;
        if (held && before == 0)
            begin = atomicAdd(COUNT(queue_of_destination(destination)), subgroupBallotBitCount(same));
        begin = subgroupShuffle(begin, held ? subgroupBallotFindLSB(same) : 0);
        if (held) put_entry(queue_of_destination(destination), begin + before, entry);
        if (held && destination == BUCKETS) atomicMin(workgroup_nearest, entry.y);
    }
    later_staged = 0;
    subgroup_sync();
}

// Take entries from the lanes that have one; called by the whole subgroup. There is room for
// another entry per lane, always.
void stage_later(bool found, uvec2 entry) {
    uvec4 finders = subgroupBallot(found);
    if (found)
        staged[later_area() + later_staged + subgroupBallotExclusiveBitCount(finders)] = entry;
    later_staged += subgroupBallotBitCount(finders);
    if (later_staged > STAGE_ENTRIES - SUBGROUP_SIZE) flush_later();
}

void stage_near(bool found, uvec2 entry) {
    uvec4 finders = subgroupBallot(found);
    if (found) staged[near_area() + near_staged + subgroupBallotExclusiveBitCount(finders)] = entry;
    near_staged += subgroupBallotBitCount(finders);
    if (near_staged > STAGE_ENTRIES - SUBGROUP_SIZE) flush_near();
}

#endif
