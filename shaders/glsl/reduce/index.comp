#version 460
// Finds the minimum and its index, the lowest index among equal elements, in one dispatch, or one per piece of a large
// array. Each workgroup reduces at most `tiles` tiles: elements in registers, then lanes by shuffles, then subgroups
// through shared memory. The workgroup of the last dispatch that finishes last reduces the results of all workgroups.
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
layout(set = 0, binding = 3, std430) writeonly buffer DstIndex { uint index; } dst_index;

layout(push_constant) uniform Push {
    uint count;     // elements in `src`
    uint tiles;     // maximum number of tiles per workgroup
    uint first;     // index of the first part of this dispatch
    uint is_final;  // whether this is the last dispatch, which writes the result
    uint base;      // index in the whole array of the first element of `src`
} push;

#include "count.glsl"
#include "groups.glsl"
#include "tile.glsl"

// The words of a term and its index.
#define PARTS_BINDING 2
#define PART uvec4
#include "last_group.glsl"

const uint NO_INDEX = 0xFFFFFFFFu;
const uint MIN_LANES = 4;  // minimum subgroup size

struct Found {
    TERM term;
    uint index;
};

// Returns the smaller element, or, between equal ones, the one with the lower index.
Found first_of(Found a, Found b) {
    bool other = b.term < a.term || (b.term == a.term && b.index < a.index);
    if (other) return b;
    return a;
}

// Returns the minimum over the subgroup in every lane. Called by whole subgroups.
Found first_of_lanes(Found own) {
    for (uint distance = 1; distance < gl_SubgroupSize; distance *= 2) {
        uint lane = gl_SubgroupInvocationID ^ distance;
        own = first_of(own, Found(from_lane(own.term, lane), subgroupShuffle(own.index, lane)));
    }
    return own;
}

shared TERM subgroup_terms[gl_WorkGroupSize.x / MIN_LANES];
shared uint subgroup_indices[gl_WorkGroupSize.x / MIN_LANES];

// Returns the minimum over all threads of the workgroup; the result is valid only in the first subgroup. Called by all
// threads; a barrier() is required before the next call.
Found first_of_group(Found own) {
    own = first_of_lanes(own);
    if (subgroupElect()) {
        subgroup_terms[gl_SubgroupID] = own.term;
        subgroup_indices[gl_SubgroupID] = own.index;
    }
    barrier();
    if (gl_SubgroupID == 0) {
        for (uint s = gl_SubgroupInvocationID; s < gl_NumSubgroups; s += gl_SubgroupSize)
            own = first_of(own, Found(subgroup_terms[s], subgroup_indices[s]));
        own = first_of_lanes(own);
    }
    return own;
}

// Returns the minimum of the tiles [begin, end); the result is valid only in the first subgroup. Called by all threads.
Found first_of_tiles(uint begin, uint end, uint count) {
    Found own = Found(IDENTITY, NO_INDEX);
    for (uint tile = begin; tile < end; ++tile) {
        TERM_ROW rows[TILE_ROWS];
        load_tile(tile * TILE, count, rows);
        [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r) {
            uint i = ROW_TERMS * row_index(tile * TILE, r);
            [[unroll]] for (uint c = 0; c < ROW_TERMS; ++c)
                own = first_of(own, Found(rows[r][c], i + c < count ? push.base + i + c : NO_INDEX));
        }
    }
    return first_of_group(own);
}

uvec4 to_part(Found found) {
#if KEY_BITS == 64
    return uvec4(to_words(found.term), found.index, 0);
#else
    return uvec4(to_words(found.term), 0, found.index, 0);
#endif
}

Found from_part(uvec4 part) {
#if KEY_BITS == 64
    return Found(from_words(part.xy), part.z);
#else
    return Found(from_words(part.x), part.z);
#endif
}

// Returns the minimum of the first `count` parts; the result is valid only in the first subgroup. Called by all
// threads.
Found first_of_parts(uint count) {
    Found own = Found(IDENTITY, NO_INDEX);
    for (uint i = thread_rank(); i < count; i += gl_WorkGroupSize.x) own = first_of(own, from_part(parts.at[i]));
    return first_of_group(own);
}

void main() {
    uint count = resolved_count(push.count);
    uint tiles = count / TILE + (count % TILE != 0 ? 1 : 0);
    // At least one, so that an empty array still has a result.
    uint groups = tiles == 0 ? 1 : (tiles - 1) / push.tiles + 1;
    uint group = group_index();
    if (group >= groups) return;  // surplus, from folding
    uint begin = group * push.tiles;
    Found found = first_of_tiles(begin, begin + min(push.tiles, tiles - begin), count);
    if (ONE_GROUP == 0) {
        if (!store_part(push.first + group, to_part(found), groups) || push.is_final == 0) return;
        found = first_of_parts(push.first + groups);
    }
    if (thread_rank() == 0) {
        store_term(0, found.term);
        dst_index.index = found.index;
    }
}
