#version 460
// First pass of a round of the scan-based split. Writes a flag per element: 1 if a given bit of its bucket id is
// 0. Each thread writes `EACH` flags. One more flag, 0, is written at the end, so that the exclusive scan also
// yields the number of set flags.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "multisplit.glsl"
#include "bucket.glsl"
layout(set = 0, binding = 2, std430) writeonly buffer Flags { uint at[]; } flags;
#include "out_of_range.glsl"

#include "groups.glsl"
#include "each.glsl"

void main() {
    stage_splitters();
    uint count = element_count();
    [[unroll]] for (uint k = 0; k < EACH; ++k) {
        uint i = element_index(k);
        if (i < count) flags.at[i] = ~(counted_bucket(keys.at[i]) >> push.parts) & 1;
        else if (i == count) flags.at[i] = 0;
    }
    report_out_of_range();
}
