#version 460
// Last pass of a counting sort: writes each value as often as it was counted. One workgroup writes one tile with `EACH`
// vectors of 16 bytes per thread: it finds the range of values in the tile by binary search, and then each thread finds
// the values of its vectors within that range.
//
// 16-bit keys: `begins` is the exclusive scan of the histogram. 8-bit keys: `begins` has the histograms of sort.count,
// which each workgroup adds up and scans in shared memory.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require

#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;
// Whether there is a histogram per part of the keys, instead of one.
layout(constant_id = SEPARATE_HISTOGRAMS_ID) const uint SEPARATE_HISTOGRAMS = 0;

#include "narrow_key.glsl"

// Read only if keys do not fill the last word.
layout(set = 0, binding = 0, std430) buffer Keys { uint at[]; } keys;
layout(set = 0, binding = 0, std430) buffer KeysVec4 { uvec4 at[]; } keys_vec4;
layout(set = 0, binding = 1, std430) readonly buffer Begins { uint at[]; } begins;
layout(set = 0, binding = 1, std430) readonly buffer Histograms { uvec4 at[]; } histograms;

layout(push_constant) uniform Push {
    uint count;       // keys
    uint descending;  // whether the order is descending
    uint parts;       // number of parts of the keys
} push;

#include "count.glsl"
#include "groups.glsl"
#include "each.glsl"
#include "subgroup_sums.glsl"

const uint LAST_VALUE = NARROW_MASK;
const uint KEYS_OF_VECTOR = 4 * KEYS_OF_WORD;

// Number of values whose runs are scanned in shared memory; for 16-bit keys, a placeholder.
const uint SCANNED_VALUES = NARROW_BITS == 8 ? 256 : 1;
// The place at which the run of each 8-bit value begins.
shared uint shared_begins[SCANNED_VALUES];

// Adds up `count` histograms. Called by all threads; ends with a barrier.
void add_histograms(uint count) {
    for (uint value = thread_rank(); value < SCANNED_VALUES; value += gl_WorkGroupSize.x) shared_begins[value] = 0;
    barrier();
    const uint vectors = SCANNED_VALUES / 4;
    for (uint v = thread_rank(); v < count * vectors; v += gl_WorkGroupSize.x) {
        uvec4 counts = histograms.at[v];
        [[unroll]] for (uint c = 0; c < 4; ++c)
            if (counts[c] != 0) atomicAdd(shared_begins[4 * (v % vectors) + c], counts[c]);
    }
    barrier();
}

// Replaces the counts of the values by the places at which their runs begin: an exclusive scan. Called by all threads;
// ends with a barrier.
void scan_counts() {
    uint carry = 0;
    for (uint first = 0; first < SCANNED_VALUES; first += gl_WorkGroupSize.x) {
        uint value = first + thread_rank();
        uint count = value < SCANNED_VALUES ? shared_begins[value] : 0;
        uint through = subgroupInclusiveAdd(count);
        uint total;
        uint earlier = sum_of_earlier_subgroups(subgroupShuffle(through, gl_SubgroupSize - 1), total);
        if (value < SCANNED_VALUES) shared_begins[value] = carry + earlier + through - count;
        carry += total;
        barrier();
    }
}

// Returns the place at which the run of a value begins.
uint begin_of(uint value) {
    return NARROW_BITS == 8 ? shared_begins[value] : begins.at[value];
}

// Returns the last value in [low, high] whose run begins at or before `place`; the run of `low` must. This is the run
// that contains `place`, because an empty run begins at the same place as the next run.
uint run_at(uint low, uint high, uint place) {
    while (low < high) {
        uint middle = (low + high + 1) / 2;
        if (begin_of(middle) <= place) low = middle;
        else high = middle - 1;
    }
    return low;
}

// Returns the end of a value's run. The run of the tile's last value is treated as unbounded.
uint end_of_run(uint value, uint last_value) {
    return value < last_value ? begin_of(value + 1) : ~0u;
}

// Converts a word of packed values to keys.
uint keys_of_values(uint values) {
    return keys_from_ordered(push.descending != 0 ? ~values : values);
}

// Returns the keys of the vector of places that starts at `first`. Their values are between `low` and `last_value`.
uvec4 keys_from(uint first, uint low, uint last_value) {
    uint value = run_at(low, last_value, first);
    uint end = end_of_run(value, last_value);
    if (end - first >= KEYS_OF_VECTOR) return uvec4(keys_of_values(value * LOW_BITS));
    uvec4 values = uvec4(0);
    [[unroll]] for (uint c = 0; c < 4; ++c) {
        [[unroll]] for (uint k = 0; k < KEYS_OF_WORD; ++k) {
            uint place = first + c * KEYS_OF_WORD + k;
            if (place >= end) {
                value = run_at(value + 1, last_value, place);
                end = end_of_run(value, last_value);
            }
            values[c] |= value << (k * NARROW_BITS);
        }
    }
    [[unroll]] for (uint c = 0; c < 4; ++c) values[c] = keys_of_values(values[c]);
    return values;
}

// Writes the first `held` keys of a vector, and leaves the other bytes in memory unchanged.
void store_words(uint vector, uvec4 words, uint held) {
    [[unroll]] for (uint c = 0; c < 4; ++c) {
        if (c * KEYS_OF_WORD >= held) continue;
        uint kept = ~bits_of_keys(held - c * KEYS_OF_WORD);
        uint at = 4 * vector + c;
        keys.at[at] = kept != 0 ? (keys.at[at] & kept) | (words[c] & ~kept) : words[c];
    }
}

void main() {
    uint count = resolved_count(push.count);
    uint tile = EACH * gl_WorkGroupSize.x * KEYS_OF_VECTOR;
    uint tile_first = group_index() * tile;
    if (tile_first >= count) return;
    if (NARROW_BITS == 8) {
        add_histograms(SEPARATE_HISTOGRAMS != 0 ? resolved_count(push.parts) : 1);
        scan_counts();
    }
    uint low = run_at(0, LAST_VALUE, tile_first);
    uint high = run_at(low, LAST_VALUE, min(tile_first + tile, count) - 1);
    [[unroll]] for (uint k = 0; k < EACH; ++k) {
        uint vector = element_index(k);
        uint first = vector * KEYS_OF_VECTOR;
        if (first >= count) continue;
        uvec4 words = keys_from(first, low, high);
        if (first + KEYS_OF_VECTOR <= count) keys_vec4.at[vector] = words;
        else store_words(vector, words, count - first);
    }
}
