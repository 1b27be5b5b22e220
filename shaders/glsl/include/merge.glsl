// What the kernels of a merge share: their push block, the keys and their order.

#ifndef MERGE_GLSL
#define MERGE_GLSL

#include "constant_ids.glsl"

layout(constant_id = KEY_KIND_ID) const uint KEY_KIND = 0;

#if KEY_BITS == 64
#define KEY uint64_t
#else
#define KEY uint
#endif

layout(push_constant) uniform Push {
    uint count;         // elements of the first array
    uint second_count;  // of the second one, or the most there can be
    uint second_index;  // where the device count of these is
    uint descending;    // whether the order is
    uint tile;          // elements of a tile of the output
    uint tiles;         // tiles there can be
} push;

#include "count.glsl"
#include "count_word.glsl"
#include "groups.glsl"
#include "key_order.glsl"

layout(set = 0, binding = 0, std430) readonly buffer First { KEY at[]; } first_keys;
layout(set = 0, binding = 1, std430) readonly buffer Second { KEY at[]; } second_keys;

KEY image(KEY key) { return push.descending != 0 ? ~ordered(key) : ordered(key); }
KEY from_image(KEY bits) { return from_ordered(push.descending != 0 ? ~bits : bits); }
bool is_after(KEY x, KEY y) { return x > y; }

uint first_count() { return resolved_count(push.count); }
uint second_count() { return resolved_other(push.second_count, push.second_index); }

#endif
