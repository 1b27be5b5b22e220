#version 460
// Moves elements of a piece that was split into buckets to where the buckets of all pieces lie. What
// does not belong into the part of the array that is bound stays.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require

#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;
// Words of an element: a power of two.
layout(constant_id = VALUE_WORDS_ID) const uint VALUE_WORDS = 1;

layout(set = 0, binding = 0, std430) readonly buffer Src { uint at[]; } src;
layout(set = 0, binding = 1, std430) writeonly buffer Dst { uint at[]; } dst;

layout(push_constant) uniform Push {
    uint first;       // element of the piece
    uint count;       // elements from there on; src begins with element 0
    uint buckets;
    uint first_step;
    uint origin;      // which element of the array dst begins with, modulo 2^32
    uint room;        // elements of dst
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
