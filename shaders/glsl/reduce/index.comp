#version 460
// Finds the minimum and its index, the lowest index among equal elements. Runs as both stages of a reduction.
// First stage: each workgroup handles `tiles` tiles and writes one element and index. Second stage (FROM_PARTS):
// one workgroup reduces these. Threads reduce their elements in registers, then lanes by shuffles, then subgroups
// through shared memory.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require

#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

// Whether indices are read from `src_indices`; otherwise they are the element numbers.
layout(constant_id = FROM_PARTS_ID) const uint FROM_PARTS = 0;

#include "src_dst.glsl"
layout(set = 0, binding = 2, std430) readonly buffer SrcIndices { uint at[]; } src_indices;
layout(set = 0, binding = 3, std430) writeonly buffer DstIndices { uint at[]; } dst_indices;

layout(push_constant) uniform Push {
    uint count;  // elements in `src`
    uint tiles;  // per workgroup
    uint first;  // first output index of this dispatch
    uint base;   // index of the first element
} push;

#include "count.glsl"
#include "groups.glsl"
#include "tile.glsl"

const uint NO_INDEX = 0xFFFFFFFFu;
const uint MIN_LANES = 4;  // minimum subgroup size

struct Found {
    TERM term;
    uint index;
};

// Returns the smaller element; the lower index wins between equals.
Found first_of(Found a, Found b) {
    bool other = b.term < a.term || (b.term == a.term && b.index < a.index);
    if (other) return b;
    return a;
}

uint index_of(uint i, uint count) {
    if (i >= count) return NO_INDEX;
    return FROM_PARTS != 0 ? src_indices.at[i] : push.base + i;
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

void main() {
    uint count = resolved_count(push.count);
    uint tiles = count / TILE + (count % TILE != 0 ? 1 : 0);
    // Surplus workgroups (from folding) return. The first one always writes, even for an empty array.
    uint group = group_index();
    if (group > 0 && (tiles == 0 || group > (tiles - 1) / push.tiles)) return;
    uint begin = group * push.tiles;
    uint end = begin + min(push.tiles, tiles - begin);
    Found own = Found(IDENTITY, NO_INDEX);
    for (uint tile = begin; tile < end; ++tile) {
        TERM_ROW rows[TILE_ROWS];
        load_tile(tile * TILE, count, rows);
        [[unroll]] for (uint r = 0; r < TILE_ROWS; ++r) {
            uint i = ROW_TERMS * row_index(tile * TILE, r);
            [[unroll]] for (uint c = 0; c < ROW_TERMS; ++c)
                own = first_of(own, Found(rows[r][c], index_of(i + c, count)));
        }
    }
    own = first_of_lanes(own);
    if (subgroupElect()) {
        subgroup_terms[gl_SubgroupID] = own.term;
        subgroup_indices[gl_SubgroupID] = own.index;
    }
    barrier();
    if (gl_SubgroupID != 0) return;
    for (uint s = gl_SubgroupInvocationID; s < gl_NumSubgroups; s += gl_SubgroupSize)
        own = first_of(own, Found(subgroup_terms[s], subgroup_indices[s]));
    own = first_of_lanes(own);
    if (subgroupElect()) {
        store_term(push.first + group, own.term);
        dst_indices.at[push.first + group] = own.index;
    }
}
