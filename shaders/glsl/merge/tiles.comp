#version 460
// Second pass of a merge: one workgroup writes one tile of the output. It loads the tile's elements of both arrays
// into shared memory, at the positions given by `cuts`, merges the two runs there, and writes the keys. With
// PAIRS, it then copies each value from its array to the output.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "merge.glsl"
#include "values.glsl"
layout(set = 0, binding = 2, std430) writeonly buffer KeysOut { KEY at[]; } keys_out;
layout(set = 0, binding = 3, std430) readonly buffer Cuts { uint at[]; } cuts;
#ifdef PAIRS
layout(set = 0, binding = 4, std430) readonly buffer FirstValues { uint at[]; } first_values;
layout(set = 0, binding = 4, std430) readonly buffer FirstValues2 { uvec2 at[]; } first_values_vec2;
layout(set = 0, binding = 4, std430) readonly buffer FirstValues4 { uvec4 at[]; } first_values_vec4;
layout(set = 0, binding = 5, std430) readonly buffer SecondValues { uint at[]; } second_values;
layout(set = 0, binding = 5, std430) readonly buffer SecondValues2 { uvec2 at[]; } second_values_vec2;
layout(set = 0, binding = 5, std430) readonly buffer SecondValues4 { uvec4 at[]; } second_values_vec4;
layout(set = 0, binding = 6, std430) writeonly buffer ValuesOut { uint at[]; } values_out;
layout(set = 0, binding = 6, std430) writeonly buffer ValuesOut2 { uvec2 at[]; } values_out_vec2;
layout(set = 0, binding = 6, std430) writeonly buffer ValuesOut4 { uvec4 at[]; } values_out_vec4;
#endif

// kernels.txt defines ITEMS, the elements per thread, which must match ITEMS of operations/merge/passes.rs.
const uint TILE = gl_WorkGroupSize.x * ITEMS;

#include "merge_runs.glsl"

#ifdef PAIRS
#define MOVE(first_, second_, to_)                \
    {                                             \
        if (of_second) to_.at[to] = second_.at[from]; \
        else to_.at[to] = first_.at[from];        \
    }

void move_value(uint from, bool of_second, uint to) {
    if (VALUE_WORDS == 1) MOVE(first_values, second_values, values_out)
    if (VALUE_WORDS == 2) MOVE(first_values_vec2, second_values_vec2, values_out_vec2)
    if (VALUE_WORDS == 4) MOVE(first_values_vec4, second_values_vec4, values_out_vec4)
}
#endif

void main() {
    uint n = first_count() + second_count();
    uint tile = group_index();
    uint begin = tile * TILE;
    if (tile >= push.tiles || begin >= n) return;
    uint held = min(TILE, n - begin);
    uint a = cuts.at[tile];
    uint b = begin - a;
    // Cuts of unsorted arrays may decrease. Clamp so that no array is overrun and the tile is full.
    uint of_first = max(cuts.at[tile + 1], a) - a;
    of_first = min(of_first, min(held, first_count() - a));
    of_first = max(of_first, held - min(held, second_count() - b));
    [[unroll]] for (uint k = 0; k < ITEMS; ++k) {
        uint i = k * gl_WorkGroupSize.x + thread_rank();
        KEY key = KEY(0);
        if (i < of_first) key = image(first_keys.at[a + i]);
        else if (i < held) key = image(second_keys.at[b + i - of_first]);
        room[room_of(i)] = key;
        own[k] = KEY(0);  // for positions past the end
#ifdef PAIRS
        sources[room_of(i)] = i;
        own_source[k] = 0;
#endif
    }
    barrier();
    merge_runs(0, of_first, held);
    barrier();
    put_items();
    barrier();
    [[unroll]] for (uint k = 0; k < ITEMS; ++k) {
        uint i = k * gl_WorkGroupSize.x + thread_rank();
        if (i < held) {
            keys_out.at[begin + i] = from_image(room[room_of(i)]);
#ifdef PAIRS
            uint source = sources[room_of(i)];
            bool of_second = source >= of_first;
            move_value(of_second ? b + source - of_first : a + source, of_second, begin + i);
#endif
        }
    }
}
