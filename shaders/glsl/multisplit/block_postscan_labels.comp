#version 460
// Postscan of the block-level multisplit for expensive bucket functions: like block_postscan.comp, but reads the
// buckets from the labels that block_prescan_labels.comp wrote, and finds the bucket of a key to write by the borders
// between buckets (bucket_borders.glsl). docs/kernels-sort.md explains the data flow and the barriers.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#define LABELS
#include "multisplit.glsl"
#include "tile_shape.glsl"

layout(set = 0, binding = 1, std430) readonly buffer Labels { uint at[]; } labels;
layout(set = 0, binding = 2, std430) readonly buffer Scanned { uint at[]; } scanned;
layout(set = 0, binding = 3, std430) writeonly buffer Offsets { uint at[]; } offsets;
layout(set = 0, binding = 7, std430) readonly buffer InsideBlock { uint at[]; } inside_block;
layout(set = 0, binding = 9, std430) buffer LaneOrder { uint violated; } lane_order;

// Shared memory; subgroup_sums.glsl and bucket_borders.glsl have other arrays.
shared uint space[SPACE_WORDS];  // warp counters, then keys or values of one turn (tile_shape.glsl)
// bucket_targets[b] + place: output position of the key at `place` of the b-th bucket that has keys (with PERMUTATION,
// of bucket b)
shared uint bucket_targets[COUNTERS];

#include "rank_tile.glsl"
#include "labels.glsl"
#include "bucket_borders.glsl"
#include "scatter_tile.glsl"
#include "bucket_positions.glsl"

// Labels of this thread's keys in the tile that will be ranked next.
uint own_labels[LABEL_WORDS];

// Loads the labels and the keys of a tile. A permutation does not need the keys.
void load_tile(const uint first) {
    uint stretch = first / TILE * SUBGROUPS + gl_SubgroupID;
    [[unroll]] for (uint k = 0; k < LABEL_WORDS; ++k) own_labels[k] = labels.at[label_word(stretch, k)];
#ifndef PERMUTATION
    load_keys(first, element_count(), KEY(0));
#endif
}

// Sets the buckets of all items. The prescan has labelled missing keys with the last bucket.
void read_buckets() {
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) set_bucket(w, label_of(own_labels[w / LABELS_OF_WORD], w))
}

// Sets the target of each own bucket, and advances the positions to those of the next tile.
void set_targets(
    in uint counts[OWN_BUCKETS], in uint numbers[OWN_BUCKETS], in uint starts[OWN_BUCKETS],
    inout uint positions[OWN_BUCKETS]
) {
    [[unroll]] for (uint k = 0; k < OWN_BUCKETS; ++k) {
        if (own_bucket(k) < COUNTERS && counts[k] > 0) bucket_targets[numbers[k]] = positions[k] - starts[k];
        positions[k] += counts[k];
    }
}

void main() {
    if (group_index() >= subproblem_count()) return;
    uint subproblem = group_index_from_end(subproblem_count());
    uint first = subproblem * push.parts * TILE;
    uint end = min(first + push.parts * TILE, element_count());
    if (first < end) load_tile(first);  // empty subproblems have no labels
    uint positions[OWN_BUCKETS];  // output position of the next key of each own bucket
    load_positions(subproblem, positions);
    while (first < end) {
        load_values(AFTER_LOADING, first, min(TILE, element_count() - first), 0);
        clear_borders();
        read_buckets();

        // Find the place of each key in the ordered tile.
        uint counts[OWN_BUCKETS];
        uint numbers[OWN_BUCKETS];
        uint starts[OWN_BUCKETS];
        count_tile(first / TILE, push.round);
        count_own_buckets(counts);
        number_buckets(counts, numbers, starts);
        start_warps(starts);
        place_items();

        // Order the keys in shared memory, and set the targets of their buckets.
        uint held = min(TILE, element_count() - first);
        load_values(AFTER_RANKING, first, held, 0);
        Borders part;
        sum_borders(part);
        stage_first_turn();
        number_borders(part);
        set_targets(counts, numbers, starts, positions);
        barrier();

        // Write the keys and values of all turns. The keys of the next tile are loaded before the last turn is written.
        load_values(AFTER_ORDERING, first, held, 0);
        write_until_last_turn(first, held);
        if (first + TILE < end) load_tile(first + TILE);
        write_last_turn(first, held);
        first += TILE;
        barrier();  // shared memory is reused
    }
}
