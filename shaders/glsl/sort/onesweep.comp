#version 460
// One round of a one-sweep radix sort: a stable split of all keys by one digit. One workgroup handles one tile. Reads
// the histograms of sort/histogram.comp. docs/kernels-sort.md explains the data flow, the atomics and the barriers.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;
// 1: tiles are assigned by tickets, so all predecessors of a tile have started. 0: the tile is the workgroup index, and
// its keys can be loaded at once.
layout(constant_id = TICKETS_ID) const uint TICKETS = 1;

#define SORT
#include "sort_round.glsl"
#include "tile_shape.glsl"
#include "histogram_parts.glsl"

layout(set = 0, binding = 2, std430) readonly buffer Histogram { uint at[]; } histogram;
layout(set = 0, binding = 3, std430) readonly buffer NoopFlags { uint at[]; } noop_flags;
layout(set = 0, binding = 3, std430) readonly buffer NoopFlagsVec4 { uvec4 at[]; } noop_flags_vec4;
layout(set = 0, binding = 7, std430) volatile buffer Status {
    uint ticket;  // next tile
    uint pad[3];
    uint at[];
} status;
layout(set = 0, binding = 9, std430) buffer LaneOrder { uint violated; } lane_order;

// Shared memory; subgroup_sums.glsl has another array.
shared uint space[SPACE_WORDS];        // warp counters, then keys or values of one turn (tile_shape.glsl)
shared uint bucket_targets[COUNTERS];  // bucket_targets[b] + place: output position of the key of bucket b at `place`
shared uint tile_ticket;               // this workgroup's ticket
shared uint missing_tile;              // see tile_lookback.glsl

struct Tile {
    uint number;  // the tile has the elements from number * TILE on
};
// In small sorts, all tiles wait for the first one. It computes the bucket starts while its keys are being loaded,
// before it counts them, so that it can publish positions as early as the other tiles publish counts.
const bool BEGINS_FIRST = HISTOGRAM_PARTS > 0;

#include "rank_tile.glsl"
#include "tile_lookback.glsl"
#include "scatter_tile.glsl"

uint element_count() {
    return resolved_count(push.count);
}

uint status_index(const Tile tile, const uint number, const uint b) {
    return number * push.buckets + b;
}

uint total_of(const Tile tile, const uint b) {
    if (HISTOGRAM_PARTS > 0) {
        uint total = 0;
        [[unroll]] for (uint part = 0; part < HISTOGRAM_PARTS; ++part)
            total += histogram.at[part_begin(push.round, part, COUNTERS) + b];
        return total;
    }
    return histogram.at[push.round * COUNTERS + b];
}

uint first_position(const Tile tile) {
    return 0;
}

uint first_element(const Tile tile, const uint number) {
    return number * TILE;
}

uint end_element(const Tile tile) {
    return element_count();
}

// Returns a mask of the no-op rounds, which do not change the order of the keys. Small sorts (HISTOGRAM_PARTS > 0) only
// set the bit of this round: their no-op rounds always copy the keys, so that the next round reads initialized data.
uint noop_rounds() {
    if (HISTOGRAM_PARTS == 0) return noop_flags.at[0] | push.noop_rounds;
    uint this_round = 1u << push.round;
    if ((push.noop_rounds & this_round) != 0) return this_round;
    uvec4 all = uvec4(~0u);
    uvec4 any = uvec4(0);
    [[unroll]] for (uint v = 0; v < HISTOGRAM_PARTS / 4; ++v) {
        uvec4 parts = noop_flags_vec4.at[push.round * (HISTOGRAM_PARTS / 4) + v];
        all &= parts;
        any |= parts;
    }
    bool one = have_one_digit(all.x & all.y & all.z & all.w, any.x | any.y | any.z | any.w);
    return one ? this_round : 0;
}

// Handles no-op rounds and returns whether this round is one. If `noops` has both rounds of `round_pair`, the data
// stays in place; otherwise a no-op round copies it to its output. Called by all threads; the result is uniform.
bool skip_round(const uint noops) {
    if ((noops & push.round_pair) == push.round_pair) return true;
    if ((noops >> push.round & 1) == 0) return false;
    uint first = group_index() * TILE;
    uint end = min(first + TILE, element_count());
    for (uint i = first + thread_rank(); i < end; i += gl_WorkGroupSize.x) {
        move_element(key_at(i), i, i);
#ifdef PACKING
        // Tiles begin at an even element.
        if (i % 2 == 0 && i + 1 < end) store_both(i, key_at(i), key_at(i + 1));
        else if (i % 2 == 0) store_half(i, key_at(i));
#endif
    }
    return true;
}

// Loads this thread's keys of a tile, which may be packed.
void load_tile(const uint first) {
#if defined(PACKED_KEYS) && KEY_BITS == 32
    // Loads unconditionally and selects afterwards: conditional loads of packed words compile to branches.
    if (NARROW_BITS != 0) {
        uint last = max(element_count(), 1) - 1;
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) own[w] = key_at(min(item_index(first, w), last));
        [[unroll]] for (uint w = 0; w < ITEMS; ++w)
            own[w] = item_index(first, w) < element_count() ? own[w] : missing_key();
        return;
    }
#endif
    load_keys(first, element_count(), missing_key());
}

void main() {
    if (group_index() >= tile_count()) return;

    // Take a tile and load its keys.
    uint noops = noop_rounds();  // this load overlaps with the ticket or the keys
    if (TICKETS == 0) load_tile(group_index() * TILE);
    if (thread_rank() == 0) {
        if (TICKETS != 0) tile_ticket = atomicAdd(status.ticket, 1);
        missing_tile = 0;
    }
    if (skip_round(noops)) return;
    barrier();
    Tile tile = Tile(TICKETS != 0 ? tile_ticket : group_index());
    uint first = tile.number * TILE;
    if (TICKETS != 0) load_tile(first);

    LookBack looks[OWN_BUCKETS];
    begin_first(tile, looks);
    load_values(AFTER_LOADING, first, min(TILE, element_count() - first), 0);

    // Count the keys of each bucket (some rankings rank them here, too), and let later tiles look back to the counts.
    uint counts[OWN_BUCKETS];
    count_tile(tile.number, push.round);
    count_own_buckets(counts);
    publish_counts(tile, counts, looks);

    // Find the place of each key in the ordered tile.
    uint starts[OWN_BUCKETS];
    scan_own_buckets(counts, starts);
    start_warps(starts);
    place_items();

    // Look back for the position of each bucket in the output, while the keys are ordered in shared memory.
    uint held = min(TILE, element_count() - first);
    load_values(AFTER_RANKING, first, held, 0);
    uint words[TILES_AT_A_TIME];
    look_ahead(tile, words);
    stage_first_turn();
    set_targets(tile, counts, starts, looks, words);
    barrier();
    set_missing_targets(tile, counts, starts, looks, words);

    // Write the keys and values of all turns.
    load_values(AFTER_ORDERING, first, held, 0);
    write_until_last_turn(first, held);
    write_last_turn(first, held);
}
