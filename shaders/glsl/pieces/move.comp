#version 460
// Moves elements of a piece, already split into buckets, to their positions in the output of all pieces. Each
// thread moves `EACH` words from `src` to `dst`. Elements whose position is outside the bound range of the output
// are skipped.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require

#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;
// Words per element, a power of two.
layout(constant_id = VALUE_WORDS_ID) const uint VALUE_WORDS = 1;

layout(set = 0, binding = 0, std430) readonly buffer Src { uint at[]; } src;
layout(set = 0, binding = 1, std430) writeonly buffer Dst { uint at[]; } dst;

layout(push_constant) uniform Push {
    uint first;       // first element of the piece to move
    uint count;       // number of elements to move; src begins with element 0 of the piece
    uint buckets;     // see bucket_places.glsl
    uint first_step;
    uint origin;      // index of dst's first element in the output, modulo 2^32
    uint room;        // number of elements in dst
} push;

#define PLACE_TABLE_BINDING 2
#include "bucket_places.glsl"
#include "groups.glsl"
#include "each.glsl"

void main() {
    [[unroll]] for (uint k = 0; k < EACH; ++k) {
        uint word = element_index(k);
        uint element = push.first + word / VALUE_WORDS;
        if (word < push.count * VALUE_WORDS) {
            uint to = place_of(element, push.buckets, push.first_step) - push.origin;
            uint part = word % VALUE_WORDS;
            if (to < push.room) dst.at[to * VALUE_WORDS + part] = src.at[element * VALUE_WORDS + part];
        }
    }
}
