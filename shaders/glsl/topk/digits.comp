#version 460
// Exact top-k, one pass per digit: among the elements whose image has the same leading digits as the k-th largest
// image, counts the values of the next digit. One workgroup handles one part of a row: it derives these leading digits
// from the counts of the previous pass, counts in shared memory and adds its counts to `digits`. The first workgroup of
// a row also writes the prefix, if any, and clears the bins of the next digit. docs/kernels.md, "Top-k", shows how the
// passes work together.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "topk.glsl"

shared uint bins[DIGIT_BINS];
shared PickedBin picked;

#include "topk_prefix.glsl"
#include "topk_visit.glsl"

// Counts digit `step` of the keys that begin with `prefix`, in shared memory.
void count_digits(uint step, KEY prefix, KEY loaded[LOADED], uint present) {
    uint shift = digit_shift(step);
    uint width = digit_width(step);
    [[unroll]] for (uint i = 0; i < LOADED; ++i) {
        KEY number = image(loaded[i]) >> shift;
        bool counts = (present & (1u << i)) != 0 && number >> width == prefix;
        if (counts) atomicAdd(bins[uint(number) & ((1u << width) - 1)], 1);
    }
}

void main() {
    uint row = group_index() / push.parts;
    uint part = group_index() % push.parts;
    if (row >= push.rows || is_done(row)) return;
    Pick pick = find_pick(row, push.step);
    if (part == 0) {
        if (push.step > 0 && gl_LocalInvocationIndex == 0) store_pick(row, push.step, pick);
        for (uint b = thread_rank(); b < DIGIT_BINS; b += gl_WorkGroupSize.x)
            digits.at[bins_of_digit(row, push.step + 1) + b] = 0;
    }
    clear_bins();
    uvec2 elements = part_of_row(part, VISIT_TILE);
    uint row_begin = row * row_length();
    Turns turns = turns_of(row_begin + elements.x, row_begin + elements.y);
    for (uint turn = 0; turn < turns.count; ++turn) {
        KEY loaded[LOADED];
        uint first;
        uint present = load_turn(turns, turn, loaded, first);
        count_digits(push.step, pick.prefix, loaded, present);
    }
    barrier();
    for (uint b = thread_rank(); b < DIGIT_BINS; b += gl_WorkGroupSize.x)
        if (bins[b] != 0) atomicAdd(digits.at[bins_of_digit(row, push.step) + b], bins[b]);
}
