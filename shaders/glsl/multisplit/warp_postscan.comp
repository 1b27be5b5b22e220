#version 460
// Postscan of the warp-level multisplit. One subgroup handles one subproblem, a range of `parts` tiles of ITEMS
// windows. It loads the output position of each bucket from `scanned`; then, tile by tile, it ranks the keys with
// ballots, orders them by bucket in shared memory, and writes them, so that adjacent lanes mostly write adjacent
// positions.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;
layout(constant_id = ITEMS_ID) const uint ITEMS = 8;  // windows per tile

#include "multisplit.glsl"
#include "bucket.glsl"
layout(set = 0, binding = 2, std430) readonly buffer Scanned { uint at[]; } scanned;
layout(set = 0, binding = 3, std430) writeonly buffer Offsets { uint at[]; } offsets;
#include "move.glsl"

#include "groups.glsl"
#include "voting.glsl"
#include "next_places.glsl"

// Keys and input indices of the ordered tiles, one tile per subgroup.
shared KEY tile_keys[gl_WorkGroupSize.x * ITEMS];
#if defined(PAIRS) || defined(PERMUTATION)
shared uint tile_sources[gl_WorkGroupSize.x * ITEMS];
#endif

// Sets `begins` to the exclusive scan of the bucket counts: the start of each bucket in the tile. Called by whole
// subgroups.
void begin_buckets(uint counts[BUCKETS_PER_LANE], out uint begins[BUCKETS_PER_LANE]) {
    uint carry = 0;
    [[unroll]] for (uint s = 0; s < BUCKETS_PER_LANE; ++s) {
        uint through = subgroupInclusiveAdd(counts[s]);
        begins[s] = carry + through - counts[s];
        carry += subgroupShuffle(through, SUBGROUP_SIZE - 1);
    }
}

// Returns the element of `held` that belongs to `bucket`, which may differ between lanes. Buckets are distributed over
// the lanes as in next_places.glsl. Called by whole subgroups.
uint pick(uint held[BUCKETS_PER_LANE], const uint bucket) {
    uint lane = bucket & (SUBGROUP_SIZE - 1);
    uint found = 0;
    [[unroll]] for (uint s = 0; s < BUCKETS_PER_LANE; ++s) {
        uint other = subgroupShuffle(held[s], lane);
        if (bucket >> LANE_BITS == s) found = other;
    }
    return found;
}

void main() {
    stage_splitters();
    uint subproblem = group_index() * gl_NumSubgroups + gl_SubgroupID;
    if (subproblem >= subproblem_count()) return;

    load_next_places(subproblem);
    const uint tile_size = SUBGROUP_SIZE * ITEMS;
    uint area = gl_SubgroupID * tile_size;
    for (uint t = 0; t < push.parts; ++t) {
        uint first = (subproblem * push.parts + t) * tile_size;
        if (first >= element_count()) return;

        KEY own[ITEMS];
        uint places[ITEMS];  // first the rank within the bucket, then the place in the tile
        uint counts[BUCKETS_PER_LANE];
        [[unroll]] for (uint s = 0; s < BUCKETS_PER_LANE; ++s) counts[s] = 0;
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
            uint i = first + w * SUBGROUP_SIZE + gl_SubgroupInvocationID;
            bool takes_part = i < element_count();
            own[w] = takes_part ? keys.at[i] : KEY(0);
            uint bucket = takes_part ? bucket_at(own[w]) : 0;
            vote(bucket, takes_part);
            places[w] = pick(counts, bucket) + lanes_before(lanes_of_bucket(bucket));
            uvec4 low = lanes_of_low_bits();
            [[unroll]] for (uint s = 0; s < BUCKETS_PER_LANE; ++s) counts[s] += votes_for(low, s);
        }
        uint begins[BUCKETS_PER_LANE];
        begin_buckets(counts, begins);
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
            uint i = first + w * SUBGROUP_SIZE + gl_SubgroupInvocationID;
            uint bucket = i < element_count() ? bucket_at(own[w]) : 0;
            places[w] += pick(begins, bucket);
            if (i < element_count()) {
                tile_keys[area + places[w]] = own[w];
#if defined(PAIRS) || defined(PERMUTATION)
                tile_sources[area + places[w]] = i;
#endif
            }
        }
        subgroupMemoryBarrierShared();
        subgroupBarrier();

        // From here on, the output position of a key is its place in the tile plus next_places of its bucket.
        [[unroll]] for (uint s = 0; s < BUCKETS_PER_LANE; ++s) next_places[s] -= begins[s];
        uint held = min(tile_size, element_count() - first);
        [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
            uint place = w * SUBGROUP_SIZE + gl_SubgroupInvocationID;
            KEY key = place < held ? tile_keys[area + place] : KEY(0);
            uint to = next_place_of(place < held ? bucket_at(key) : 0) + place;
            if (place < held) {
#if defined(PAIRS) || defined(PERMUTATION)
                move_element(key, tile_sources[area + place], to);
#else
                move_element(key, 0, to);
#endif
            }
        }
        [[unroll]] for (uint s = 0; s < BUCKETS_PER_LANE; ++s) next_places[s] += begins[s] + counts[s];
        subgroupMemoryBarrierShared();
        subgroupBarrier();  // shared memory is reused
    }
}
