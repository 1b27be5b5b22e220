// Where a search for shortest paths stands: what all its kernels share.
//
// An entry of a queue is a vertex and the distance it had when it was put there; where the vertex
// has come nearer since, the entry is stale, and a later one has taken its place.

#ifndef SSSP_STATE_GLSL
#define SSSP_STATE_GLSL

#include "constant_ids.glsl"

layout(constant_id = SUBGROUP_SIZE_ID) const uint SUBGROUP_SIZE = 32;
layout(constant_id = BUCKETS_ID) const uint BUCKETS = 10;  // of a window; 1 where there is a near set only

#include "sssp_sum.glsl"

// Queues. Near, rest and pieces come in pairs, of which one is read while the other is written.
const uint NEAR = 0;
const uint REST = 2;
const uint PIECES = 4;   // of vertices with very many arcs: vertex, and which piece
const uint BUCKET = 6;   // bucket b of the window has queue BUCKET + b; that of bucket 0 is unused
const uint MAX_BUCKETS = 128;
const uint LINE = 32;    // words of a line of a cache
const uint DENSE = ~0u;  // no queue: every vertex that has been reached

layout(push_constant) uniform Push {
    uint vertices;
    uint capacity;      // entries of a queue
    uint delta;         // width of a bucket; of floats, the bits
    uint hub_degree;    // a vertex with so many arcs is relaxed in pieces
    uint piece;         // arcs of a piece
    uint min_chunk;     // entries that a subgroup takes at least
    uint max_groups;    // workgroups of a round, at most
    uint local_hops;    // how often a subgroup goes on with what it found itself
    uint local_entries; // in rounds of no more entries than this
    uint subgroups;     // of a workgroup of a round
    uint last_id;       // of a bucket that passes of their own split into
    uint wide_degree;   // a vertex with so many arcs is relaxed by a whole workgroup
    uint merge_entries; // buckets are taken together while they have no more entries
    uint tail_entries;  // a shrinking near set of no more is taken together with the next bucket
} push;

layout(set = 0, binding = 0, std430) volatile buffer Control {
    // What the current round is to do; written by advance(). Fourteen words: see ControlVec4.
    uint done;
    uint taken;       // the queue that is read, or DENSE
    uint count;       // entries of it and of the buckets that are taken with it
    uint pieces;      // entries of the pieces' queue that is read
    uint chunk;       // entries that a subgroup takes at a time
    uint near_out;    // which of each pair is written: 0 or 1
    uint rest_out;
    uint pieces_out;
    uint threshold;   // what is nearer than this is near
    uint base;        // where the window begins
    uint bucket;      // the current one
    uint groups;      // workgroups of this round; 0 while the pile waits for its passes
    uint more_first;  // buckets that are taken besides: none, if the last
    uint more_last;   // comes before the first
    // What the round reports.
    uint nearest_rest;  // no entry of the rest is nearer
    uint lost;        // something did not fit into a queue
    uint overflowed;  // a sum was too large for a distance
    uint finished;    // workgroups that are through
    uint aborted;     // a persistent workgroup waited too long
    // Figures.
    uint rounds;
    uint splits;      // rounds that took the rest apart
    uint dense;       // rounds over all vertices
    uint relaxations_low;
    uint relaxations_high;
    uint expansions_low;
    uint expansions_high;
    // Of methods that split by passes of their own.
    uint piled;       // entries of the pile that are to be split before the next round
    uint kept;        // of these, those that are not stale
    uint kept_words;  // twice as many
    uint low;         // what is nearer than this bucket's end is near, whatever happens
    uint before;      // entries of the round before, or 0 where these say nothing
    uint apart_0[LINE - 31];
    // Of persistent workgroups. Words that many wait for, and words that many add to, have lines of
    // a cache to themselves.
    uint arrived;
    uint apart_1[LINE - 1];
    uint generation;
    uint apart_2[LINE - 1];
    uint ends[MAX_BUCKETS];  // of the buckets that are taken, among all entries that are
    uint counts[];    // entries of each queue, a line each
} control;

// How many entries a queue has.
#define COUNT(queue) control.counts[(queue) * LINE]

// The first words, as few loads: every workgroup of a device wants them at the same time.
layout(set = 0, binding = 0, std430) volatile buffer ControlVec4 { uvec4 at[4]; } control_vec4;

// Adds to a 64-bit figure.
#define ADD_FIGURE(name, amount)                                             \
    {                                                                        \
        uint before = atomicAdd(control.name##_low, amount);                 \
        if (before + (amount) < before) atomicAdd(control.name##_high, 1u);  \
    }

// `buckets` widths past `from`; more than `from` in any case.
uint widths_past(uint from, uint buckets) {
    if (FLOATS != 0) {
        float end = uintBitsToFloat(from) + float(buckets) * uintBitsToFloat(push.delta);
        return max(floatBitsToUint(end), from + 1);
    }
    // Where the product does not fit, the quotient says so.
    bool fits = push.delta <= (UNREACHED - from) / buckets;
    return fits ? max(from + push.delta * buckets, from + 1) : UNREACHED;
}

// How many whole widths a distance is past `from`.
uint widths_between(uint from, uint distance) {
    if (FLOATS != 0) {
        float past = uintBitsToFloat(distance) - uintBitsToFloat(from);
        return uint(clamp(past / uintBitsToFloat(push.delta), 0.0, float(1u << 24)));
    }
    return (max(distance, from) - from) / push.delta;
}

// In which bucket of the window a distance is that is not near.
uint bucket_of(uint distance, uint base, uint current) {
    // Rounding must not put it where nobody looks any more.
    return max(widths_between(base, distance), current + 1);
}

#endif
