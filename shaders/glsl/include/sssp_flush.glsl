// Start and end of a round in a workgroup. Loads the description of the round once per workgroup. At the end,
// moves the entries that the subgroups still have staged to the queues, with one atomic addition per queue for the
// whole workgroup.

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

// Initializes the variables of the round. Called by all threads, after load_round(); ends with a barrier.
void begin_round() {
    round_taken_queue = round_words[0].y;
    round_entries = round_words[0].z;
    round_pieces = round_words[0].w;
    round_chunk = round_words[1].x;
    round_near_queue = NEAR + round_words[1].y;
    round_rest_queue = REST + round_words[1].z;
    round_piece_queue = PIECES + round_words[1].w;
    round_threshold = round_words[2].x;
    round_base = round_words[2].y;
    round_bucket = round_words[2].z;
    round_more_first = round_words[3].x;
    round_more_last = round_words[3].y;
    near_staged = 0;
    later_staged = 0;
    for (uint s = gl_LocalInvocationIndex; s <= BUCKETS; s += gl_WorkGroupSize.x) destination_counts[s] = 0;
    // Element round_more_first - 1 is the end of the first queue's entries.
    uint first = round_more_first - 1 + gl_LocalInvocationIndex;
    for (uint b = first; b <= round_more_last; b += gl_WorkGroupSize.x)
        taken_ends[b] = control.ends[b];
    if (gl_LocalInvocationIndex == 0) {
        wide_count = 0;
        workgroup_nearest = UNREACHED;
        workgroup_relaxations = 0;
        workgroup_expansions = 0;
    }
    barrier();
}

// Returns a place for this lane's entry among the workgroup's entries with the same destination. Called by whole
// subgroups.
uint place_here(bool held, uvec2 entry) {
    uint destination = destination_of(entry);
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
void reserve_places() {
    for (uint s = gl_LocalInvocationIndex; s <= BUCKETS; s += gl_WorkGroupSize.x) {
        if (destination_counts[s] > 0)
            destination_begins[s] = atomicAdd(COUNT(queue_of_destination(s)), destination_counts[s]);
    }
    if (gl_LocalInvocationIndex == 0) {
        if (workgroup_nearest < UNREACHED) atomicMin(control.nearest_rest, workgroup_nearest);
        if (workgroup_relaxations > 0) ADD_FIGURE(relaxations, workgroup_relaxations)
        if (workgroup_expansions > 0) ADD_FIGURE(expansions, workgroup_expansions)
    }
}

// Moves all staged entries to their queues. Called by all threads at the end of a round; contains barriers.
void flush_workgroup(uint relaxations, uint expansions) {
    subgroup_sync();
    uint near_place = 0;
    if (subgroupElect()) {
        near_place = atomicAdd(destination_counts[0], near_staged);
        atomicAdd(workgroup_relaxations, relaxations);
        atomicAdd(workgroup_expansions, expansions);
    }
    near_place = subgroupBroadcastFirst(near_place);
    uint places[STAGE];
    [[unroll]] for (uint w = 0; w < STAGE; ++w) {
        uint i = w * SUBGROUP_SIZE + gl_SubgroupInvocationID;
        bool held = i < later_staged;
        places[w] = 0;
        if (w * SUBGROUP_SIZE < later_staged)
            places[w] = place_here(held, held ? staged[later_area() + i] : uvec2(0, UNREACHED));
    }
    barrier();
    reserve_places();
    barrier();
    for (uint i = gl_SubgroupInvocationID; i < near_staged; i += SUBGROUP_SIZE)
        put_entry(round_near_queue, destination_begins[0] + near_place + i, staged[near_area() + i]);
    [[unroll]] for (uint w = 0; w < STAGE; ++w) {
        uint i = w * SUBGROUP_SIZE + gl_SubgroupInvocationID;
        if (i < later_staged) {
            uvec2 entry = staged[later_area() + i];
            uint destination = destination_of(entry);
            put_entry(queue_of_destination(destination), destination_begins[destination] + places[w], entry);
        }
    }
}

#endif
