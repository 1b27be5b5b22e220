#version 460
// Selects the k elements with the largest images of each row, and sorts them if SORTED. A workgroup reads the
// candidates of a row and their indices, which earlier passes selected. With ROWS_OF_INPUT, it reads a row of the input
// itself, or a part of it. Steps: find the k-th largest image, collect the selected elements in shared memory, sort
// them there, write keys and indices. Without SORTED, selected elements are written at once. docs/kernels.md, "Top-k",
// shows how the passes work together.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;
layout(constant_id = ROOM_ID) const uint ROOM = 1024;   // capacity for sorting: a power of two, at least SUBGROUP_SIZE
layout(constant_id = SORTED_ID) const uint SORTED = 1;  // whether the result is sorted

#include "topk.glsl"

layout(set = 0, binding = 0, std430) readonly buffer Keys { KEY at[]; } keys;
layout(set = 0, binding = 1, std430) writeonly buffer KeysOut { KEY at[]; } keys_out;
layout(set = 0, binding = 2, std430) writeonly buffer IndicesOut { uint at[]; } indices_out;
#ifndef ROWS_OF_INPUT
layout(set = 0, binding = 3, std430) readonly buffer Indices { uint at[]; } indices;
layout(set = 0, binding = 4, std430) readonly buffer State { uint at[]; } state;
#endif

shared uint bins[256];  // counts of digits, or indices of elements equal to the threshold
shared PickedBin picked;
shared uint bits_of_all[KEY_BITS / 32];
shared uint bits_of_any[KEY_BITS / 32];
shared uint found_ties;  // number of indices in `bins`
shared uint kept;        // number of elements collected
shared KEY ordered_images[ROOM];
shared uint ordered_indices[ROOM];

#include "topk_select.glsl"
#include "other_key.glsl"

KEY item_image(const List list, uint i) { return image(keys.at[list.first + i]); }

// Returns the index, in its row, of element i of the list.
#ifdef ROWS_OF_INPUT
uint item_index(const List list, uint i) { return list.first_index + i; }
#else
uint item_index(const List list, uint i) { return indices.at[list.first + i]; }
#endif

// Returns the number of elements per part of a row. The last part with elements may have fewer; parts after it are
// empty.
uint part_share() {
    return (row_length() - 1) / push.cut + 1;
}

// Returns the number of elements that a full part selects.
uint kept_of_part() {
    return min(push.k, part_share());
}

#ifndef ROWS_OF_INPUT
// Returns the number of candidates of a row.
uint candidate_count(uint row) {
    // All full parts select the same number of elements, so the candidates are contiguous.
    if (push.cut > 1)
        return row_length() / part_share() * kept_of_part() + min(push.k, row_length() % part_share());
    uint found = state.at[row * STATE_WORDS + STATE_CANDIDATES];
    // If the filter found too few or too many candidates, the exact passes have written the wanted elements.
    return wanted_count() <= found && found <= push.capacity ? found : wanted_count();
}
#endif

// Returns the elements from which a workgroup selects, and in `first_out` the position of its first result.
List take_items(uint group, out uint first_out) {
#ifdef ROWS_OF_INPUT
    uint row = group / push.cut;
    uint part = group % push.cut;
    // Element indices have 30 bits, so the product does not overflow.
    uint first_index = min(part * part_share(), row_length());
    first_out = row * push.capacity + part * kept_of_part();
    return List(row * row_length() + first_index, min(part_share(), row_length() - first_index), first_index);
#else
    first_out = group * push.k;
    return List(group * push.capacity, candidate_count(group), 0);
#endif
}

// Counts the digits of the complemented indices of elements equal to the threshold, so that lower indices come first.
void count_index_digits(const List list, inout KEY numbers[HELD], KEY threshold, uint shift, uint prefix) {
    EACH_NUMBER(list, numbers, if (number == threshold) {
        uint digits = ~item_index(list, i) >> shift;
        if (digits >> SELECT_BITS == prefix) atomicAdd(bins[digits & (BINS - 1)], 1);
    })
}

// Returns the highest selected index by comparing all pairs of the elements equal to the threshold, which must fit into
// `bins`: the index with exactly `left` - 1 lower ones. Called by all threads.
uint select_index_of_few(const List list, inout KEY numbers[HELD], const Selection selection) {
    if (thread_rank() == 0) found_ties = 0;
    barrier();
    EACH_NUMBER(list, numbers, if (number == selection.threshold) bins[atomicAdd(found_ties, 1)] = item_index(list, i))
    barrier();
    for (uint t = thread_rank(); t < selection.same; t += gl_WorkGroupSize.x) {
        uint before = 0;
        for (uint other = 0; other < selection.same; ++other)
            if (bins[other] < bins[t]) ++before;
        if (before == selection.left - 1) picked.left = bins[t];
    }
    barrier();
    return picked.left;
}

