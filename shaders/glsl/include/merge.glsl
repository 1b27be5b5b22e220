// Interface of the merge kernels: push constants, keys and their order.

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
    uint count;         // elements in the first array
    uint second_count;  // elements in the second array, or their upper bound
    uint second_index;  // index of the device count of the second array
    uint descending;    // whether the order is descending
    uint tile;          // elements per output tile
    uint tiles;         // upper bound of the tile count
} push;

#include "count.glsl"
#include "count_word.glsl"
#include "groups.glsl"
#include "key_order.glsl"

layout(set = 0, binding = 0, std430) readonly buffer First { KEY at[]; } first_keys;
layout(set = 0, binding = 1, std430) readonly buffer Second { KEY at[]; } second_keys;

// image() maps keys to unsigned numbers that ascend in the output; from_image() is its inverse.
KEY image(KEY key) { return push.descending != 0 ? ~ordered(key) : ordered(key); }
KEY from_image(KEY bits) { return from_ordered(push.descending != 0 ? ~bits : bits); }
bool is_after(KEY x, KEY y) { return x > y; }

uint first_count() { return resolved_count(push.count); }
uint second_count() { return resolved_other(push.second_count, push.second_index); }

#endif
