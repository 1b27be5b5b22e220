// Counts samples for the histogram kernel: in shared memory, with ballots in registers, or directly in the output
// (METHOD). Provides begin_counting(), count_bin() and end_counting(), which adds the workgroup's counts to the
// output.

#ifndef BIN_COUNTERS_GLSL
#define BIN_COUNTERS_GLSL

#include "histogram.glsl"
#include "groups.glsl"
#include "voting.glsl"

// COPIES sets of counters, each with ROOM counters per counted channel. With WHOLE, the counter after the last bin
// counts samples out of range.
shared uint counters[ROOM * COPIES * ACTIVE_CHANNELS];

uint ballot_counts[BUCKETS_PER_LANE];
uint out_of_range_here[MAX_CHANNELS];

// Atomically adds the float with the bits `value` to the float at `place`. Uses compare-and-swap, because not every
// device supports atomic float additions. The loop starts with 0 as the expected sum, which is correct for the first
// addition; a plain load would race with other additions.
#define ADD_FLOAT(place, value)                                                              \
    {                                                                                        \
        uint seen = 0u;                                                                      \
        bool done = false;                                                                   \
        while (!done) {                                                                      \
            uint sum = floatBitsToUint(uintBitsToFloat(seen) + uintBitsToFloat(value));      \
            uint found = atomicCompSwap(place, seen, sum);                                   \
            done = found == seen;                                                            \
            seen = found;                                                                    \
        }                                                                                    \
    }

// Clears all counters. Called by all threads; a barrier must follow.
void begin_counting() {
    if (METHOD != METHOD_GLOBAL)
        for (uint i = thread_rank(); i < ROOM * COPIES * ACTIVE_CHANNELS; i += gl_WorkGroupSize.x) counters[i] = 0;
    if (METHOD == METHOD_BALLOTS)
        [[unroll]] for (uint s = 0; s < BUCKETS_PER_LANE; ++s) ballot_counts[s] = 0;
    [[unroll]] for (uint c = 0; c < MAX_CHANNELS; ++c) out_of_range_here[c] = 0;
}

// Adds a count, or a float weight with the bits `value`, to the element of the output at `index`.
void add_to_output(uint index, uint value) {
    if (WEIGHT == WEIGHT_FLOAT) {
        ADD_FLOAT(counts.at[index], value)
    } else if (WIDE != 0) {
        // The thread whose addition wraps the low word carries into the high word.
        uint before = atomicAdd(counts.at[2 * index], value);
        if (before > ~value) atomicAdd(counts.at[2 * index + 1], 1);
    } else {
        atomicAdd(counts.at[index], value);
    }
}

// Adds `value` to the out-of-range count of a channel in the output, in the number type of the bins. `active_index` is
// the index of the channel among the counted channels.
void add_to_out_of_range(uint active_index, uint value) {
    if (WEIGHT == WEIGHT_FLOAT) {
        ADD_FLOAT(out_of_range.at[active_index], floatBitsToUint(float(value)))
    } else if (WIDE != 0) {
        uint before = atomicAdd(out_of_range.at[2 * active_index], value);
        if (before > ~value) atomicAdd(out_of_range.at[2 * active_index + 1], 1);
    } else {
        atomicAdd(out_of_range.at[active_index], value);
    }
}

// Counts a sample, if `takes_part` is set. `active_index` is the index of its channel among the counted channels.
// With METHOD_BALLOTS, called by whole subgroups.
void count_bin(uint active_index, uint bin, uint weight, bool takes_part) {
    if (METHOD == METHOD_BALLOTS) {
        bool in_range = takes_part && bin < push.bins;
        if (takes_part && !in_range) ++out_of_range_here[0];
        vote(bin, in_range);
        uvec4 low = lanes_of_low_bits();
        [[unroll]] for (uint s = 0; s < BUCKETS_PER_LANE; ++s) ballot_counts[s] += votes_for(low, s);
        return;
    }
    if (!takes_part) return;
    uint row = ((gl_SubgroupID % COPIES) * ACTIVE_CHANNELS + active_index) * ROOM;
    if (METHOD == METHOD_SHARED && WHOLE != 0) {
        atomicAdd(counters[row + bin], 1);
    } else if (bin >= push.bins) {
        ++out_of_range_here[active_index];
    } else if (METHOD == METHOD_GLOBAL) {
        add_to_output(active_index * push.bins + bin, weight);
    } else if (bin - push.first_bin < push.window) {
        uint index = row + bin - push.first_bin;
        if (WEIGHT == WEIGHT_FLOAT) ADD_FLOAT(counters[index], weight)
        else atomicAdd(counters[index], weight);
    }
}

// Returns the sum of a bin over all copies of the counters; float bits with WEIGHT_FLOAT.
uint total_of(uint active_index, uint bin) {
    uint total = 0;
    for (uint c = 0; c < COPIES; ++c) {
        uint value = counters[(c * ACTIVE_CHANNELS + active_index) * ROOM + bin];
        if (WEIGHT == WEIGHT_FLOAT) total = floatBitsToUint(uintBitsToFloat(total) + uintBitsToFloat(value));
        else total += value;
    }
    return total;
}

// Adds the workgroup's counts to the output. Called by all threads; contains a barrier unless METHOD_GLOBAL.
void end_counting() {
    if (METHOD == METHOD_BALLOTS) {
        [[unroll]] for (uint s = 0; s < BUCKETS_PER_LANE; ++s) {
            uint bin = s * SUBGROUP_SIZE + gl_SubgroupInvocationID;
            if (bin < push.bins && ballot_counts[s] > 0) atomicAdd(counters[bin], ballot_counts[s]);
        }
    }
    if (METHOD != METHOD_GLOBAL) {
        barrier();
        for (uint active_index = 0; active_index < ACTIVE_CHANNELS; ++active_index) {
            for (uint b = thread_rank(); b < push.window; b += gl_WorkGroupSize.x) {
                uint total = total_of(active_index, b);
                if (total != 0) add_to_output(active_index * push.bins + push.first_bin + b, total);
            }
            if (METHOD == METHOD_SHARED && WHOLE != 0 && thread_rank() == 0) {
                uint total = total_of(active_index, push.bins);
                if (total > 0) add_to_out_of_range(active_index, total);
            }
        }
    }
    // Each pass reads all samples, so only the first pass reports those out of range.
    if (push.first_bin > 0) return;
    [[unroll]] for (uint active_index = 0; active_index < ACTIVE_CHANNELS; ++active_index)
        if (out_of_range_here[active_index] > 0) add_to_out_of_range(active_index, out_of_range_here[active_index]);
}

#endif
