// Where samples are counted: in shared memory, by votes in registers, or in the output itself; and
// how the counts of a workgroup get into the output.

#include "voting.glsl"

// A counter more than the pass has bins, for the samples outside.
shared uint counters[ROOM * COPIES * ACTIVE_CHANNELS];

uint vote_counts[SLOTS];
uint dropped_here[MAX_CHANNELS];

// The only atomic addition of floats that every device has. It begins with a guess, which is right for
// the first weight: a plain load would race with what others add.
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

void begin_counting() {
    if (METHOD != METHOD_GLOBAL)
        for (uint i = thread_rank(); i < ROOM * COPIES * ACTIVE_CHANNELS; i += gl_WorkGroupSize.x) counters[i] = 0;
    if (METHOD == METHOD_VOTES)
        [[unroll]] for (uint s = 0; s < SLOTS; ++s) vote_counts[s] = 0;
    [[unroll]] for (uint c = 0; c < MAX_CHANNELS; ++c) dropped_here[c] = 0;
}

void add_to_output(uint index, uint value) {
    if (WEIGHT == WEIGHT_FLOAT) {
        ADD_FLOAT(counts.at[index], value)
    } else if (WIDE != 0) {
        // Whoever makes the low word wrap carries.
        uint before = atomicAdd(counts.at[2 * index], value);
        if (before > ~value) atomicAdd(counts.at[2 * index + 1], 1);
    } else {
        atomicAdd(counts.at[index], value);
    }
}

void add_to_dropped(uint slot, uint value) {
    if (WIDE != 0) {
        uint before = atomicAdd(dropped.at[2 * slot], value);
        if (before > ~value) atomicAdd(dropped.at[2 * slot + 1], 1);
    } else {
        atomicAdd(dropped.at[slot], value);
    }
}

// Counts a sample of the channel that is number `slot` of those that are counted. Votes are cast by
// the whole subgroup.
void count_bin(uint slot, uint bin, uint weight, bool takes_part) {
    if (METHOD == METHOD_VOTES) {
        bool inside = takes_part && bin < push.bins;
        if (takes_part && !inside) ++dropped_here[0];
        vote(bin, inside);
        uvec4 low = lanes_of_low_bits();
        [[unroll]] for (uint s = 0; s < SLOTS; ++s) vote_counts[s] += votes_for_slot(low, s);
        return;
    }
    if (!takes_part) return;
    uint row = ((gl_SubgroupID % COPIES) * ACTIVE_CHANNELS + slot) * ROOM;
    if (METHOD == METHOD_SHARED && WHOLE != 0) {
        atomicAdd(counters[row + bin], 1);
    } else if (bin >= push.bins) {
        ++dropped_here[slot];
    } else if (METHOD == METHOD_GLOBAL) {
        add_to_output(slot * push.bins + bin, weight);
    } else if (bin - push.first_bin < push.window) {
        uint index = row + bin - push.first_bin;
        if (WEIGHT == WEIGHT_FLOAT) ADD_FLOAT(counters[index], weight)
        else atomicAdd(counters[index], weight);
    }
}

uint total_of(uint slot, uint bin) {
    uint total = 0;
    for (uint c = 0; c < COPIES; ++c) {
        uint value = counters[(c * ACTIVE_CHANNELS + slot) * ROOM + bin];
        if (WEIGHT == WEIGHT_FLOAT) total = floatBitsToUint(uintBitsToFloat(total) + uintBitsToFloat(value));
        else total += value;
    }
    return total;
}

// Adds what the workgroup has counted to the output. Called by all threads.
void end_counting() {
    if (METHOD == METHOD_VOTES) {
        [[unroll]] for (uint s = 0; s < SLOTS; ++s) {
            uint bin = s * SUBGROUP_SIZE + gl_SubgroupInvocationID;
            if (bin < push.bins && vote_counts[s] > 0) atomicAdd(counters[bin], vote_counts[s]);
        }
    }
    if (METHOD != METHOD_GLOBAL) {
        barrier();
        for (uint slot = 0; slot < ACTIVE_CHANNELS; ++slot) {
            for (uint b = thread_rank(); b < push.window; b += gl_WorkGroupSize.x) {
                uint total = total_of(slot, b);
                if (total != 0) add_to_output(slot * push.bins + push.first_bin + b, total);
            }
            if (METHOD == METHOD_SHARED && WHOLE != 0 && thread_rank() == 0) {
                uint total = total_of(slot, push.bins);
                if (total > 0) add_to_dropped(slot, total);
            }
        }
    }
    // Every pass sees every sample; the first one reports.
    if (push.first_bin > 0) return;
    [[unroll]] for (uint slot = 0; slot < ACTIVE_CHANNELS; ++slot)
        if (dropped_here[slot] > 0) add_to_dropped(slot, dropped_here[slot]);
}
