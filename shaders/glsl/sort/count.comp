#version 460
// Counting pass of a counting sort of narrow keys: counts the occurrences of each value.
//
// Counters for all 16-bit values may exceed the shared memory. One workgroup therefore handles one part of the keys
// and one slice of the values. The workgroups of the same part have adjacent indices and usually run concurrently, so
// most of them find the keys in the cache. Each adds its counts to `histogram`, or, with SEPARATE_HISTOGRAMS, writes a
// histogram per part. Separate histograms need no pass that clears them.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require

#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;
layout(constant_id = ROOM_ID) const uint ROOM = 256;  // values per slice, an even number

// Whether each part has its own histogram. Requires 8-bit keys and a single slice.
layout(constant_id = SEPARATE_HISTOGRAMS_ID) const uint SEPARATE_HISTOGRAMS = 0;

#include "narrow_key.glsl"

layout(set = 0, binding = 0, std430) readonly buffer Keys { uint at[]; } keys;
layout(set = 0, binding = 0, std430) readonly buffer KeysVec4 { uvec4 at[]; } keys_vec4;
layout(set = 0, binding = 1, std430) buffer Histogram { uint at[]; } histogram;

layout(push_constant) uniform Push {
    uint count;       // keys
    uint parts;       // number of parts of the keys
    uint part;        // keys per part, a multiple of the keys in 16 bytes
    uint slices;      // number of slices of the values
    uint descending;  // whether values are counted in descending order
} push;

#include "count.glsl"
#include "groups.glsl"

// 8-bit values have one counter per word. 16-bit values share a word between two counters of 16 bits.
const bool IN_HALVES = NARROW_BITS == 16;
const uint COUNTER_WORDS = NARROW_BITS == 16 ? ROOM / 2 : ROOM;
shared uint counters[COUNTER_WORDS];

const uint KEYS_OF_VECTOR = 4 * KEYS_OF_WORD;
// Vectors in flight per thread.
const uint LOADS = 4;
const uint BATCH = LOADS * gl_WorkGroupSize.x;
// Maximum number of keys between two checks for counters that may overflow, and the same in batches (at least one).
const uint MAX_CHUNK = 49152;
const uint SOME_BATCHES = MAX_CHUNK / (BATCH * KEYS_OF_VECTOR);
const uint BATCHES = SOME_BATCHES > 0 ? SOME_BATCHES : 1;
// A 16-bit counter above this limit could overflow before the next check, or with the remaining keys at the end.
const uint MAX_HELD = 65535 - (BATCHES * BATCH + 1) * KEYS_OF_VECTOR;

uint slice_first;

// Counts a value if it is in this workgroup's slice.
void count_value(uint value) {
    uint at = value - slice_first;
    if (at >= ROOM) return;
    if (IN_HALVES) atomicAdd(counters[at / 2], 1u << (16 * (at & 1)));
    else atomicAdd(counters[at], 1);
}

// Counts the first `held` keys of a word.
void count_word(uint word, uint held) {
    uint values = ordered_keys(word);
    if (push.descending != 0) values = ~values;
    [[unroll]] for (uint k = 0; k < KEYS_OF_WORD; ++k)
        if (k < held) count_value(narrow_key(values, k));
}

void add_to_histogram(uint at, uint count) {
    if (count != 0) atomicAdd(histogram.at[slice_first + at], count);
}

// Moves counters above MAX_HELD to the histogram. Called by all threads, between barriers.
void flush_large_counters() {
    for (uint i = thread_rank(); i < COUNTER_WORDS; i += gl_WorkGroupSize.x) {
        uint word = counters[i];
        uint kept = word;
        if ((word & 0xFFFFu) > MAX_HELD) {
            add_to_histogram(2 * i, word & 0xFFFFu);
            kept &= 0xFFFF0000u;
        }
        if (word >> 16 > MAX_HELD) {
            add_to_histogram(2 * i + 1, word >> 16);
            kept &= 0xFFFFu;
        }
        if (kept != word) counters[i] = kept;
    }
}

// Counts one batch of vectors in [first, end).
void count_batch(uint first, uint end) {
    uvec4 loaded[LOADS];
    [[unroll]] for (uint k = 0; k < LOADS; ++k) {
        uint v = first + k * gl_WorkGroupSize.x + thread_rank();
        if (v < end) loaded[k] = keys_vec4.at[v];
    }
    [[unroll]] for (uint k = 0; k < LOADS; ++k) {
        if (first + k * gl_WorkGroupSize.x + thread_rank() >= end) continue;
        [[unroll]] for (uint c = 0; c < 4; ++c) count_word(loaded[k][c], KEYS_OF_WORD);
    }
}

// Counts the keys [first, end). Called by all threads.
void count_part(uint first, uint end) {
    uint v = first / KEYS_OF_VECTOR;
    uint vectors_end = end / KEYS_OF_VECTOR;
    while (v < vectors_end) {
        for (uint b = 0; b < BATCHES && v < vectors_end; ++b) {
            count_batch(v, vectors_end);
            v += BATCH;
        }
        if (IN_HALVES) {
            barrier();
            flush_large_counters();
            barrier();
        }
    }
    uint begin = vectors_end * KEYS_OF_VECTOR + thread_rank() * KEYS_OF_WORD;
    if (thread_rank() < 4 && begin < end) count_word(keys.at[begin / KEYS_OF_WORD], end - begin);
}

void main() {
    uint part = group_index() / push.slices;
    if (part >= resolved_count(push.parts)) return;
    slice_first = group_index() % push.slices * ROOM;
    for (uint i = thread_rank(); i < COUNTER_WORDS; i += gl_WorkGroupSize.x) counters[i] = 0;
    barrier();
    uint first = part * push.part;
    count_part(first, min(first + push.part, resolved_count(push.count)));
    barrier();
    for (uint i = thread_rank(); i < COUNTER_WORDS; i += gl_WorkGroupSize.x) {
        uint word = counters[i];
        if (IN_HALVES) {
            add_to_histogram(2 * i, word & 0xFFFFu);
            add_to_histogram(2 * i + 1, word >> 16);
        } else if (SEPARATE_HISTOGRAMS != 0) {
            histogram.at[part * ROOM + i] = word;
        } else {
            add_to_histogram(i, word);
        }
    }
}
