// Start and end of a round in a workgroup. Loads the description of the round once per workgroup. At the end,
// moves the entries that the subgroups still have staged to the queues, with one atomic addition per queue for the
// whole workgroup.
//
// Gives load_round(), search_is_over(), round_groups(), begin_round() and flush_workgroup().

#ifndef SSSP_FLUSH_GLSL
#define SSSP_FLUSH_GLSL

#include "lane_masks.glsl"
#include "sssp_state.glsl"
#include "sssp_stage.glsl"

shared uvec4 round_words[4];
shared uint taken_ends[BUCKETS];
shared uint destination_counts[BUCKETS + 1];
shared uint destination_begins[BUCKETS + 1];
// Work done by the workgroup in this round.
shared uint workgroup_relaxations;
shared uint workgroup_expansions;

// Loads the description of the round. Called by one thread; a barrier must follow.
void load_round() {
    [[unroll]] for (uint i = 0; i < 4; ++i) round_words[i] = control_vec4.at[i];
}

bool search_is_over() { return round_words[0].x != 0; }
uint round_groups() { return round_words[2].w; }

// Returns the round, and initializes the shared memory for it. Called by all threads, after load_round(); ends with a
// barrier.
Round begin_round() {
    Round round;
    round.taken_queue = round_words[0].y;
    round.entries = round_words[0].z;
    round.pieces = round_words[0].w;
    round.chunk = round_words[1].x;
    round.near_queue = NEAR + round_words[1].y;
    round.rest_queue = REST + round_words[1].z;
    round.piece_queue = PIECES + round_words[1].w;
    round.threshold = round_words[2].x;
    round.base = round_words[2].y;
    round.bucket = round_words[2].z;
    round.more_first = round_words[3].x;
    round.more_last = round_words[3].y;
    round.dense = round.taken_queue == DENSE;
    uint pieces = round.pieces;
    bool has_few = round.entries <= push.local_entries && pieces == 0;
    round.small = SPREAD == 0 && has_few;
    for (uint s = gl_LocalInvocationIndex; s <= BUCKETS; s += gl_WorkGroupSize.x) destination_counts[s] = 0;
    // Element more_first - 1 is the end of the first queue's entries.
    uint first = round.more_first - 1 + gl_LocalInvocationIndex;
    for (uint b = first; b <= round.more_last; b += gl_WorkGroupSize.x)
        taken_ends[b] = control.ends[b];
    if (gl_LocalInvocationIndex == 0) {
        wide_count = 0;
        workgroup_nearest = UNREACHED;
        workgroup_relaxations = 0;
        workgroup_expansions = 0;
    }
    barrier();
    return round;
}

// Returns a place for this lane's entry among the workgroup's entries with the same destination. Called by whole
// subgroups.
uint place_here(const Round round, bool held, uvec2 entry) {
    uint destination = destination_of(round, entry);
    uvec4 same = lanes_of_destination(held, destination);
    uint before = subgroupBallotExclusiveBitCount(same);
    uint begin = 0;
    if (held && before == 0) begin = atomicAdd(destination_counts[destination], subgroupBallotBitCount(same));
    begin = subgroupShuffle(begin, held ? first_lane_of(same) : 0);
    if (held && destination == BUCKETS) atomicMin(workgroup_nearest, entry.y);
    return begin + before;
}

// Reserves space in the queues for the workgroup's entries, and adds its statistics to the totals. Called by all
// threads, between barriers.
void reserve_places(const Round round) {
    for (uint s = gl_LocalInvocationIndex; s <= BUCKETS; s += gl_WorkGroupSize.x) {
        if (destination_counts[s] > 0)
            destination_begins[s] = atomicAdd(COUNT(queue_of_destination(round, s)), destination_counts[s]);
    }
    if (gl_LocalInvocationIndex == 0) {
        if (workgroup_nearest < UNREACHED) atomicMin(control.nearest_rest, workgroup_nearest);
        if (workgroup_relaxations > 0) ADD_FIGURE(relaxations, workgroup_relaxations)
        if (workgroup_expansions > 0) ADD_FIGURE(expansions, workgroup_expansions)
    }
}

// Moves all staged entries to their queues. Called by all threads at the end of a round; contains barriers.
void flush_workgroup(const Round round, const Subgroup own) {
    subgroup_sync();
    uint near_place = 0;
    if (subgroupElect()) {
        near_place = atomicAdd(destination_counts[0], own.near);
        atomicAdd(workgroup_relaxations, own.relaxations);
        atomicAdd(workgroup_expansions, own.expansions);
    }
    near_place = subgroupBroadcastFirst(near_place);
    uint places[STAGE];
    [[unroll]] for (uint w = 0; w < STAGE; ++w) {
        uint i = w * SUBGROUP_SIZE + gl_SubgroupInvocationID;
        bool held = i < own.later;
        places[w] = 0;
        if (w * SUBGROUP_SIZE < own.later)
            places[w] = place_here(round, held, held ? staged[later_area() + i] : uvec2(0, UNREACHED));
    }
    barrier();
    reserve_places(round);
    barrier();
    for (uint i = gl_SubgroupInvocationID; i < own.near; i += SUBGROUP_SIZE)
        put_entry(round.near_queue, destination_begins[0] + near_place + i, staged[near_area() + i]);
    [[unroll]] for (uint w = 0; w < STAGE; ++w) {
        uint i = w * SUBGROUP_SIZE + gl_SubgroupInvocationID;
        if (i < own.later) {
            uvec2 entry = staged[later_area() + i];
            uint destination = destination_of(round, entry);
            put_entry(queue_of_destination(round, destination), destination_begins[destination] + places[w], entry);
        }
    }
}

#endif
