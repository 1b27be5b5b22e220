// Which rounds of a radix sort have nothing to do? Those in which all keys have the same digit: one
// count of the round's histogram is then n.

shared uint idle_rounds;

// One bit for each of the first `rounds` rounds. Called by all threads; ends with a barrier.
uint find_idle_rounds(uint rounds) {
    if (gl_LocalInvocationIndex == 0) idle_rounds = 0;
    barrier();
    const uint digits = 1u << BUCKET_BITS;
    for (uint i = gl_LocalInvocationIndex; i < rounds * digits; i += gl_WorkGroupSize.x)
        if (histogram.at[i] == element_count()) atomicOr(idle_rounds, 1u << (i / digits));
    barrier();
    return idle_rounds;
}

// Finds out where the data is. False when this round has nothing to do.
bool begin_round() {
    uint idle = find_idle_rounds(push.round + 1);
    busy_rounds = push.round - bitCount(idle & ((1u << push.round) - 1));
    return (idle >> push.round & 1) == 0;
}
