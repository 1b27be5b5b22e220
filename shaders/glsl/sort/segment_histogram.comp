#version 460
// First pass over the large segments of a segmented sort: computes the histograms of all digits of each segment in one
// read of the keys. One workgroup counts one tile in shared memory and adds its counts to the histograms of the tile's
// segment, which sort/segment_spread.comp has cleared.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;
layout(constant_id = ITEMS_ID) const uint ITEMS = 16;   // keys per thread and tile
layout(constant_id = ROUNDS_ID) const uint ROUNDS = 4;  // digits per key

#include "groups.glsl"
#include "digits.glsl"
#include "segments.glsl"

layout(set = 0, binding = 0, std430) readonly buffer Keys { KEY at[]; } keys;
layout(set = 0, binding = 2, std430) buffer Histogram { uint at[]; } histogram;
layout(set = 0, binding = 3, std430) readonly buffer Tiles { LargeSegment at[]; } tiles;

// For each round, a counter for each digit.
shared uint digit_counts[ROUNDS << DIGIT_BITS];

void count_digits(const KEY key) {
    // If there are no bits to sort by, all keys are equal, and elements keep their order.
    KEY image = push.bit_count == 0 ? KEY(0) : image_of(key);
    [[unroll]] for (uint round = 0; round < ROUNDS; ++round)
        atomicAdd(digit_counts[round << DIGIT_BITS | digit(image, round)], 1);
}

void main() {
    if (group_index() >= subproblem_count()) return;
    uint tile = group_index_from_end(subproblem_count());
    for (uint i = thread_rank(); i < ROUNDS << DIGIT_BITS; i += gl_WorkGroupSize.x) digit_counts[i] = 0;
    barrier();
    uint length = gl_WorkGroupSize.x * ITEMS * push.parts;
    LargeSegment segment = tiles.at[tile];
    uint first = segment.begin + (tile - segment.first_tile) * length;
    uint end = min(first + length, segment.end);
    for (uint i = first + thread_rank(); i < end; i += gl_WorkGroupSize.x) count_digits(keys.at[i]);
    barrier();
    for (uint i = thread_rank(); i < ROUNDS << DIGIT_BITS; i += gl_WorkGroupSize.x) {
        uint count = digit_counts[i];
        if (count != 0) atomicAdd(histogram.at[segment.number * (ROUNDS << DIGIT_BITS) + i], count);
    }
}
