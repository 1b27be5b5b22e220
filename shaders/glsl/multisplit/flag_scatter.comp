#version 460
// Last pass of a round of the scan-based split. Reads the scanned flags and moves elements with a set flag to the
// front, in order, and the others behind them, in order. Each thread moves `EACH` elements. `scanned` contains the
// number of set flags before each element, from which both kinds of positions follow.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "multisplit.glsl"
layout(set = 0, binding = 2, std430) readonly buffer Scanned { uint at[]; } scanned;
#include "move.glsl"

#include "groups.glsl"
#include "each.glsl"

void main() {
    uint count = element_count();
    uint set = scanned.at[count];
    [[unroll]] for (uint k = 0; k < EACH; ++k) {
        uint i = element_index(k);
        if (i < count) {
            uint before = scanned.at[i];
            bool flag = scanned.at[i + 1] != before;
            move_element(keys.at[i], i, flag ? before : set + i - before);
        }
    }
}
