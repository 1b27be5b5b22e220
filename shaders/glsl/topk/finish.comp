#version 460
// The k largest of each row by one workgroup, and their order. A row is what was put aside, with its indices, by a
// filter or by the workgroups of its parts; or, with ROWS_OF_INPUT, a row of the input itself, or a part of it.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;
layout(constant_id = ROOM_ID) const uint ROOM = 1024;   // elements that can be ordered: a power of two, at least SUBGROUP_SIZE
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
uint first_out;

KEY item_image(uint i) { return image(keys.at[first_item + i]); }
#ifdef ROWS_OF_INPUT
uint first_index;  // of the part, in its row
uint item_index(uint i) { return first_index + i; }
#else
uint item_index(uint i) { return indices.at[first_item + i]; }
#endif

#define SELECT_INDICES
#include "topk_select.glsl"
#include "other_key.glsl"

shared KEY ordered_images[ROOM];
shared uint ordered_indices[ROOM];
shared uint kept;

// Elements of each part of a row, but for the last one, which may have fewer, and for those past it, which have
// none; and how many a whole one puts aside.
uint part_share() {
    return (row_length() - 1) / push.cut + 1;
}

uint kept_of_part() {
    return min(push.k, part_share());
}

// The row of this workgroup, or its part: where it is, where its elements go, and how many there are to choose from.
uint take_items(uint group) {
#ifdef ROWS_OF_INPUT
    uint row = group / push.cut;
    uint part = group % push.cut;
    // Numbers of elements have 30 bits.
    first_index = min(part * part_share(), row_length());
    first_item = row * row_length() + first_index;
    first_out = row * push.capacity + part * kept_of_part();
    return min(part_share(), row_length() - first_index);
#else
    first_item = group * push.capacity;
    first_out = group * push.k;
    // Whole parts have put as many aside as each other, so that there is nothing between them.
    if (push.cut > 1)
        return row_length() / part_share() * kept_of_part() + min(push.k, row_length() % part_share());
    uint found = state.at[group * STATE_WORDS + STATE_CANDIDATES];
    // The exact passes have put as many there as are wanted.
    return wanted_count() <= found && found <= push.capacity ? found : wanted_count();
#endif
}

void put(uint place, KEY number, uint index) {
    keys_out.at[first_out + place] = from_image(number);
    indices_out.at[first_out + place] = index;
}

// Whether an element comes before another.
bool is_before(KEY one, uint one_index, KEY other, uint other_index) {
    bool by_index = one_index < other_index;
    return one == other ? by_index : one > other;
}

// The elements of all pairs of a run that are `stride` apart. Called by all threads.
void exchange_apart(uint size, uint run, uint stride) {
    for (uint t = thread_rank(); t < size / 2; t += gl_WorkGroupSize.x) {
        uint low = (t & ~(stride - 1)) * 2 + (t & (stride - 1));
        uint high = low + stride;
        KEY number = ordered_images[low];
        uint index = ordered_indices[low];
        bool ahead = (low & run) == 0;
        if (is_before(ordered_images[high], ordered_indices[high], number, index) == ahead) {
            ordered_images[low] = ordered_images[high];
            ordered_indices[low] = ordered_indices[high];
            ordered_images[high] = number;
            ordered_indices[high] = index;
        }
    }
    barrier();
}

// Steps of runs from `first_run` to `last_run` whose pairs are fewer elements apart than a subgroup has lanes: an
// element per lane, in registers. Called by all threads.
void exchange_lanes(uint size, uint first_run, uint last_run) {
    for (uint first = gl_SubgroupID * SUBGROUP_SIZE; first < size; first += gl_WorkGroupSize.x) {
        uint element = first + gl_SubgroupInvocationID;
        KEY number = ordered_images[element];
        uint index = ordered_indices[element];
        for (uint run = first_run; run <= last_run; run <<= 1) {
            for (uint stride = min(run, SUBGROUP_SIZE) >> 1; stride != 0; stride >>= 1) {
                KEY other = other_key(number, stride);
                uint other_index = subgroupShuffleXor(index, stride);
                bool earlier = ((element & stride) == 0) == ((element & run) == 0);
                bool taken = is_before(number, index, other, other_index) != earlier;
                number = taken ? other : number;
                index = taken ? other_index : index;
            }
        }
        ordered_images[element] = number;
        ordered_indices[element] = index;
    }
    barrier();
}

// Bitonic: no two elements are the same, but for those that fill up, so that any order they come in gives the same
// result. `size` is a power of two, and no less than a subgroup has lanes.
void order_kept(uint size) {
    exchange_lanes(size, 2, SUBGROUP_SIZE);
    for (uint run = 2 * SUBGROUP_SIZE; run <= size; run <<= 1) {
        for (uint stride = run >> 1; stride >= SUBGROUP_SIZE; stride >>= 1) exchange_apart(size, run, stride);
        exchange_lanes(size, run, run);
    }
}

// Puts an element at the bound or above it aside, or right out, if it is wanted. Where it was is looked up when
// all are there: a thread has several, and would wait for one after the other.
void keep_item(uint i, KEY number) {
    if (number == bound && last_index != ~0u && item_index(i) > last_index) return;
    uint place = atomicAdd(kept, 1);
    if (SORTED != 0) {
        ordered_images[place] = number;
        ordered_indices[place] = i;
    } else {
        put(place, number, item_index(i));
    }
}

void keep_items(uint count) {
    EACH_NUMBER(count, if (number >= bound) keep_item(i, number))
}

void main() {
    uint group = group_index();
    if (group >= push.rows * push.parts || wanted_count() == 0) return;
    uint count = take_items(group);
    uint wanted = min(push.k, count);
    if (wanted == 0) return;
    if (gl_LocalInvocationIndex == 0) kept = 0;
    select_bound(count, wanted);
    barrier();
    keep_items(count);
    if (SORTED == 0) return;
    uint size = SUBGROUP_SIZE;
    while (size < wanted) size <<= 1;
    // What fills up comes last: no element has this index.
    for (uint place = wanted + thread_rank(); place < size; place += gl_WorkGroupSize.x) {
        ordered_images[place] = KEY(0);
        ordered_indices[place] = ~0u;
    }
    barrier();
#ifndef ROWS_OF_INPUT
    // By the threads that will read them next.
    for (uint place = thread_rank(); place < wanted; place += gl_WorkGroupSize.x)
        ordered_indices[place] = item_index(ordered_indices[place]);
#endif
    order_kept(size);
    for (uint place = thread_rank(); place < wanted; place += gl_WorkGroupSize.x)
        put(place, ordered_images[place], ordered_indices[place]);
}
