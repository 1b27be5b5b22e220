#version 460
// Expands each narrow key (8 or 16 bits) to a 32-bit word, in the form that 32-bit kernels expect. Each thread
// reads one or two words at a time and writes four keys, `EACH` times.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require

#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "src_dst.glsl"
#include "narrow_forms.glsl"

layout(push_constant) uniform Push {
    uint count;  // keys
} push;

#include "count.glsl"
#include "groups.glsl"
#include "each.glsl"

void main() {
    uint count = resolved_count(push.count);
    [[unroll]] for (uint k = 0; k < EACH; ++k) {
        // Four keys of 8 bits take one word, four keys of 16 bits take two.
        uint four = element_index(k);
        uint first = 4 * four;
        if (first >= count) continue;
        uvec2 packed = uvec2(load_one(NARROW_BITS == 8 ? four : 2 * four), 0);
        if (NARROW_BITS == 16 && first + 2 < count) packed.y = load_one(2 * four + 1);
        uvec4 keys;
        [[unroll]] for (uint c = 0; c < 4; ++c)
            keys[c] = widened(narrow_key(packed[c / KEYS_OF_WORD], c % KEYS_OF_WORD));
        if (first + 4 <= count) {
            store_vec4(four, keys);
        } else {
            [[unroll]] for (uint c = 0; c < 3; ++c)
                if (first + c < count) store_one(first + c, keys[c]);
        }
    }
}
