#version 460
// Binary search: writes, for each needle, the number of elements of a sorted array that come before it. That is the
// lower bound, or the upper bound if elements equal to the needle are counted too (`upper`). One workgroup handles
// ROUNDS * NEEDLES needles per thread.
//
// A search proceeds by powers of two: if `found` elements are known to come before the needle, it tests element
// found + step - 1. As long as steps are multiples of `stride`, only the last element of each stride is tested.
// These elements, the top of the search tree, are first copied to shared memory.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require

#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;
layout(constant_id = KEY_KIND_ID) const uint KEY_KIND = 0;
layout(constant_id = ROUNDS_ID) const uint ROUNDS = 4;  // batches of NEEDLES per thread that a workgroup handles

#if KEY_BITS == 64
#define KEY uint64_t
#else
#define KEY uint
#endif

layout(set = 0, binding = 0, std430) readonly buffer Sorted { KEY at[]; } sorted;
layout(set = 0, binding = 1, std430) readonly buffer Needles { KEY at[]; } needles;
layout(set = 0, binding = 2, std430) writeonly buffer Positions { uint at[]; } positions;

layout(push_constant) uniform Push {
    uint count;         // needles
    uint sorted_count;  // size of the sorted array, or its upper bound
    uint sorted_index;  // index of the device count of the sorted array
    uint upper;         // whether equal elements come before a needle
} push;

#include "count.glsl"
#include "count_word.glsl"
#include "groups.glsl"
#include "key_order.glsl"

// Concurrent searches per thread.
const uint NEEDLES = 4;
// The top of the search tree. kernels.txt defines TOP, its capacity in elements.
shared KEY top[TOP];

bool is_before(KEY element, KEY needle) {
    return push.upper != 0 ? element <= needle : element < needle;
}

// Returns the largest power of two that does not exceed x; 0 for 0.
uint top_step(uint x) {
    return x == 0 ? 0 : 1u << findMSB(x);
}

void main() {
    uint count = resolved_count(push.count);
    uint n = resolved_other(push.sorted_count, push.sorted_index);
    uint first = group_index() * gl_WorkGroupSize.x * NEEDLES * ROUNDS;
    if (first >= count) return;

    uint stride = 1;
    while (n / stride > TOP) stride *= 2;
    uint strides = n / stride;
    for (uint i = thread_rank(); i < strides; i += gl_WorkGroupSize.x)
        top[i] = ordered(sorted.at[(i + 1) * stride - 1]);
    barrier();

    for (uint round = 0; round < ROUNDS; ++round) {
        uint at = first + round * gl_WorkGroupSize.x * NEEDLES + thread_rank();
        KEY needle[NEEDLES];
        uint found[NEEDLES];
        [[unroll]] for (uint k = 0; k < NEEDLES; ++k) {
            uint i = at + k * gl_WorkGroupSize.x;
            needle[k] = i < count ? ordered(needles.at[i]) : KEY(0);
            found[k] = 0;
        }
        for (uint step = top_step(strides); step > 0; step >>= 1)
            [[unroll]] for (uint k = 0; k < NEEDLES; ++k) {
                uint probe = found[k] + step;
                if (probe <= strides && is_before(top[probe - 1], needle[k])) found[k] = probe;
            }
        [[unroll]] for (uint k = 0; k < NEEDLES; ++k) found[k] *= stride;
        for (uint step = stride / 2; step > 0; step >>= 1)
            [[unroll]] for (uint k = 0; k < NEEDLES; ++k) {
                uint probe = found[k] + step;
                if (probe <= n && is_before(ordered(sorted.at[probe - 1]), needle[k])) found[k] = probe;
            }
        [[unroll]] for (uint k = 0; k < NEEDLES; ++k) {
            uint i = at + k * gl_WorkGroupSize.x;
            if (i < count) positions.at[i] = found[k];
        }
    }
}
