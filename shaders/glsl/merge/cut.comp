#version 460
// First pass of a merge: splits the output into tiles. Each thread computes one cut, for tile boundary `tile`: the
// number of elements of the first array that precede the tile. The other preceding elements are from the second
// array. The cut is found by binary search on the keys (merge path).
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 64, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "merge.glsl"
layout(set = 0, binding = 3, std430) writeonly buffer Cuts { uint at[]; } cuts;

void main() {
    uint tile = group_index() * gl_WorkGroupSize.x + thread_rank();
    if (tile > push.tiles) return;
    uint a = first_count();
    uint b = second_count();
    uint place = min(tile * push.tile, a + b);
    uint low = place > b ? place - b : 0;
    uint high = min(place, a);
    while (low < high) {
        uint middle = (low + high) / 2;
        // Among equal elements, those of the first array come first.
        if (is_after(image(first_keys.at[middle]), image(second_keys.at[place - 1 - middle]))) high = middle;
        else low = middle + 1;
    }
    cuts.at[tile] = low;
}
