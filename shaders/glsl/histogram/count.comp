#version 460
// Counts samples by bin. Tiles are distributed round-robin over the workgroups. Each workgroup counts in shared memory,
// in registers or directly in the output (bin_counters.glsl), and adds its own counters to the output once, at the end.
// Steps: copy the bin tables, clear the counters, count vectors of 16 bytes (if PACKED) and then single elements,
// add to the output. The method is the block-level prescan of GPU Multisplit (Ashkiani et al. 2017), but it does not
// write a histogram per tile.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#if SAMPLE_BITS == 64
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#endif

#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "histogram.glsl"
#include "sample.glsl"
#include "bins.glsl"
#include "groups.glsl"
#include "bin_counters.glsl"

// Returns the index of a channel among the counted channels.
uint active_index_of(uint channel) {
    return bitCount(ACTIVE & ((1u << channel) - 1));
}

bool is_active(uint channel) {
    return ((ACTIVE >> channel) & 1) != 0;
}

// Counts samples of a vector by their exact bins. `unsure` has one bit for each of them: those that likely_bin() could
// not decide, or, if UNSURE_TOGETHER, all counted ones.
void count_unsure(uvec4 loaded, uint unsure) {
    while (unsure != 0) {
        uint i = findLSB(unsure);
        unsure &= unsure - 1;
        count_bin(active_index_of(i % CHANNELS), bin_of(picked_sample(loaded, i)), 1, true);
    }
}

// Whether the exact bin of each sample is computed at once, so that no sample is unsure. Ballots need this, because
// the whole subgroup votes for a sample. With many even bins, so many samples are near an edge that most subgroups
// would diverge.
const bool EXACT_AT_ONCE = METHOD == METHOD_BALLOTS || EXACT != 0;

// Whether all samples of a vector get their exact bins if one of them is unsure. For few even bins of floats, few
// samples are near an edge, and one test per vector is faster than one per sample.
const bool UNSURE_TOGETHER = !EXACT_AT_ONCE && BIN_KIND == BIN_EVEN_FLOAT;

// Counts the samples of 16 bytes. Called by whole subgroups.
void count_vector(uvec4 loaded, bool takes_part) {
    uint bins[PER_VECTOR];
    uint unsure = 0, counted = 0;
    bool some_unsure = false;
    // All bins are computed before counters are updated, so that latencies overlap.
    [[unroll]] for (uint i = 0; i < PER_VECTOR; ++i) {
        if (is_active(i % CHANNELS)) {
            bool is_unsure = false;
            if (EXACT_AT_ONCE) bins[i] = bin_of(sample_in(loaded, i));
            else bins[i] = likely_bin(sample_in(loaded, i), is_unsure);
            counted |= 1u << i;
            if (UNSURE_TOGETHER) some_unsure = some_unsure || is_unsure;
            else if (is_unsure) unsure |= 1u << i;
        }
    }
    if (UNSURE_TOGETHER && some_unsure) {
        if (takes_part) count_unsure(loaded, counted);
        return;
    }
    [[unroll]] for (uint i = 0; i < PER_VECTOR; ++i)
        if (is_active(i % CHANNELS))
            count_bin(active_index_of(i % CHANNELS), bins[i], 1, takes_part && (unsure & (1u << i)) == 0);
    if (!EXACT_AT_ONCE && !UNSURE_TOGETHER && takes_part) count_unsure(loaded, unsure);
}

uint group_count() {
    return gl_NumWorkGroups.x * gl_NumWorkGroups.y;
}

// Returns the index of the subgroup's first thread in the whole dispatch.
uint first_of_subgroup() {
    return (group_index() * gl_NumSubgroups + gl_SubgroupID) * SUBGROUP_SIZE;
}

// Counts elements 16 bytes at a time and returns the first element that is left.
uint count_vectors(uint count) {
    const uint elements_of_vector = max(PER_VECTOR / CHANNELS, 1);
    const uint tile = gl_WorkGroupSize.x * LOADS;
    uint vectors = count / elements_of_vector;
    uint tiles = vectors / tile;
    for (uint t = group_index(); t < tiles; t += group_count()) {
        uvec4 loaded[LOADS];
        [[unroll]] for (uint k = 0; k < LOADS; ++k)
            loaded[k] = samples_vec4.at[t * tile + k * gl_WorkGroupSize.x + thread_rank()];
        [[unroll]] for (uint k = 0; k < LOADS; ++k) count_vector(loaded[k], true);
    }
    // Whole subgroups stay in the loop, as ballots require.
    for (uint first = tiles * tile + first_of_subgroup(); first < vectors; first += group_count() * gl_WorkGroupSize.x) {
        uint v = first + gl_SubgroupInvocationID;
        bool takes_part = v < vectors;
        count_vector(takes_part ? samples_vec4.at[v] : uvec4(0), takes_part);
    }
    return vectors * elements_of_vector;
}

// Counts the elements from `begin` on, one per thread and iteration.
void count_elements(uint begin, uint count) {
    uint step = group_count() * gl_WorkGroupSize.x;
    uint first = begin + first_of_subgroup();
    // A count of rounds, unlike an element index, cannot overflow: there may be almost 2^32 elements.
    uint rounds = first < count ? (count - first - 1) / step + 1 : 0;
    for (uint round = 0; round < rounds; ++round) {
        uint left = count - first - round * step;
        uint e = first + round * step + gl_SubgroupInvocationID;
        bool takes_part = gl_SubgroupInvocationID < left;
        uint weight = 1;
        if (WEIGHT != WEIGHT_NONE && takes_part) weight = weights.at[e];
        [[unroll]] for (uint channel = 0; channel < CHANNELS; ++channel) {
            if (is_active(channel)) {
                SAMPLE bits = SAMPLE(0);
                if (takes_part) bits = sample_at(push.first_byte + e * push.stride + channel * SAMPLE_BYTES);
                count_bin(active_index_of(channel), bin_of(bits), weight, takes_part);
            }
        }
    }
}

void main() {
    stage_bins();
    begin_counting();
    barrier();
    uint count = element_count();
    uint counted = 0;
    if (PACKED != 0) counted = count_vectors(count);
    count_elements(counted, count);
    end_counting();
}
