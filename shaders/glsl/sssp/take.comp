#version 460
// After the pile was split into buckets: a single thread selects the first nonempty bucket for the next round, and
// writes the dispatch arguments of the round.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require

#include "constant_ids.glsl"

layout(local_size_x = 64, local_size_x_id = LOCAL_SIZE_X_ID) in;
layout(constant_id = SORTED_ID) const uint SORTED = 0;  // whether `ids` is sorted and there are no offsets

#include "sssp_state.glsl"
#define PILE
#include "sssp_advance.glsl"
layout(set = 0, binding = 3, std430) readonly buffer Ids { uint at[]; } ids;
layout(set = 0, binding = 4, std430) readonly buffer Offsets { uint at[]; } offsets;

// Returns the first nonempty bucket and its number of entries.
uvec2 first_bucket(uint count) {
    if (SORTED != 0) {
        uint first = ids.at[0];
        uint low = 0;  // all entries below `low` are in the first bucket
        uint high = count;
        while (low < high) {
            uint middle = low + (high - low) / 2;
            if (ids.at[middle] == first) low = middle + 1;
            else high = middle;
        }
        return uvec2(first, low);
    }
    uint bucket = 0;
    while (bucket < push.last_id && offsets.at[bucket + 1] == 0) ++bucket;
    return uvec2(bucket, offsets.at[bucket + 1]);
}

void main() {
    if (gl_LocalInvocationIndex != 0 || control.piled == 0) return;
    uint count = control.kept;
    control.piled = 0;
    control.kept = 0;
    control.kept_words = 0;
    COUNT(REST) = count;
    groups.at[3] = 0;
    if (count == 0) {
        control.done = 1;
        groups.at[0] = 0;
        return;
    }
    uvec2 first = first_bucket(count);
    uint nearest = control.nearest_rest;
    // The last bucket has no upper end: no entry is taken, and the pile is split again, starting at the nearest
    // entry.
    bool beyond = first.x == push.last_id && first.x > 0;
    uint taken = beyond ? 0 : first.y;
    control.taken = REST;
    if (!beyond) control.threshold = widths_past(control.base, first.x + 1);
    // Lower bound of the distances that stay in the pile.
    control.nearest_rest = beyond ? nearest : taken < count ? control.threshold : UNREACHED;
    distribute(taken, 0);
}
