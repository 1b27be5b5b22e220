#version 460
// Middle stage of segmented reduce-then-scan: an exclusive scan of the tile aggregates, by a single workgroup. It
// handles four tiles per thread at a time, with a carry, and writes the aggregate of all elements before each
// tile.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require

#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

layout(set = 0, binding = 0, std430) readonly buffer Totals { uvec4 at[]; } totals;
layout(set = 0, binding = 1, std430) writeonly buffer Before { uvec4 at[]; } before;

layout(push_constant) uniform Push {
    uint tiles;
} push;

#define COUNT_HEADS
#include "count.glsl"
#include "groups.glsl"
#include "open_term.glsl"

const uint OWN = 4;  // tiles per thread at a time

void main() {
    uint tiles = resolved_count(push.tiles);
    Open carry = nothing_open();
    for (uint base = 0; base < tiles; base += OWN * gl_WorkGroupSize.x) {
        uint first = base + OWN * thread_rank();
        Open own[OWN];
        Open through = nothing_open();
        [[unroll]] for (uint k = 0; k < OWN; ++k) {
            own[k] = nothing_open();
            if (first + k < tiles) own[k] = from_words(totals.at[first + k]);
            through = combine(through, own[k]);
        }
        Open of_subgroup;
        Open of_lanes = open_lanes_before(through, of_subgroup);
        Open all;
        Open so_far = combine(carry, combine(earlier_subgroups(of_subgroup, all), of_lanes));
        [[unroll]] for (uint k = 0; k < OWN; ++k) {
            if (first + k < tiles) before.at[first + k] = in_words(so_far);
            so_far = combine(so_far, own[k]);
        }
        carry = combine(carry, all);
        barrier();  // the shared memory of earlier_subgroups() is reused
    }
}
