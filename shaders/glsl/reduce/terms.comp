#version 460
// Reduces an array in one dispatch, or one per piece of a large array. Each workgroup reduces at most `tiles` tiles:
// elements in registers, then lanes and subgroups. The workgroup of the last dispatch that finishes last combines the
// results of all in a fixed order, so sums of floats do not depend on timing. User operators apply in element order.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require

#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

// Whether a single workgroup reduces the array. It does not access `parts`.
layout(constant_id = ONE_GROUP_ID) const uint ONE_GROUP = 0;

#include "src_dst.glsl"

layout(push_constant) uniform Push {
    uint count;     // elements in `src`
    uint tiles;     // maximum number of tiles per workgroup
    uint first;     // index of the first part of this dispatch
    uint is_final;  // whether this is the last dispatch, which writes the result
} push;

#include "count.glsl"
#include "groups.glsl"
#include "term.glsl"
#include "subgroup_terms.glsl"
#include "tile.glsl"

#define PARTS_BINDING 2
#define PART WORDS
#include "last_group.glsl"

// Parts that a thread loads before it combines them.
const uint PARTS_AT_ONCE = 8;

// Returns the combination of the terms of all threads, in thread order. A user's operator need not be commutative: its
// terms must be passed in element order. Called by all threads; a barrier() is required before the next call.
TERM total_of_group(TERM own) {
    TERM total;
    earlier_subgroups(last_lane(combine_lanes(own)), total);
    return total;
}

// Returns the total of the tiles [begin, end). Called by all threads.
TERM total_of_tiles(uint begin, uint end, uint count) {
    TERM own = IDENTITY;
    for (uint tile = begin; tile < end; ++tile) {
        TERM_ROW rows[TILE_ROWS];
        load_tile(tile * TILE, count, rows);
#ifdef USER_OPERATOR
        TERM of_tile;
        earlier_subgroups(total_of_subgroup(rows), of_tile);
        own = combine(own, of_tile);
        barrier();  // subgroup_terms is reused
#else
        own = combine(own, total_of_rows(rows));
#endif
    }
#ifdef USER_OPERATOR
    return own;
#else
    return total_of_group(own);
#endif
}

// Returns the total of the first `count` parts. Called by all threads.
TERM total_of_parts(uint count) {
    TERM own = IDENTITY;
#ifdef USER_OPERATOR
    for (uint first = 0; first < count; first += gl_WorkGroupSize.x) {
        uint i = first + thread_rank();
        own = combine(own, total_of_group(i < count ? from_words(parts.at[i]) : IDENTITY));
        barrier();  // subgroup_terms is reused
    }
    return own;
#else
    for (uint first = 0; first < count; first += PARTS_AT_ONCE * gl_WorkGroupSize.x) {
        TERM loaded[PARTS_AT_ONCE];
        [[unroll]] for (uint k = 0; k < PARTS_AT_ONCE; ++k) {
            uint i = first + k * gl_WorkGroupSize.x + thread_rank();
            loaded[k] = i < count ? from_words(parts.at[i]) : IDENTITY;
        }
        [[unroll]] for (uint k = 0; k < PARTS_AT_ONCE; ++k) own = combine(own, loaded[k]);
    }
    return total_of_group(own);
#endif
}

void main() {
    uint count = resolved_count(push.count);
    uint tiles = count / TILE + (count % TILE != 0 ? 1 : 0);
    // At least one, so that an empty array still has a result: the identity.
    uint groups = tiles == 0 ? 1 : (tiles - 1) / push.tiles + 1;
    uint group = group_index();
    if (group >= groups) return;  // surplus, from folding
    uint begin = group * push.tiles;
    TERM total = total_of_tiles(begin, begin + min(push.tiles, tiles - begin), count);
    if (ONE_GROUP == 0) {
        if (!store_part(push.first + group, to_words(total), groups) || push.is_final == 0) return;
        total = total_of_parts(push.first + groups);
    }
    if (thread_rank() == 0) store_term(0, total);
}
