// State of a shortest-path search, used by all its kernels except sssp.survey. docs/kernels.md, "SSSP round", describes
// how a round uses it.
//
// A queue entry is a vertex and its distance when the entry was added. If the distance has decreased since, the
// entry is stale, and a later entry replaces it.
//
// Distances are processed in increasing order: vertices below a threshold are near and are expanded at once,
// others wait in the buckets of a window (BUCKETS buckets of width delta from `base` on), and those beyond the
// window in the rest.

#ifndef SSSP_STATE_GLSL
#define SSSP_STATE_GLSL

#include "constant_ids.glsl"

layout(constant_id = SUBGROUP_SIZE_ID) const uint SUBGROUP_SIZE = 32;
layout(constant_id = BUCKETS_ID) const uint BUCKETS = 10;  // buckets per window; 1: near set and rest only

#include "sssp_sum.glsl"

// Queues. Near, rest and pieces are pairs: one queue is read while the other is written.
const uint NEAR = 0;
const uint REST = 2;
const uint PIECES = 4;   // pieces of vertices with very many arcs: vertex and piece number
const uint BUCKET = 6;   // queue of bucket b is BUCKET + b; that of bucket 0 is unused
const uint MAX_BUCKETS = 128;
const uint LINE = 32;    // words per cache line
const uint DENSE = ~0u;  // instead of a queue: every reached vertex

layout(push_constant) uniform Push {
    uint vertices;
    uint capacity;      // entries per queue
    uint delta;         // bucket width; float bits if weights are floats
    uint hub_degree;    // vertices with at least this many arcs are relaxed in pieces
    uint piece;         // arcs per piece
    uint min_chunk;     // minimum entries per subgroup
    uint max_groups;    // maximum workgroups per round
    uint local_hops;    // maximum times in a row that a subgroup continues with entries it found itself
    uint local_entries; // it does so in rounds with at most this many entries and no pieces
    uint subgroups;     // subgroups per workgroup of a round
    uint last_id;       // last bucket id of the passes that split the pile
    uint wide_degree;   // vertices with at least this many arcs are relaxed by a whole workgroup
    uint merge_entries; // limit of entries when buckets are taken together; see take_more()
    uint tail_entries;  // a shrinking near set up to this size is taken with the next bucket
} push;

layout(set = 0, binding = 0, std430) volatile buffer Control {
    // Description of the current round: fourteen words, which are loaded as ControlVec4.
    uint done;
    uint taken;       // queue to read, or DENSE
    uint count;       // entries to take, including those of the buckets taken with that queue
    uint pieces;      // entries in the queue of pieces to read
    uint chunk;       // entries that a subgroup takes at a time
    uint near_out;    // queue of each pair to write: 0 or 1
    uint rest_out;
    uint pieces_out;
    uint threshold;   // smaller distances are near
    uint base;        // start of the window
    uint bucket;      // current bucket
    uint groups;      // workgroups of this round; 0 while the pile waits to be split
    uint more_first;  // first bucket taken in addition
    uint more_last;   // last bucket taken in addition; below more_first if there is none
    // Results of the round.
    uint nearest_rest;  // lower bound of the distances in the rest
    uint lost;        // whether an entry did not fit into a queue
    uint overflowed;  // whether a sum exceeded the largest distance
    uint finished;    // workgroups that have finished
    uint aborted;     // whether a persistent workgroup timed out
    // Statistics.
    uint rounds;
    uint splits;      // number of times that the rest was split
    uint dense;       // rounds over all vertices
    uint relaxations_low;
    uint relaxations_high;
    uint expansions_low;
    uint expansions_high;
    // Used by methods that split the pile in separate passes, except `low` and `before`, which all methods use.
    uint piled;       // entries of the pile to split before the next round
    uint kept;        // entries of the pile that sssp.filter kept
    uint kept_words;  // twice `kept`
    uint low;         // lowest bucket taken; the threshold does not fall below its end
    uint before;      // entries of the previous round; 0 if unknown
    uint apart_0[LINE - 31];
    // Used by persistent workgroups. Words that many threads poll or add to have separate cache lines.
    uint arrived;
    uint apart_1[LINE - 1];
    uint generation;
    uint apart_2[LINE - 1];
    uint ends[MAX_BUCKETS];  // ends of the taken buckets among all taken entries
    uint counts[];    // entries in each queue, one cache line each
} control;

// Number of entries in a queue.
#define COUNT(queue) control.counts[(queue) * LINE]

// The first words as vectors, to load them with few instructions: all workgroups read them at the same time.
layout(set = 0, binding = 0, std430) volatile buffer ControlVec4 { uvec4 at[4]; } control_vec4;

// Adds to a 64-bit statistic.
#define ADD_FIGURE(name, amount)                                             \
    {                                                                        \
        uint before = atomicAdd(control.name##_low, amount);                 \
        if (before + (amount) < before) atomicAdd(control.name##_high, 1u);  \
    }

// Returns the distance `buckets` bucket widths after `from`; always more than `from`.
uint widths_past(uint from, uint buckets) {
    if (FLOATS != 0) {
        float end = uintBitsToFloat(from) + float(buckets) * uintBitsToFloat(push.delta);
        return max(floatBitsToUint(end), from + 1);
    }
    // Division detects overflow of the product.
    bool fits = push.delta <= (UNREACHED - from) / buckets;
    return fits ? max(from + push.delta * buckets, from + 1) : UNREACHED;
}

// Returns the number of whole bucket widths between `from` and a distance; for floats rounded, and at most 2^24.
uint widths_between(uint from, uint distance) {
    if (FLOATS != 0) {
        float past = uintBitsToFloat(distance) - uintBitsToFloat(from);
        return uint(clamp(past / uintBitsToFloat(push.delta), 0.0, float(1u << 24)));
    }
    return (max(distance, from) - from) / push.delta;
}

// Returns the bucket of a distance that is not near. It is BUCKETS or more if the distance is beyond the window.
uint bucket_of(uint distance, uint base, uint current) {
    // Rounding must not return a bucket that was already processed.
    return max(widths_between(base, distance), current + 1);
}

#endif