// Returns a limit for the indices of elements that equal the threshold: those at or below it are selected. It is ~0 if
// all elements equal to the threshold are selected. Called by all threads.
uint select_index(const List list, inout KEY numbers[HELD], Selection selection) {
    if (selection.left == selection.same) return ~0u;
    if (selection.same <= BINS) return select_index_of_few(list, numbers, selection);
    uint prefix = 0;
    uint shift = 32;
    while (selection.left < selection.same && shift != 0) {
        shift -= SELECT_BITS;
        count_index_digits(list, numbers, selection.threshold, shift, prefix);
        barrier();
        PickedBin digit = pick_bin(selection.left);
        prefix = prefix << SELECT_BITS | digit.bin;
        selection.left = digit.left;
        selection.same = digit.count;
    }
    return ~(prefix << shift);
}

// Writes a result: the key with the image `number`, and its index.
void put(uint place, KEY number, uint index) {
    keys_out.at[place] = from_image(number);
    indices_out.at[place] = index;
}

// Order of the result: larger images first, lower indices first among equals.
bool is_before(KEY one, uint one_index, KEY other, uint other_index) {
    bool by_index = one_index < other_index;
    return one == other ? by_index : one > other;
}

// One step of the bitonic sort: compares and exchanges all pairs at distance `stride`, in shared memory. Called by
// all threads; ends with a barrier.
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

// Executes the steps of runs from `first_run` to `last_run` whose pairs are less than a subgroup apart: one
// element per lane, in registers. Called by all threads; ends with a barrier.
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

// Bitonic sort of the collected elements. All elements differ, except for the padding, so the result does not
// depend on their initial order. `size` is a power of two, at least the subgroup size. Called by all threads.
void order_kept(uint size) {
    exchange_lanes(size, 2, SUBGROUP_SIZE);
    for (uint run = 2 * SUBGROUP_SIZE; run <= size; run <<= 1) {
        for (uint stride = run >> 1; stride >= SUBGROUP_SIZE; stride >>= 1) exchange_apart(size, run, stride);
        exchange_lanes(size, run, run);
    }
}

// Collects element i, whose image `number` is at or above the threshold, if it is selected: in shared memory, or, if
// not SORTED, directly in the output. For sorted candidates, main() later replaces i by the element index, because the
// loads of several indices per thread would not overlap here.
void keep_item(const List list, uint i, KEY number, KEY threshold, uint last_index, uint first_out) {
    if (number == threshold && last_index != ~0u && item_index(list, i) > last_index) return;
    uint place = atomicAdd(kept, 1);
    if (SORTED != 0) {
        ordered_images[place] = number;
        ordered_indices[place] = i;
    } else {
        put(first_out + place, number, item_index(list, i));
    }
}

void main() {
    uint group = group_index();
    if (group >= push.rows * push.parts || wanted_count() == 0) return;
    uint first_out;
    List list = take_items(group, first_out);
    uint wanted = min(push.k, list.count);
    if (wanted == 0) return;
    if (gl_LocalInvocationIndex == 0) kept = 0;
    KEY numbers[HELD];
    Selection selection = select_threshold(list, wanted, numbers);
    uint last_index = select_index(list, numbers, selection);
    KEY threshold = selection.threshold;
    barrier();
    EACH_NUMBER(list, numbers, if (number >= threshold) keep_item(list, i, number, threshold, last_index, first_out))
    if (SORTED == 0) return;
    uint size = SUBGROUP_SIZE;
    while (size < wanted) size <<= 1;
    // The padding comes last: no element has this index.
    for (uint place = wanted + thread_rank(); place < size; place += gl_WorkGroupSize.x) {
        ordered_images[place] = KEY(0);
        ordered_indices[place] = ~0u;
    }
    barrier();
#ifndef ROWS_OF_INPUT
    // Replaces candidate numbers by element indices.
    for (uint place = thread_rank(); place < wanted; place += gl_WorkGroupSize.x)
        ordered_indices[place] = item_index(list, ordered_indices[place]);
#endif
    order_kept(size);
    for (uint place = thread_rank(); place < wanted; place += gl_WorkGroupSize.x)
        put(first_out + place, ordered_images[place], ordered_indices[place]);
}
