// Computes the histogram of a contiguous range of keys with one workgroup.
//
// With ballots, every subgroup keeps its counts in registers, distributed over its lanes, until the end. With many
// more buckets than lanes this needs many registers, and atomic additions to shared counters are faster
// (COUNT_BY_ATOMICS). The counters then exist in COUNTER_COPIES copies to reduce contention between subgroups.
//
// Needs: what bucket.glsl needs.
// Gives: count_windows() and its result bucket_totals[].

#ifndef COUNT_WINDOWS_GLSL
#define COUNT_WINDOWS_GLSL

#include "multisplit.glsl"
#include "groups.glsl"
#include "voting.glsl"
#include "out_of_range.glsl"
#include "visit_keys.glsl"

layout(constant_id = COUNT_BY_ATOMICS_ID) const uint COUNT_BY_ATOMICS = 0;
layout(constant_id = COUNTER_COPIES_ID) const uint COUNTER_COPIES = 1;

const uint COUNTERS = 1u << BUCKET_BITS;

shared uint counter_copies[COUNTERS * COUNTER_COPIES];
shared uint bucket_totals[COUNTERS];

// Counts the keys [first, end) with ballots. Called by all threads.
void count_by_ballots(const uint first, const uint end) {
    uint counts[BUCKETS_PER_LANE];
    [[unroll]] for (uint s = 0; s < BUCKETS_PER_LANE; ++s) counts[s] = 0;
    for (uint start = first + gl_SubgroupID * SUBGROUP_SIZE; start < end; start += gl_WorkGroupSize.x) {
        uint i = start + gl_SubgroupInvocationID;
        bool takes_part = i < end;
        uint bucket = takes_part ? counted_bucket(keys.at[i]) : 0;
        vote(bucket, takes_part);
        uvec4 low = lanes_of_low_bits();
        [[unroll]] for (uint s = 0; s < BUCKETS_PER_LANE; ++s) counts[s] += votes_for(low, s);
    }
    [[unroll]] for (uint s = 0; s < BUCKETS_PER_LANE; ++s) {
        uint bucket = s * SUBGROUP_SIZE + gl_SubgroupInvocationID;
        if (bucket < COUNTERS && counts[s] > 0) atomicAdd(bucket_totals[bucket], counts[s]);
    }
}

void count_bucket(const uint bucket) {
    atomicAdd(counter_copies[(gl_SubgroupID % COUNTER_COPIES) * COUNTERS + bucket], 1);
}

void visit_key(const KEY key) {
    count_bucket(counted_bucket(key));
}

#if KEY_BITS == 32
// Counts four keys. Computes the likely buckets of all four before it updates counters, so that latencies overlap.
// Bucket functions with searches never return ids out of range, so likely_bucket_at() can replace counted_bucket().
void visit_four(const uvec4 four) {
    uint buckets[4];
    uint unsure_keys = 0;
    [[unroll]] for (uint c = 0; c < 4; ++c) {
        bool unsure = false;
        buckets[c] = SEARCHES ? likely_bucket_at(four[c], unsure) : counted_bucket(four[c]);
        if (unsure) unsure_keys |= 1u << c;
    }
    [[unroll]] for (uint c = 0; c < 4; ++c)
        if ((unsure_keys & 1u << c) == 0) count_bucket(buckets[c]);
    while (unsure_keys != 0) {
        uint c = findLSB(unsure_keys);
        unsure_keys &= unsure_keys - 1;
        uvec2 half_of = (c & 2) != 0 ? four.zw : four.xy;
        count_bucket(bucket_at((c & 1) != 0 ? half_of.y : half_of.x));
    }
}
#endif

// Counts the keys [first, end) with shared atomics. Called by all threads.
void count_by_atomics(const uint first, const uint end) {
    visit_keys(first, end, thread_rank(), gl_WorkGroupSize.x);
    barrier();
    for (uint b = thread_rank(); b < COUNTERS; b += gl_WorkGroupSize.x) {
        uint sum = 0;
        for (uint c = 0; c < COUNTER_COPIES; ++c) sum += counter_copies[c * COUNTERS + b];
        bucket_totals[b] = sum;
    }
}

// Counts the keys [first, first + length), as far as they exist, in bucket_totals. Called by all threads; ends with a
// barrier, after which all threads may read the totals.
void count_windows(const uint first, const uint length) {
    uint end = element_count() - first < length ? element_count() : first + length;
    for (uint b = thread_rank(); b < COUNTERS; b += gl_WorkGroupSize.x) bucket_totals[b] = 0;
    for (uint b = thread_rank(); b < COUNTERS * COUNTER_COPIES; b += gl_WorkGroupSize.x) counter_copies[b] = 0;
    barrier();
    if (COUNT_BY_ATOMICS != 0) count_by_atomics(first, end);
    else count_by_ballots(first, end);
    barrier();
}

#endif
