#version 460
// Radix sort of an array that fits one tile, in place, with a single workgroup. Loads all keys into registers,
// runs all rounds (rank by digit, reorder through shared memory), stores the keys, and finally moves any values.
// docs/kernels-sort.md explains the ranking.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#define HOST_COUNT
#include "digits.glsl"
#include "tile_shape.glsl"
#include "values.glsl"

layout(set = 0, binding = 0, std430) buffer Keys { KEY at[]; } keys;
#ifdef PAIRS
layout(set = 0, binding = 2, std430) buffer Values { uint at[]; } values;
layout(set = 0, binding = 2, std430) buffer Values2 { uvec2 at[]; } values_vec2;
layout(set = 0, binding = 2, std430) buffer Values4 { uvec4 at[]; } values_vec4;
#endif

layout(set = 0, binding = 9, std430) buffer LaneOrder { uint violated; } lane_order;

// Shared memory; subgroup_sums.glsl has another array.
shared uint space[SPACE_WORDS];  // warp counters, then one word of each key, or its input index (tile_shape.glsl)

#include "rank_tile.glsl"

#ifdef PAIRS
// Input index of each key.
uint source[ITEMS];
#endif

// Sets the bucket of each item to the digit of its key in a round.
void find_digits(const uint held, const uint round) {
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) {
        // Missing keys count as keys of the last bucket and are the last of it, so every round keeps them at the end.
        bool missing = item_index(0, w) >= held;
        set_bucket(w, missing ? push.buckets - 1 : digit(image_of(own[w]), round));
    }
}

// Writes one word of each item to shared memory at the item's place. Then sets moved[] to the words of this thread's
// new items. Called by all threads.
#define MOVE_THROUGH_SPACE(word)                                                             \
    barrier();                                                                               \
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) space[item_place(w)] = uint(word);           \
    barrier();                                                                               \
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) moved[w] = space[item_index(0, w)];

// Reorders keys and sources by place. Called by all threads; ends with a barrier.
void reorder() {
    uint moved[ITEMS];
#if KEY_BITS == 64
    uint high[ITEMS];
    MOVE_THROUGH_SPACE(own[w] >> 32)
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) high[w] = moved[w];
#endif
    MOVE_THROUGH_SPACE(own[w])
#if KEY_BITS == 64
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) own[w] = KEY(high[w]) << 32 | moved[w];
#else
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) own[w] = moved[w];
#endif
#ifdef PAIRS
    MOVE_THROUGH_SPACE(source[w])
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) source[w] = moved[w];
#endif
    barrier();  // the counters are reused
}

#ifdef PAIRS
#define PUT_VALUES(buffer_)                                                      \
    {                                                                           \
        [[unroll]] for (uint w = 0; w < ITEMS; ++w)                             \
            if (item_index(0, w) < held) held_values[w] = buffer_.at[source[w]]; \
        memoryBarrierBuffer();  /* barrier() alone orders shared memory only */ \
        barrier();                                                              \
        [[unroll]] for (uint w = 0; w < ITEMS; ++w)                             \
            if (item_index(0, w) < held) buffer_.at[item_index(0, w)] = held_values[w]; \
    }

// Moves the values in place: reads all from their sources into registers, and writes them after a barrier. Called
// by all threads.
void put_values(const uint held) {
    if (COUNTED_VALUES != 0) {
        [[unroll]] for (uint w = 0; w < ITEMS; ++w)
            if (item_index(0, w) < held) values.at[item_index(0, w)] = source[w];
    } else if (VALUE_WORDS == 1) {
        uint held_values[ITEMS];
        PUT_VALUES(values)
    } else if (VALUE_WORDS == 2) {
        uvec2 held_values[ITEMS];
        PUT_VALUES(values_vec2)
    } else {
        uvec4 held_values[ITEMS];
        PUT_VALUES(values_vec4)
    }
}
#endif

void main() {
    uint held = element_count();
    if (held < 2 && COUNTED_VALUES == 0) return;
    load_keys(0, held, KEY(0));
#ifdef PAIRS
    [[unroll]] for (uint w = 0; w < ITEMS; ++w) source[w] = item_index(0, w);
#endif
    for (uint round = 0; round < push.round; ++round) {
        uint counts[OWN_BUCKETS];
        uint starts[OWN_BUCKETS];
        find_digits(held, round);
        count_tile(0, push.round);
        count_own_buckets(counts);
        scan_own_buckets(counts, starts);
        start_warps(starts);
        place_items();
        reorder();
    }
    [[unroll]] for (uint w = 0; w < ITEMS; ++w)
        if (item_index(0, w) < held) keys.at[item_index(0, w)] = own[w];
#ifdef PAIRS
    put_values(held);
#endif
}
