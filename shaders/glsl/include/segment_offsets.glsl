// Where segments begin and end. An offset past the elements counts as their number.
//
// The includer has `offsets`, and sets `elements` first.

#ifndef SEGMENT_OFFSETS_GLSL
#define SEGMENT_OFFSETS_GLSL

uint elements;

uint offset_at(uint k) {
    return min(offsets.at[k], elements);
}

// How many of `count` offsets are at or below `limit`. Called by whole subgroups.
uint offsets_up_to(uint limit, uint count) {
    uint low = 0;
    uint high = count;
    while (low < high) {
        // The lanes look at offsets at equal distances.
        uint step = (high - low - 1) / (gl_SubgroupSize + 1) + 1;
        uint probe = low + step * (gl_SubgroupInvocationID + 1) - 1;
        bool past = probe >= high || offset_at(probe) > limit;
        uvec4 all_past = subgroupBallot(past);
        uint below = all_past == uvec4(0) ? gl_SubgroupSize : subgroupBallotFindLSB(all_past);
        low += step * below;
        if (below < gl_SubgroupSize) high = min(high, low + step - 1);
    }
    return low;
}

#endif
