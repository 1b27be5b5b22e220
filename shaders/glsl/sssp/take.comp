#version 460
// After the pile was split: the first bucket that is not empty is what the next round takes.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require

#include "constant_ids.glsl"

layout(local_size_x = 64, local_size_x_id = LOCAL_SIZE_X_ID) in;
layout(constant_id = SORTED_ID) const uint SORTED = 0;  // whether there are ids in order, and no offsets

#include "sssp_state.glsl"
#define PILE
#include "sssp_advance.glsl"
layout(set = 0, binding = 3, std430) readonly buffer Ids { uint at[]; } ids;
layout(set = 0, binding = 4, std430) readonly buffer Offsets { uint at[]; } offsets;

// The first bucket, and how many entries it has.
uvec2 first_bucket(uint count) {
    if (SORTED != 0) {
        uint first = ids.at[0];
        uint low = 0;  // entries below are of the first bucket
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
    // Beyond the last bucket nobody knows how far: it is split again, from where it begins.
    bool beyond = first.x == push.last_id && first.x > 0;
    uint taken = beyond ? 0 : first.y;
    control.taken = REST;
    if (!beyond) control.threshold = widths_past(control.base, first.x + 1);
    // No entry that stays is nearer than this.
    control.nearest_rest = beyond ? nearest : taken < count ? control.threshold : UNREACHED;
    deal(taken, 0);
}
