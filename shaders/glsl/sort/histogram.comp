#version 460
// First pass of a one-sweep radix sort: the histograms of all digits, in one read of the keys. With
// SEGMENTS each of these has its own, and a workgroup counts one of their tiles.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;
layout(constant_id = ITEMS_ID) const uint ITEMS = 16;   // keys per thread in a part
layout(constant_id = ROUNDS_ID) const uint ROUNDS = 4;  // digits of a key

#define ALL_DIGITS
#include "multisplit.glsl"
#include "ordered.glsl"
layout(set = 0, binding = 2, std430) buffer Histogram { uint at[]; } histogram;
#ifdef SEGMENTS
layout(set = 0, binding = 3, std430) readonly buffer Tiles { LargeSegment at[]; } tiles;
#else
layout(set = 0, binding = 3, std430) buffer Idle { uint rounds; } idle;
#endif

#include "groups.glsl"
#include "digits.glsl"

shared uint digit_counts[ROUNDS << DIGIT_BITS];

void count_digits(KEY key) {
    KEY image = digits_of(key);
    [[unroll]] for (uint round = 0; round < ROUNDS; ++round)
        atomicAdd(digit_counts[round << DIGIT_BITS | digit(image, round)], 1);
}

#define VISIT_KEY(key) count_digits(key)
#include "visit_keys.glsl"

void main() {
    if (group_index() >= subproblem_count()) return;
    // From the end, so that the first round finds the beginning in a cache.
    uint part = group_index_from_end(subproblem_count());
    for (uint i = thread_rank(); i < ROUNDS << DIGIT_BITS; i += gl_WorkGroupSize.x) digit_counts[i] = 0;
    barrier();
    uint length = gl_WorkGroupSize.x * ITEMS * push.parts;
#ifdef SEGMENTS
    segment = tiles.at[part];
    uint first = segment.begin + (part - segment.first_tile) * length;
#else
    uint first = part * length;
#endif
    visit_keys(first, min(first + length, element_count()));
    barrier();
    for (uint i = thread_rank(); i < ROUNDS << DIGIT_BITS; i += gl_WorkGroupSize.x) {
        uint count = digit_counts[i];
        if (count == 0) continue;
#ifdef SEGMENTS
        atomicAdd(histogram.at[segment.number * (ROUNDS << DIGIT_BITS) + i], count);
#else
        uint earlier = atomicAdd(histogram.at[i], count);
        // All keys have this digit, so that the round will have nothing to do.
        if (earlier + count == element_count()) atomicOr(idle.rounds, 1u << (i >> DIGIT_BITS));
#endif
    }
}
