#version 460
// First pass of top-k with candidates: writes the maxima of small groups of elements, sampled from the whole row, from
// which the next pass estimates a threshold. One workgroup handles TAKEN samples per thread. The first workgroup of a
// row also clears the counters of later passes. docs/kernels.md, "Top-k", shows how the passes work together.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;
layout(constant_id = GROUP_ELEMENTS_ID) const uint GROUP_ELEMENTS = 1;  // elements per group: a power of two

#include "topk.glsl"

layout(set = 0, binding = 0, std430) readonly buffer Keys { KEY at[]; } keys;
layout(set = 0, binding = 1, std430) writeonly buffer Maxima { KEY at[]; } maxima;
layout(set = 0, binding = 2, std430) writeonly buffer State { uint at[]; } state;
layout(set = 0, binding = 3, std430) writeonly buffer Digits { uint at[]; } digits;

// Samples per thread.
const uint TAKEN = 16;
// Adjacent elements that are sampled together: a memory sector of 32 bytes.
const uint CLUSTER = 256 / KEY_BITS;

shared KEY held[gl_WorkGroupSize.x];

// Returns the position of sample s in its row. Clusters have equal distances, plus a pseudorandom shift, so that
// periodic data is not always sampled at the same phase.
uint sample_place(uint s, uint n) {
    uint cluster = s / CLUSTER;
    uint distance = max(n / (push.samples / CLUSTER), 1);
    uint room = distance > CLUSTER ? distance - CLUSTER + 1 : 1;
    uint moved;
    uint fraction;
    umulExtended(cluster * 0x9E3779B9u, room, moved, fraction);
    return min(cluster * distance + moved + s % CLUSTER, n - 1);
}

// Returns whether sample s is used. With more clusters than elements, the last clusters would all sample the last
// element again.
bool is_inside(uint s, uint n) {
    uint clusters = push.samples / CLUSTER;
    return s / CLUSTER < n || clusters <= n;
}

// Clears the counters that later passes use for this row. Called by all threads.
void clear_counters(uint row) {
    if (gl_LocalInvocationIndex == 0) state.at[row * STATE_WORDS + STATE_CANDIDATES] = 0;
    for (uint b = gl_LocalInvocationIndex; b < DIGIT_BINS; b += gl_WorkGroupSize.x)
        digits.at[bins_of_digit(row, 0) + b] = 0;
}

void main() {
    uint row = group_index() / push.parts;
    uint part = group_index() % push.parts;
    if (row >= push.rows) return;
    if (part == 0) clear_counters(row);
    uint n = row_length();
    if (n == 0) return;
    KEY taken[TAKEN];
    [[unroll]] for (uint j = 0; j < TAKEN; ++j) {
        uint s = (part * TAKEN + j) * gl_WorkGroupSize.x + thread_rank();
        taken[j] = is_inside(s, n) ? image(keys.at[row * n + sample_place(s, n)]) : KEY(0);
    }
    uint first = row * push.maxima;
    KEY largest = KEY(0);
    uint group = (part * gl_WorkGroupSize.x + thread_rank()) * (TAKEN / min(GROUP_ELEMENTS, TAKEN));
    [[unroll]] for (uint j = 0; j < TAKEN; ++j) {
        largest = max(largest, taken[j]);
        if (GROUP_ELEMENTS < TAKEN && (j + 1) % GROUP_ELEMENTS == 0) {
            maxima.at[first + group] = largest;
            group += 1;
            largest = KEY(0);
        }
    }
    if (GROUP_ELEMENTS < TAKEN) return;
    // Each group spans one or more threads.
    const uint groups = gl_WorkGroupSize.x * TAKEN / GROUP_ELEMENTS;
    held[thread_rank()] = largest;
    barrier();
    if (thread_rank() < groups) {
        for (uint other = thread_rank(); other < gl_WorkGroupSize.x; other += groups)
            largest = max(largest, held[other]);
        maxima.at[first + part * groups + thread_rank()] = largest;
    }
}
