// Where segments begin and end. An offset past the elements counts as their number. Rows of equal length have
// no offsets in memory.
//
// The includer has `offsets` and `push.row_length`, and sets `elements` first.

#ifndef SEGMENT_OFFSETS_GLSL
#define SEGMENT_OFFSETS_GLSL

layout(constant_id = OF_ROWS_ID) const uint OF_ROWS = 0;

uint elements;

uint offset_at(uint k) {
    return min(OF_ROWS != 0 ? k * push.row_length : offsets.at[k], elements);
}

// Index of the first of the offsets from `begin` to `end` that is above `limit`, or `end`.
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

// How many of `count` offsets are at or below `limit`, where there are elements. Called by whole subgroups.
uint offsets_up_to(uint limit, uint count) {
    // From where the elements end on, all offsets are there.
    if (OF_ROWS != 0) return limit < elements ? min(limit / push.row_length + 1, count) : count;
    // Where segments are about as long as each other it is near this number, and one look is enough.
    uint expected = uint(min(float(limit) / float(elements), 1.0) * float(count));
    uint low = min(expected - min(expected, gl_SubgroupSize / 2), count - min(count, gl_SubgroupSize));
    uint high = count;
    uint step = 1;
    bool is_first = true;
    while (low < high) {
        // The lanes look at offsets at equal distances.
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
