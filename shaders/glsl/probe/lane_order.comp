#version 460
// Tests for lane order: whether shared-memory atomics of one instruction on the same address execute in lane
// order, and those of a subgroup in program order. Vulkan does not guarantee it, but lane-order ranking relies on
// it.
//
// Each workgroup takes random buckets, with all lanes active or some inactive, and with one row of counters per
// subgroup, or with rows that two subgroups share, each using one half of every word. It increments the counters,
// compares the returned values with ranks computed by shuffles, and adds the number of mismatches to `exceptions`.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require

#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;
layout(constant_id = SUBGROUP_SIZE_ID) const uint SUBGROUP_SIZE = 32;

layout(set = 0, binding = 0, std430) buffer Exceptions { uint count; } exceptions;

layout(push_constant) uniform Push {
    uint seed;
} push;

#include "groups.glsl"

const uint WINDOWS = 8;
const uint BUCKET_BITS = 6;
const uint BUCKETS = 1u << BUCKET_BITS;

// Whether two subgroups share a row of counters. Changes after every 2 * BUCKET_BITS workgroups.
bool shares_rows() {
    return group_index() / (2 * BUCKET_BITS) % 2 == 1;
}

shared uint counters[gl_WorkGroupSize.x / SUBGROUP_SIZE * BUCKETS];

// This lane's bucket in each window, or BUCKETS if the lane is inactive.
uint bucket[WINDOWS];

uint mixed(uint x) {
    x = (x ^ x >> 16) * 0x7FEB352Du;
    x = (x ^ x >> 15) * 0x846CA68Bu;
    return x ^ x >> 16;
}

void choose_buckets() {
    // The number of buckets depends on the workgroup: a power of two from 2 to BUCKETS. Some lanes are inactive in
    // every second run of BUCKET_BITS workgroups.
    uint mask = (2u << group_index() % BUCKET_BITS) - 1;
    bool leaves_out = group_index() / BUCKET_BITS % 2 == 1;
    uint thread = group_index() * gl_WorkGroupSize.x + thread_rank();
    [[unroll]] for (uint w = 0; w < WINDOWS; ++w) {
        uint random = mixed(push.seed ^ mixed(thread * WINDOWS + w));
        bucket[w] = leaves_out && random >> 30 == 0 ? BUCKETS : random & mask;
    }
}

// Returns the rank of this lane in its bucket: the number of lanes with the same bucket in earlier windows, and of
// earlier lanes in this window.
uint lanes_before(uint window) {
    uint count = 0;
    [[unroll]] for (uint w = 0; w < WINDOWS; ++w) {
        if (w > window) continue;
        for (uint lane = 0; lane < SUBGROUP_SIZE; ++lane) {
            bool earlier = w < window || lane < gl_SubgroupInvocationID;
            if (subgroupShuffle(bucket[w], lane) == bucket[window] && earlier) ++count;
        }
    }
    return count;
}

void main() {
    for (uint i = thread_rank(); i < counters.length(); i += gl_WorkGroupSize.x) counters[i] = 0;
    barrier();
    choose_buckets();
    uint row = (shares_rows() ? gl_SubgroupID / 2 : gl_SubgroupID) * BUCKETS;
    uint shift = shares_rows() ? (gl_SubgroupID & 1) * 16 : 0;
    uint half_mask = shares_rows() ? 0xFFFFu : ~0u;
    uint held[WINDOWS];
    [[unroll]] for (uint w = 0; w < WINDOWS; ++w)
        if (bucket[w] < BUCKETS)
            held[w] = atomicAdd(counters[row + bucket[w]], 1u << shift) >> shift & half_mask;
    uint wrong = 0;
    [[unroll]] for (uint w = 0; w < WINDOWS; ++w) {
        uint expected = lanes_before(w);
        if (bucket[w] < BUCKETS && held[w] != expected) ++wrong;
    }
    if (wrong > 0) atomicAdd(exceptions.count, wrong);
}
