#version 460
// Finds the offset of each bucket in elements that are ordered by bucket. One thread per bucket does a binary
// search, which reads a few keys per bucket instead of all keys.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;
// Whether elements are ordered by key. If so, keys with an id out of range are at the end of the last bucket, and a
// search finds their number.
layout(constant_id = SORTED_BY_KEY_ID) const uint SORTED_BY_KEY = 0;

#include "multisplit.glsl"
#include "bucket.glsl"
layout(set = 0, binding = 2, std430) writeonly buffer Offsets { uint at[]; } offsets;
layout(set = 0, binding = 3, std430) writeonly buffer OutOfRange { uint count; } out_of_range;

#include "groups.glsl"

// Returns the number of elements with a smaller id. Ids out of range belong to the last bucket, so searches for
// bucket ids do not need to clamp.
uint elements_before(const uint id) {
    uint low = 0;
    uint high = element_count();
    while (low < high) {
        uint middle = low + (high - low) / 2;
        if (raw_bucket(keys.at[middle]) < id) low = middle + 1;
        else high = middle;
    }
    return low;
}

void main() {
    stage_splitters();
    uint bucket = group_index() * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (bucket < push.buckets) offsets.at[bucket] = elements_before(bucket);
    if (bucket == push.buckets) {
        offsets.at[bucket] = element_count();
        if (SORTED_BY_KEY != 0) out_of_range.count = element_count() - elements_before(push.ids);
    }
}
