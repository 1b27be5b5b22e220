#version 460
// The k largest of each row by one workgroup, and their order. A row is what a filter has put aside, with
// its indices; or, with ROWS_OF_INPUT, a row of the input itself.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;
layout(constant_id = ROOM_ID) const uint ROOM = 1024;    // elements that can be ordered: a power of two
layout(constant_id = SORTED_ID) const uint SORTED = 1;  // whether they are

#include "topk.glsl"

layout(set = 0, binding = 0, std430) readonly buffer Keys { KEY at[]; } keys;
layout(set = 0, binding = 1, std430) writeonly buffer KeysOut { KEY at[]; } keys_out;
layout(set = 0, binding = 2, std430) writeonly buffer IndicesOut { uint at[]; } indices_out;
#ifndef ROWS_OF_INPUT
layout(set = 0, binding = 3, std430) readonly buffer Indices { uint at[]; } indices;
layout(set = 0, binding = 4, std430) readonly buffer State { uint at[]; } state;
#endif

uint first_item;

KEY item_image(uint i) { return image(keys.at[first_item + i]); }
#ifdef ROWS_OF_INPUT
uint item_index(uint i) { return i; }
#else
uint item_index(uint i) { return indices.at[first_item + i]; }
#endif

#define SELECT_INDICES
#include "topk_select.glsl"

shared KEY ordered_images[ROOM];
shared uint ordered_indices[ROOM];
shared uint kept;

// How many there are to choose from.
uint item_count(uint row) {
#ifdef ROWS_OF_INPUT
    return row_length();
#else
    uint found = state.at[row * STATE_WORDS + STATE_CANDIDATES];
    // The exact passes have put as many there as are wanted.
    return wanted_count() <= found && found <= push.capacity ? found : wanted_count();
#endif
}

void put(uint row, uint place, KEY number, uint index) {
    keys_out.at[row * push.k + place] = from_image(number);
    indices_out.at[row * push.k + place] = index;
}

// Whether an element comes before another.
bool is_before(uint a, uint b) {
    KEY one = ordered_images[a];
    KEY other = ordered_images[b];
    return one > other || (one == other && ordered_indices[a] < ordered_indices[b]);
}

void exchange(uint a, uint b) {
    KEY number = ordered_images[a];
    ordered_images[a] = ordered_images[b];
    ordered_images[b] = number;
    uint index = ordered_indices[a];
    ordered_indices[a] = ordered_indices[b];
    ordered_indices[b] = index;
}

// Bitonic: no two elements are the same, so that any order they come in gives the same result.
void order_kept(uint size) {
    for (uint run = 2; run <= size; run <<= 1) {
        for (uint stride = run >> 1; stride != 0; stride >>= 1) {
            for (uint t = thread_rank(); t < size / 2; t += gl_WorkGroupSize.x) {
                uint low = (t & ~(stride - 1)) * 2 + (t & (stride - 1));
                bool ahead = (low & run) == 0;
                if (is_before(low + stride, low) == ahead) exchange(low, low + stride);
            }
            barrier();
        }
    }
}

// Puts an element at the bound or above it aside, or right out, if it is wanted.
void keep_item(uint row, uint i, KEY number) {
    if (number == bound && item_index(i) > last_index) return;
    uint place = atomicAdd(kept, 1);
    if (SORTED != 0) {
        ordered_images[place] = number;
        ordered_indices[place] = item_index(i);
    } else {
        put(row, place, number, item_index(i));
    }
}

void keep_items(uint row, uint count) {
    for (uint first = thread_rank(); first < count; first += SIDE_BY_SIDE * gl_WorkGroupSize.x) {
        load_numbers(first, count);
        [[unroll]] for (uint j = 0; j < SIDE_BY_SIDE; ++j) {
            uint i = first + j * gl_WorkGroupSize.x;
            if (i < count && numbers[j] >= bound) keep_item(row, i, numbers[j]);
        }
    }
}

void main() {
    uint row = group_index();
    uint wanted = wanted_count();
    if (row >= push.rows || wanted == 0) return;
#ifdef ROWS_OF_INPUT
    first_item = row * row_length();
#else
    first_item = row * push.capacity;
#endif
    uint count = item_count(row);
    if (gl_LocalInvocationIndex == 0) kept = 0;
    select_bound(count, wanted);
    barrier();
    keep_items(row, count);
    if (SORTED == 0) return;
    uint size = 1;
    while (size < wanted) size <<= 1;
    // What fills up comes last: no element has this index.
    for (uint place = wanted + thread_rank(); place < size; place += gl_WorkGroupSize.x) {
        ordered_images[place] = KEY(0);
        ordered_indices[place] = ~0u;
    }
    barrier();
    order_kept(size);
    for (uint place = thread_rank(); place < wanted; place += gl_WorkGroupSize.x)
        put(row, place, ordered_images[place], ordered_indices[place]);
}
