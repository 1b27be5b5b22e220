#version 460
// First pass of the reduced-bit sort: writes the bucket of each key as a label. With PACKED, also writes key and value
// as one 64-bit element, which is sorted with the label. With INDEX, also writes the index of the key, for the same
// purpose. Each thread handles `EACH` keys.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "multisplit.glsl"
#include "bucket.glsl"
layout(set = 0, binding = 2, std430) writeonly buffer Labels { uint at[]; } labels;
#include "out_of_range.glsl"
#ifdef INDEX
layout(set = 0, binding = 4, std430) writeonly buffer Sources { uint at[]; } sources;
#endif
#ifdef PACKED
layout(set = 0, binding = 4, std430) writeonly buffer Packed { uvec2 at[]; } packed;
layout(set = 0, binding = 5, std430) readonly buffer Values { uint at[]; } values;
#endif

#include "groups.glsl"
#include "each.glsl"

void main() {
    stage_splitters();
    uint count = element_count();
    [[unroll]] for (uint k = 0; k < EACH; ++k) {
        uint i = element_index(k);
        if (i < count) {
            KEY key = keys.at[i];
            labels.at[i] = counted_bucket(key);
#ifdef INDEX
            sources.at[i] = i;
#endif
#ifdef PACKED
            packed.at[i] = uvec2(key, values.at[i]);
#endif
        }
    }
    report_out_of_range();
}
