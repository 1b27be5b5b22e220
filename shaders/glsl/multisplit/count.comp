#version 460
// How many keys each bucket has, for more buckets than shared memory holds counters for.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "multisplit.glsl"
#include "bucket.glsl"
layout(set = 0, binding = 2, std430) buffer Histogram { uint at[]; } histogram;
#include "out_of_range.glsl"

#include "groups.glsl"
#include "each.glsl"

const uint NO_BUCKET = ~0u;

void main() {
    stage_splitters();
    uint count = element_count();
    [[unroll]] for (uint k = 0; k < EACH; ++k) {
        uint i = element_index(k);
        uint bucket = i < count ? counted_bucket(keys.at[i]) : NO_BUCKET;
        // Where most keys are of one bucket, the subgroup most likely begins with one of them:
        // added up first, they do not queue for one word.
        uint first = subgroupBroadcastFirst(bucket);
        uint same = subgroupBallotBitCount(subgroupBallot(bucket == first));
        if (bucket != NO_BUCKET) {
            if (bucket != first) atomicAdd(histogram.at[bucket], 1);
            else if (subgroupElect()) atomicAdd(histogram.at[bucket], same);
        }
    }
    report_out_of_range();
}
