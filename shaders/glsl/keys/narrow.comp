#version 460
// Packs keys that occupy a word each into their narrow form (8 or 16 bits). Each thread reads four keys at a time,
// converts them and writes one or two words, `EACH` times. The last word is merged with its previous content if
// keys do not fill it.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require

#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#define NO_DST
#include "src_dst.glsl"
#include "narrow_forms.glsl"

// Read only if keys do not fill the last word.
layout(set = 0, binding = 1, std430) buffer Dst { uint at[]; } dst;

layout(push_constant) uniform Push {
    uint count;  // keys
} push;

#include "count.glsl"
#include "groups.glsl"
#include "each.glsl"

// Writes the first `count` keys of a word, and leaves the other bits in memory unchanged.
void store_keys(uint at, uint word, uint count) {
    uint kept = ~bits_of_keys(count);
    if (kept != 0) word = (dst.at[at] & kept) | (word & ~kept);
    dst.at[at] = word;
}

void main() {
    uint count = resolved_count(push.count);
    [[unroll]] for (uint k = 0; k < EACH; ++k) {
        uint four = element_index(k);
        uint first = 4 * four;
        if (first >= count) continue;
        uvec4 keys = uvec4(0);
        if (first + 4 <= count) {
            keys = load_vec4(four);
        } else {
            [[unroll]] for (uint c = 0; c < 3; ++c)
                if (first + c < count) keys[c] = load_one(first + c);
        }
        uvec2 packed = uvec2(0);
        [[unroll]] for (uint c = 0; c < 4; ++c)
            packed[c / KEYS_OF_WORD] |= narrowed(keys[c]) << (c % KEYS_OF_WORD * NARROW_BITS);
        store_keys(NARROW_BITS == 8 ? four : 2 * four, packed.x, count - first);
        if (NARROW_BITS == 16 && first + 2 < count) store_keys(2 * four + 1, packed.y, count - first - 2);
    }
}
