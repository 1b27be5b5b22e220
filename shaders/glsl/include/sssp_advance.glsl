// Decides the work of the next round. One thread calls advance() when all workgroups have finished a round. No other
// workgroup has work then, so advance() issues the loads that any of its cases needs together, at its start.
//
// PILE is defined for methods that keep the entries beyond the window in a pile, which separate passes split. Gives
// advance(), clear_counts(), distribute() and, with PILE, write_dispatches().

#ifndef SSSP_ADVANCE_GLSL
#define SSSP_ADVANCE_GLSL

#include "sssp_state.glsl"

// Arguments of two indirect dispatches: the next round, and the pass that filters the pile (sssp_stage.glsl) after it.
// Different persistent workgroups write them in different rounds, which requires coherent memory.
layout(set = 0, binding = 1, std430) coherent writeonly buffer Groups { uint at[6]; } groups;
layout(set = 0, binding = 2, std430) writeonly buffer History { uvec2 at[]; } history;

const uint MAX_GROUPS = 65535;  // supported by every device

void clear_counts() {
    for (uint q = 0; q < BUCKET + BUCKETS; ++q) COUNT(q) = 0;
}

// Distributes `entries` queue entries and `pieces` pieces of vertices over workgroups, and sets the dispatch of
// the next round.
void distribute(uint entries, uint pieces) {
    uint subgroups = push.subgroups;
    uint max_subgroups = push.max_groups * subgroups;
    uint chunk = clamp((entries + max_subgroups - 1) / max_subgroups, push.min_chunk, SUBGROUP_SIZE);
    uint units = pieces + (entries + chunk - 1) / chunk;
    uint wanted = clamp((units + subgroups - 1) / subgroups, 1, push.max_groups);
    control.count = entries;
    control.pieces = pieces;
    control.chunk = chunk;
    control.groups = wanted;
    control.more_first = 1;
    control.more_last = 0;
    groups.at[0] = wanted;
}

// After a queue overflow: makes the next round process every reached vertex.
void take_all() {
    clear_counts();
    control.lost = 0;
    control.nearest_rest = UNREACHED;
    control.taken = DENSE;
    control.before = 0;
    control.dense += 1;
    // Queues that cannot hold all vertices would overflow again. From here on every entry is near, and each overflow is
    // followed by another round over all vertices.
    if (push.capacity < push.vertices) control.threshold = UNREACHED;
    distribute(push.vertices, 0);
}

// Returns the next nonempty bucket of the window, or BUCKETS. `counts` are the entries of each bucket's queue; bucket 0
// has no queue.
uint next_bucket(uint counts[BUCKETS], uint bucket) {
    uint found = BUCKETS;
    [[unroll]] for (uint b = BUCKETS - 1; b > 0; --b)
        if (b > bucket && counts[b] != 0) found = b;
    return found;
}

// Sets the input of the next round: `entries` entries of the queue already chosen, `pieces` pieces, and buckets after
// `bucket`. If `one` is set, the next nonempty bucket is always added; more buckets are added while the total is at
// most push.merge_entries. Fewer, larger rounds are faster, because every round has a fixed cost.
void take_more(uint counts[BUCKETS], uint bucket, uint entries, uint pieces, bool one) {
    uint first = BUCKETS;
    uint last = bucket;
    uint total = entries;
    bool enough = false;
    control.ends[bucket] = entries;
    [[unroll]] for (uint b = 1; b < BUCKETS; ++b) {
        if (b > bucket && counts[b] != 0) {
            bool wanted = one && first == BUCKETS;
            enough = enough || (!wanted && total + pieces + counts[b] > push.merge_entries);
            if (!enough) {
                first = min(first, b);
                last = b;
                total += counts[b];
            }
        }
        if (b > bucket) control.ends[b] = total;
    }
    distribute(total, pieces);
    control.before = total;
    control.low = one && last > bucket ? first : bucket;
    control.bucket = last;
    if (last > bucket) {
        control.more_first = first;
        control.more_last = last;
        control.threshold = widths_past(control.base, last + 1);
    }
}

// Makes the near set the input of the next round. A shrinking near set, which would need many rounds for few entries,
// is taken together with following buckets (take_more()). If the near set grew large after several buckets were
// taken together, the threshold returns to the end of the lowest of them; entries beyond it go back to their buckets.
void take_near(uint counts[BUCKETS], uint near, uint pieces) {
    uint bucket = control.bucket;
    uint low = control.low;
    uint before = control.before;
    bool shrinking = near + near / 4 < before;
    if (BUCKETS > 1 && near > push.merge_entries && low < bucket) {
        control.bucket = low;
        control.threshold = widths_past(control.base, low + 1);
        control.before = 0;
        distribute(near, pieces);
    } else if (BUCKETS > 1 && shrinking) {
        take_more(counts, bucket, near, pieces, near + pieces <= push.tail_entries);
    } else {
        control.before = near;
        distribute(near, pieces);
    }
}

