// Provides segment boundaries and searches for them. Offsets beyond the number of elements are clamped to it. Rows
// of a matrix (OF_ROWS) have offsets that are computed from the row length.
//
// Needs `offsets` and `push.row_length`. The includer must first set `elements`, the number of elements.

#ifndef SEGMENT_OFFSETS_GLSL
#define SEGMENT_OFFSETS_GLSL

layout(constant_id = OF_ROWS_ID) const uint OF_ROWS = 0;

uint elements;

uint offset_at(uint k) {
    return min(OF_ROWS != 0 ? k * push.row_length : offsets.at[k], elements);
}

// Returns the index of the first offset in [begin, end) that exceeds `limit`, or `end`.
uint first_above(uint limit, uint begin, uint end) {
    uint low = begin;
    uint high = end;
    while (low < high) {
        uint middle = low + (high - low) / 2;
        if (offset_at(middle) > limit) high = middle;
        else low = middle + 1;
    }
    return low;
}

// Returns how many of the first `count` offsets are at most `limit`. `elements` must not be 0. Called by whole
// subgroups.
uint offsets_up_to(uint limit, uint count) {
    // All offsets are at most `elements`.
    if (OF_ROWS != 0) return limit < elements ? min(limit / push.row_length + 1, count) : count;
    // If segments have similar lengths, the result is near this estimate, and one iteration suffices.
    uint expected = uint(min(float(limit) / float(elements), 1.0) * float(count));
    uint low = min(expected - min(expected, gl_SubgroupSize / 2), count - min(count, gl_SubgroupSize));
    uint high = count;
    uint step = 1;
    bool is_first = true;
    while (low < high) {
        // The lanes probe offsets at equal distances.
        uint probe = low + step * (gl_SubgroupInvocationID + 1) - 1;
        bool past = probe >= high || offset_at(probe) > limit;
        uvec4 all_past = subgroupBallot(past);
        uint below = all_past == uvec4(0) ? gl_SubgroupSize : subgroupBallotFindLSB(all_past);
        if (is_first && below == 0) {
            high = low;
            low = 0;
        } else {
            low += step * below;
            if (below < gl_SubgroupSize) high = min(high, low + step - 1);
        }
        is_first = false;
        step = low < high ? (high - low - 1) / (gl_SubgroupSize + 1) + 1 : 1;
    }
    return low;
}

#endif
