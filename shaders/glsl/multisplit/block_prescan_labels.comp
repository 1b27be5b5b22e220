#version 460
// Prescan of the block-level multisplit by functions that cost much: the histogram of each subproblem, and
// the bucket of each key as a label, so that the postscan need not ask again. What the function reads is
// brought to shared memory once for several subproblems.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;
layout(constant_id = ITEMS_ID) const uint ITEMS = 8;
layout(constant_id = IN_A_ROW_ID) const uint IN_A_ROW = 1;  // subproblems of a workgroup
layout(constant_id = COUNTER_COPIES_ID) const uint COUNTER_COPIES = 1;

#include "multisplit.glsl"
#include "bucket.glsl"
layout(set = 0, binding = 2, std430) writeonly buffer Histogram { uint at[]; } histogram;
#include "out_of_range.glsl"
layout(set = 0, binding = 4, std430) writeonly buffer Labels { uint at[]; } labels;

#include "groups.glsl"
#include "labels.glsl"

const uint COUNTERS = 1u << BUCKET_BITS;
// Several times over, so that subgroups meet less often.
shared uint counters[COUNTERS * COUNTER_COPIES];
// What was counted, of all subproblems of the workgroup: neighbours of a bucket are neighbours in the histogram.
shared uint totals[COUNTERS * IN_A_ROW];

// A stretch is labelled by so many words per lane at a time: enough keys to have many on their way, and few
// enough to hold them.
const uint MAX_WORDS = 4;
const uint CHUNK_WORDS = LABEL_WORDS > MAX_WORDS ? (LABEL_WORDS + 1) / 2 : LABEL_WORDS;
const uint CHUNK = CHUNK_WORDS * LABELS_OF_WORD;

// The labels of this lane's keys in a chunk of a stretch. All keys are loaded first, without a branch: for
// one that is missing another one, so that no function is asked about a key that is not there. Its
// label is the last bucket, where the postscan wants it.
void label_chunk(uint stretch, uint first_word) {
    uint count = element_count();
    uint first_window = first_word * LABELS_OF_WORD;
    uint first = (stretch * ITEMS + first_window) * SUBGROUP_SIZE + gl_SubgroupInvocationID;
    KEY loaded[CHUNK];
    [[unroll]] for (uint w = 0; w < CHUNK; ++w)
        if (first_window + w < ITEMS) loaded[w] = keys.at[min(first + w * SUBGROUP_SIZE, count - 1)];

    uint words[CHUNK_WORDS];
    [[unroll]] for (uint k = 0; k < CHUNK_WORDS; ++k) words[k] = 0;
    uint unsure_keys = 0;
    [[unroll]] for (uint w = 0; w < CHUNK; ++w) {
        if (first_window + w >= ITEMS) continue;
        bool is_there = first + w * SUBGROUP_SIZE < count;
        bool unsure;
        uint id = likely_raw_bucket(loaded[w], unsure);
        if (COUNT_OUT_OF_RANGE != 0 && is_there && id >= push.ids) ++out_of_range_here;
        uint bucket = is_there ? part_of_id(min(id, push.ids - 1)) : push.buckets - 1;
        unsure = unsure && is_there;
        unsure_keys |= unsure ? 1u << w : 0;
        words[w / LABELS_OF_WORD] |= unsure ? 0 : bucket << w % LABELS_OF_WORD * 8;
    }
    if (SEARCHES) {
        while (unsure_keys != 0) {
            uint w = findLSB(unsure_keys);
            unsure_keys &= unsure_keys - 1;
            uint bucket = bucket_at(keys.at[first + w * SUBGROUP_SIZE]);
            [[unroll]] for (uint k = 0; k < CHUNK_WORDS; ++k)
                if (k == w / LABELS_OF_WORD) words[k] |= bucket << w % LABELS_OF_WORD * 8;
        }
    }

    uint copy = gl_SubgroupID % COUNTER_COPIES * COUNTERS;
    [[unroll]] for (uint w = 0; w < CHUNK; ++w)
        if (first_window + w < ITEMS && first + w * SUBGROUP_SIZE < count)
            atomicAdd(counters[copy + label_of(words[w / LABELS_OF_WORD], w)], 1);
    [[unroll]] for (uint k = 0; k < CHUNK_WORDS; ++k)
        if (first_word + k < LABEL_WORDS) labels.at[label_word(stretch, first_word + k)] = words[k];
}

// All stretches of a subproblem, also those past the last key: the postscan takes whole tiles.
void label_subproblem(uint subproblem) {
    uint end = (subproblem + 1) * push.parts;
    for (uint stretch = subproblem * push.parts + gl_SubgroupID; stretch < end; stretch += gl_NumSubgroups) {
        label_chunk(stretch, 0);
        if (CHUNK_WORDS < LABEL_WORDS) label_chunk(stretch, CHUNK_WORDS);
    }
}

// Puts aside what was counted, and leaves the counters as it found them at first.
void keep_totals(uint in_row) {
    for (uint b = thread_rank(); b < push.buckets; b += gl_WorkGroupSize.x) {
        uint sum = 0;
        for (uint c = 0; c < COUNTER_COPIES; ++c) {
            sum += counters[c * COUNTERS + b];
            counters[c * COUNTERS + b] = 0;
        }
        totals[b * IN_A_ROW + in_row] = sum;
    }
}

void write_histograms(uint first, uint end) {
    for (uint i = thread_rank(); i < push.buckets * IN_A_ROW; i += gl_WorkGroupSize.x) {
        uint subproblem = first + i % IN_A_ROW;
        if (subproblem < end) histogram.at[i / IN_A_ROW * subproblem_count() + subproblem] = totals[i];
    }
}

void main() {
    for (uint b = thread_rank(); b < COUNTERS * COUNTER_COPIES; b += gl_WorkGroupSize.x) counters[b] = 0;
    stage_splitters();
    barrier();
    uint first = group_index() * IN_A_ROW;
    uint end = min(first + IN_A_ROW, subproblem_count());
    for (uint subproblem = first; subproblem < end; ++subproblem) {
        // Of nothing, the only subproblem has a histogram, and no labels.
        if (element_count() > 0) label_subproblem(subproblem);
        barrier();
        keep_totals(subproblem - first);
        barrier();  // the counters are added to again
    }
    write_histograms(first, end);
    report_out_of_range();
}