#ifdef PILE
// The host records a fixed number of rounds between splits of the pile. Once the pile is to be split, the remaining
// rounds before the next split are no-ops with one workgroup, which only writes the dispatches of the next round and of
// the first pass of the split (sssp.filter).
void write_dispatches() {
    groups.at[0] = 1;
    groups.at[1] = 1;
    groups.at[2] = 1;
    groups.at[3] = min((control.piled - 1) / gl_WorkGroupSize.x + 1, MAX_GROUPS);
    groups.at[4] = 1;
    groups.at[5] = 1;
}
#endif

// Called when the near set is empty: takes the next bucket or the rest, or ends the search. `rest` is the number of
// entries in queue `rest_out` of the rest.
void take_later(uint counts[BUCKETS], uint rest, uint rest_out) {
    uint bucket = next_bucket(counts, control.bucket);
    if (bucket < BUCKETS) {
        control.bucket = bucket;
        control.threshold = widths_past(control.base, bucket + 1);
        control.taken = BUCKET + bucket;
        uint entries = 0;
        [[unroll]] for (uint b = 1; b < BUCKETS; ++b)
            if (b == bucket) entries = counts[b];
        take_more(counts, bucket, entries, 0, false);
#ifdef PILE
    } else if (rest > 0) {
        // The passes split the pile; the last one (sssp.take) decides the next round.
        control.base = control.nearest_rest;
        control.nearest_rest = UNREACHED;
        control.kept = 0;
        control.kept_words = 0;
        control.piled = rest;
        control.splits += 1;
        control.groups = 0;
        write_dispatches();
#endif
    } else if (rest > 0) {
        // Start a new window at the nearest entry of the rest.
        uint nearest = control.nearest_rest;
        control.base = nearest;
        control.bucket = 0;
        control.low = 0;
        control.before = 0;
        control.threshold = widths_past(nearest, 1);
        control.nearest_rest = UNREACHED;
        control.taken = REST + rest_out;
        control.rest_out = rest_out ^ 1;
        control.splits += 1;
        distribute(rest, 0);
    } else {
        control.done = 1;
        groups.at[0] = 0;
    }
}

// Decides the next round and updates `control`. Called by one thread.
void advance() {
    groups.at[1] = 1;
    groups.at[2] = 1;
    groups.at[3] = 0;
    groups.at[4] = 1;
    groups.at[5] = 1;
    uint near_out = control.near_out;
    uint rest_out = control.rest_out;
    uint pieces_out = control.pieces_out;
    uint input_queue = control.taken;
    uint near_counts[2] = uint[2](COUNT(NEAR), COUNT(NEAR + 1));
    uint rest_counts[2] = uint[2](COUNT(REST), COUNT(REST + 1));
    uint piece_counts[2] = uint[2](COUNT(PIECES), COUNT(PIECES + 1));
    uint more_first = control.more_first;
    uint more_last = control.more_last;
    uint bucket_counts[BUCKETS];
    [[unroll]] for (uint b = 1; b < BUCKETS; ++b) bucket_counts[b] = min(COUNT(BUCKET + b), push.capacity);
    uint lost = control.lost;
    uint rounds = control.rounds;
    if (rounds < history.at.length())
        history.at[rounds] = uvec2(control.count + control.pieces, control.threshold);
    control.rounds = rounds + 1;
    control.finished = 0;
#ifdef PILE
    // The round took only some entries of the pile (REST). The others stay.
    bool emptied = input_queue != DENSE && input_queue != REST;
#else
    bool emptied = input_queue != DENSE;
#endif
    if (emptied) COUNT(input_queue) = 0;
    [[unroll]] for (uint b = 1; b < BUCKETS; ++b) {
        if (input_queue == BUCKET + b || (more_first <= b && b <= more_last)) {
            COUNT(BUCKET + b) = 0;
            bucket_counts[b] = 0;
        }
    }
    COUNT(PIECES + (pieces_out ^ 1)) = 0;

    uint near = min(near_counts[near_out], push.capacity);
    uint pieces = min(piece_counts[pieces_out], push.capacity);
    if (lost != 0) {
        take_all();
    } else if (near + pieces > 0) {
        control.taken = NEAR + near_out;
        control.near_out = near_out ^ 1;
        control.pieces_out = pieces_out ^ 1;
        take_near(bucket_counts, near, pieces);
    } else {
        take_later(bucket_counts, min(rest_counts[rest_out], push.capacity), rest_out);
    }
}

#endif
