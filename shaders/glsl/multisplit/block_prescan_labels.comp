#version 460
// Prescan of the block-level multisplit for expensive bucket functions. One workgroup handles one subproblem: it
// writes the bucket of each key as a label, for the postscan, and the histogram of the subproblem. Subgroups take
// the subproblem's stretches (labels.glsl) in turn; labels are counted in shared memory.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;
layout(constant_id = ITEMS_ID) const uint ITEMS = 8;
layout(constant_id = COUNTER_COPIES_ID) const uint COUNTER_COPIES = 1;

#include "multisplit.glsl"
#include "bucket.glsl"
layout(set = 0, binding = 2, std430) writeonly buffer Histogram { uint at[]; } histogram;
#include "out_of_range.glsl"
layout(set = 0, binding = 4, std430) writeonly buffer Labels { uint at[]; } labels;

#include "groups.glsl"
#include "labels.glsl"

const uint COUNTERS = 1u << BUCKET_BITS;
// Several copies, to reduce contention between subgroups.
shared uint counters[COUNTERS * COUNTER_COPIES];

// A stretch is labelled in chunks of at most this many words per lane: large enough to have many loads in flight,
// small enough for the registers.
const uint MAX_WORDS = 4;
const uint CHUNK_WORDS = LABEL_WORDS > MAX_WORDS ? (LABEL_WORDS + 1) / 2 : LABEL_WORDS;
const uint CHUNK = CHUNK_WORDS * LABELS_OF_WORD;

// Writes and counts the labels of this lane's keys in a chunk of a stretch. `whole`, a compile-time constant after
// inlining, means that no key is missing. All keys are loaded first, without branches. For a missing key another
// one is loaded, so the bucket function is never called for an invalid key; its label is the last bucket, as the
// postscan expects.
void label_chunk(const uint stretch, const uint first_word, const bool whole) {
    uint count = element_count();
    uint first_window = first_word * LABELS_OF_WORD;
    uint first = (stretch * ITEMS + first_window) * SUBGROUP_SIZE + gl_SubgroupInvocationID;
    KEY loaded[CHUNK];
    [[unroll]] for (uint w = 0; w < CHUNK; ++w) {
        uint i = first + w * SUBGROUP_SIZE;
        if (first_window + w < ITEMS) loaded[w] = keys.at[whole ? i : min(i, count - 1)];
    }

    uint words[CHUNK_WORDS];
    [[unroll]] for (uint k = 0; k < CHUNK_WORDS; ++k) words[k] = 0;
    uint unsure_keys = 0;
    [[unroll]] for (uint w = 0; w < CHUNK; ++w) {
        if (first_window + w >= ITEMS) continue;
        bool is_there = whole || first + w * SUBGROUP_SIZE < count;
        bool unsure;
        uint id = likely_raw_bucket(loaded[w], unsure);
        if (COUNT_OUT_OF_RANGE != 0 && is_there && id >= push.ids) ++out_of_range_here;
        uint bucket = is_there ? part_of_id(min(id, push.ids - 1)) : push.buckets - 1;
        if (unsure && is_there) unsure_keys |= 1u << w;
        words[w / LABELS_OF_WORD] |= bucket << w % LABELS_OF_WORD * 8;
    }
    if (SEARCHES) {
        while (unsure_keys != 0) {
            uint w = findLSB(unsure_keys);
            unsure_keys &= unsure_keys - 1;
            uint bucket = bucket_at(keys.at[first + w * SUBGROUP_SIZE]);
            uint shift = w % LABELS_OF_WORD * 8;
            [[unroll]] for (uint k = 0; k < CHUNK_WORDS; ++k)
                if (k == w / LABELS_OF_WORD) words[k] = words[k] & ~(0xFFu << shift) | bucket << shift;
        }
    }

    uint copy = gl_SubgroupID % COUNTER_COPIES * COUNTERS;
    [[unroll]] for (uint w = 0; w < CHUNK; ++w)
        if (first_window + w < ITEMS && (whole || first + w * SUBGROUP_SIZE < count))
            atomicAdd(counters[copy + label_of(words[w / LABELS_OF_WORD], w)], 1);
    [[unroll]] for (uint k = 0; k < CHUNK_WORDS; ++k)
        if (first_word + k < LABEL_WORDS) labels.at[label_word(stretch, first_word + k)] = words[k];
}

void label_stretch(const uint stretch, const bool whole) {
    label_chunk(stretch, 0, whole);
    if (CHUNK_WORDS < LABEL_WORDS) label_chunk(stretch, CHUNK_WORDS, whole);
}

// Labels all stretches of a subproblem, including those past the last key, because the postscan reads whole tiles.
void label_subproblem(const uint subproblem) {
    uint end = (subproblem + 1) * push.parts;
    for (uint stretch = subproblem * push.parts + gl_SubgroupID; stretch < end; stretch += gl_NumSubgroups) {
        if ((stretch + 1) * ITEMS * SUBGROUP_SIZE <= element_count()) label_stretch(stretch, true);
        else label_stretch(stretch, false);
    }
}

void main() {
    for (uint b = thread_rank(); b < COUNTERS * COUNTER_COPIES; b += gl_WorkGroupSize.x) counters[b] = 0;
    stage_splitters();
    barrier();
    uint subproblem = group_index();
    if (subproblem >= subproblem_count()) return;
    // If there are no keys, the only subproblem has a histogram but no labels.
    if (element_count() > 0) label_subproblem(subproblem);
    barrier();
    for (uint b = thread_rank(); b < push.buckets; b += gl_WorkGroupSize.x) {
        uint sum = 0;
        for (uint c = 0; c < COUNTER_COPIES; ++c) sum += counters[c * COUNTERS + b];
        histogram.at[b * subproblem_count() + subproblem] = sum;
    }
    report_out_of_range();
}
