#version 460
// Histogram pass of a one-sweep radix sort: computes the histograms of all digits in one read of the keys. One
// workgroup counts a range of keys in shared memory and adds its counts to `histogram`. Rounds in which all keys
// have the same digit are recorded in `noop_flags`.
//
// With HISTOGRAM_PARTS (small sorts), each workgroup writes separate histograms, and also clears a share of the
// look-back status of the rounds.
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
#include "histogram_parts.glsl"

layout(set = 0, binding = 0, std430) readonly buffer Keys { KEY at[]; } keys;
#if KEY_BITS == 32
layout(set = 0, binding = 0, std430) readonly buffer KeysVec4 { uvec4 at[]; } keys_vec4;
#endif
layout(set = 0, binding = 2, std430) buffer Histogram { uint at[]; } histogram;
layout(set = 0, binding = 3, std430) buffer NoopFlags { uint at[]; } noop_flags;  // one word, or one per round and part
layout(set = 0, binding = 7, std430) writeonly buffer Status { uvec4 at[]; } status;

// For each round, a counter for each digit.
shared uint digit_counts[ROUNDS << DIGIT_BITS];

#include "visit_keys.glsl"

void visit_key(const KEY key) {
    KEY image = image_of(key);
    [[unroll]] for (uint round = 0; round < ROUNDS; ++round)
        atomicAdd(digit_counts[round << DIGIT_BITS | digit(image, round)], 1);
}

#if KEY_BITS == 32
void visit_four(const uvec4 four) {
    [[unroll]] for (uint c = 0; c < 4; ++c) visit_key(four[c]);
}
#endif

// Digits that the keys of this part have in common, per round (histogram_parts.glsl).
shared uint common_digits[ROUNDS];

// Initializes shared memory, and clears this workgroup's share of the status of all rounds, which has push.round units
// of 16 bytes.
void begin_part(const bool has_keys) {
    for (uint i = thread_rank(); i < ROUNDS << DIGIT_BITS; i += gl_WorkGroupSize.x) digit_counts[i] = 0;
    uint threads = HISTOGRAM_PARTS * gl_WorkGroupSize.x;
    for (uint i = group_index() * gl_WorkGroupSize.x + thread_rank(); i < push.round; i += threads)
        status.at[i] = uvec4(0);
    for (uint round = thread_rank(); round < ROUNDS; round += gl_WorkGroupSize.x)
        common_digits[round] = has_keys ? DIFFERENT_DIGITS : NO_DIGITS;
}

// Writes the counts of a part. They are not shared with other workgroups and need not be cleared before.
void write_counts(const uint part, const uint part_keys) {
    for (uint i = thread_rank(); i < ROUNDS << DIGIT_BITS; i += gl_WorkGroupSize.x) {
        uint round = i >> DIGIT_BITS;
        uint d = i & ((1u << DIGIT_BITS) - 1);
        uint count = digit_counts[i];
        histogram.at[part_begin(round, part, 1u << DIGIT_BITS) + d] = count;
        if (count > 0 && count == part_keys) common_digits[round] = one_digit(d);
    }
    barrier();
    for (uint round = thread_rank(); round < ROUNDS; round += gl_WorkGroupSize.x)
        noop_flags.at[round * HISTOGRAM_PARTS + part] = common_digits[round];
}

// Counts one of HISTOGRAM_PARTS parts; the last ones may be empty.
void count_part() {
    uint part = HISTOGRAM_PARTS - 1 - group_index();
    uint length = gl_WorkGroupSize.x * ITEMS * push.parts;
    uint first = min(part * length, element_count());
    uint end = min(first + length, element_count());
    begin_part(first < end);
    barrier();
    visit_keys(first, end, thread_rank(), gl_WorkGroupSize.x);
    barrier();
    write_counts(part, end - first);
}

void main() {
    if (HISTOGRAM_PARTS > 0) {
        if (group_index() < HISTOGRAM_PARTS) count_part();
        return;
    }
    if (group_index() >= subproblem_count()) return;
    // In reverse order, so that the first round finds the beginning of the keys in the cache.
    uint part = group_index_from_end(subproblem_count());
    for (uint i = thread_rank(); i < ROUNDS << DIGIT_BITS; i += gl_WorkGroupSize.x) digit_counts[i] = 0;
    barrier();
    uint length = gl_WorkGroupSize.x * ITEMS * push.parts;
    uint first = part * length;
    visit_keys(first, min(first + length, element_count()), thread_rank(), gl_WorkGroupSize.x);
    barrier();
    for (uint i = thread_rank(); i < ROUNDS << DIGIT_BITS; i += gl_WorkGroupSize.x) {
        uint count = digit_counts[i];
        if (count == 0) continue;
        uint earlier = atomicAdd(histogram.at[i], count);
        // All keys have this digit: the round is a no-op.
        if (earlier + count == element_count()) atomicOr(noop_flags.at[0], 1u << (i >> DIGIT_BITS));
    }
}
