#version 460
// Postscan of the block-level multisplit. One workgroup handles one subproblem, a range of tiles. It loads the
// output positions of the subproblem's buckets from `scanned`; then, tile by tile, it ranks the keys, orders them
// in shared memory and writes them bucket by bucket. The first subproblem also writes the bucket offsets. With
// LABELS, buckets are read from the labels of the prescan instead of calling the bucket function.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#if defined(LABELS) && !defined(PERMUTATION)
#define BUCKET_BORDERS
#endif

#include "multisplit.glsl"
#ifdef LABELS
layout(set = 0, binding = 1, std430) readonly buffer Labels { uint at[]; } labels;
#else
#include "bucket.glsl"
#endif
layout(set = 0, binding = 2, std430) readonly buffer Scanned { uint at[]; } scanned;
#include "move.glsl"
layout(set = 0, binding = 7, std430) readonly buffer InsideBlock { uint at[]; } inside_block;

#include "groups.glsl"
#include "side_by_side.glsl"
#include "subgroup_sums.glsl"
#include "voting.glsl"
#include "rank_tile.glsl"
#include "load_tile.glsl"

// Output position of the next key of each own bucket.
uint bucket_next[OWN_BUCKETS];

void set_targets() {
#ifdef BUCKET_BORDERS
    number_borders();
#endif
    [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k) {
        set_target(k, bucket_next[k]);
        bucket_next[k] += bucket_count[k];
    }
}

void look_ahead() {
#ifdef BUCKET_BORDERS
    sum_borders();
#endif
}

void set_missing_targets() {}

#include "scatter_tile.glsl"
#include "split_tile.glsl"

// Returns the output position of the subproblem's first key in bucket b.
uint first_place(uint b, uint subproblem) {
    uint index = b * subproblem_count() + subproblem;
    if (!BY_BLOCKS) return scanned.at[index];
    return scanned.at[b * block_count() + subproblem / SIDE_BY_SIDE] + inside_block.at[index];
}

void main() {
#ifndef LABELS
    stage_splitters();
#endif
    if (group_index() >= subproblem_count()) return;
    uint subproblem = group_index_from_end(subproblem_count());
    uint first = subproblem * push.parts * TILE;
    uint end = min(first + push.parts * TILE, element_count());
#ifdef LABELS
    if (first < end)  // empty subproblems have no labels
#endif
    load_keys(first);
    [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k) {
        uint b = own_bucket(k);
        bucket_next[k] = 0;  // buckets past the last one have no position
        if (b < push.buckets) {
            bucket_next[k] = first_place(b, subproblem);
            if (subproblem == 0) offsets.at[b] = bucket_next[k];
        }
    }
    if (subproblem == 0 && thread_rank() == 0) offsets.at[push.buckets] = element_count();
    while (first < end) {
        split_tile(first, end);
        first += TILE;
        barrier();  // shared memory is reused
    }
}
